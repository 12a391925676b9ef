#pragma once

#include <memory>

namespace cairn {

// A thread's working memory, kept from one kernel to the next. Destructors of the program may compute when
// the thread's own objects are gone: then it is a new one, for the one kernel.
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

  // Has no destructor of its own, and can be asked to the end.
  static inline constinit thread_local bool t_gone = false;

  std::unique_ptr<T> own_;
};

}  // namespace cairn
