#pragma once

#include <memory>

namespace cairn {

// A thread's working memory, kept from one kernel to the next. Destructors of the program may compute
// after the thread's own objects are gone: such a kernel gets memory for itself.
template <typename T>
class OfThread {
 public:
  OfThread() {
    if (t_gone) own_ = std::make_unique<T>();
  }

  T& operator*() const { return own_ != nullptr ? *own_ : kept(); }
  T* operator->() const { return &**this; }

 private:
  struct Kept {
    ~Kept() { t_gone = true; }
    T object;
  };

  static T& kept() {
    static thread_local Kept kept;
    return kept.object;
  }

  // Trivially destroyed, so it can be read to the very end of the thread.
  static inline constinit thread_local bool t_gone = false;

  std::unique_ptr<T> own_;
};

}  // namespace cairn
