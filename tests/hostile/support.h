#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string>

#include "acl/acl.h"
#include "api/support.h"
#include "runtime/child.h"

// Programs that do everything wrong that a program can do. Each case is a process of its own, which must not
// end by a signal: the library answers a status, or computes the right result.
namespace hostile_test {

using cairn::test::ChildResult;
using cairn::test::Ending;
using cairn::test::in_child;
using cairn::test::kHung;
using Environment = std::map<std::string, std::string>;

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif
inline constexpr bool kSanitized = kThreadSanitizer || kAddressSanitizer;

inline constexpr aclError kInvalidArgument = 107000;
inline constexpr aclnnStatus kInvalidParameter = 161002;

// Runs `body` in a child, which must end with 0, and without a failed EXPECT.
void expect_in_child(const Environment& environment, const std::function<int()>& body,
                     Ending ending = Ending::kExit);
void expect_in_child(const std::function<int()>& body, Ending ending = Ending::kExit);

// The same for a child that shall end with `code`.
void expect_code(int code, const Environment& environment, const std::function<int()>& body);

// In the body of a child: a condition that does not hold ends it with a line that says where, and `text`.
#define CHILD_TRUE(condition, text)                                                                   \
  do {                                                                                                \
    if (!(condition)) {                                                                               \
      std::fprintf(stderr, "line %d: not %s: %s\n", __LINE__, #condition, std::string(text).c_str()); \
      return 1;                                                                                       \
    }                                                                                                 \
  } while (false)

// aclInit and aclrtSetDevice.
bool start();

// Whether the children use a GPU. The parent must not ask the library.
inline bool on_gpu() {
  const char* device = std::getenv("CAIRN_DEVICE");
  return device != nullptr && std::string(device) == "cuda";
}

// At the beginning of a test that has no meaning on a GPU.
#define CPU_ONLY(why) \
  if (on_gpu()) GTEST_SKIP() << "on a GPU: " << (why)

bool contains(const std::string& text, const std::string& part);
bool contains_any(const std::string& text, std::initializer_list<const char*> parts);
// As messages print it.
std::string address_text(const void* address);

// Whether the pending message names the argument, the address and one of the words for what is there.
bool message_names(const std::string& message, const char* argument, const void* address,
                   std::initializer_list<const char*> words);

// Memory that a child shares with its parent.
class SharedBytes {
 public:
  explicit SharedBytes(std::size_t size);
  SharedBytes(const SharedBytes&) = delete;
  SharedBytes& operator=(const SharedBytes&) = delete;
  ~SharedBytes();
  std::span<unsigned char> get() const { return {address_, size_}; }

 private:
  unsigned char* address_;
  std::size_t size_;
};

std::size_t resident_bytes();

// Waits for what another thread does, for as long as no test should take.
template <typename Condition>
bool becomes_true(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(40);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    usleep(500);
  }
  return true;
}

}  // namespace hostile_test
