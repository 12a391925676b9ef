#include "hostile/support.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <fstream>

namespace hostile_test {
namespace {

int failures() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  return test == nullptr ? 0 : test->result()->total_part_count();
}

// An EXPECT that fails in a child is a failure of that child.
int run_body(const std::function<int()>& body) {
  const int before = failures();
  const int code = body();
  return code == 0 && failures() != before ? 99 : code;
}

std::string describe(const ChildResult& result, int wanted) {
  if (result.code == wanted) return {};
  if (result.code == kHung) return "hung: " + result.stderr_text;
  if (result.code < 0) return "signal " + std::to_string(-result.code) + ": " + result.stderr_text;
  return "code " + std::to_string(result.code) + ": " + result.stderr_text;
}

}  // namespace

void expect_in_child(const Environment& environment, const std::function<int()>& body, Ending ending) {
  const ChildResult result = in_child(
      environment, [&] { return run_body(body); }, ending);
  EXPECT_EQ(describe(result, 0), "");
}

void expect_in_child(const std::function<int()>& body, Ending ending) { expect_in_child({}, body, ending); }

void expect_code(int code, const Environment& environment, const std::function<int()>& body) {
  EXPECT_EQ(describe(in_child(environment, [&] { return run_body(body); }), code), "");
}

bool start() { return aclInit(nullptr) == 0 && aclrtSetDevice(0) == 0; }

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool contains_any(const std::string& text, std::initializer_list<const char*> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](const char* part) { return contains(text, part); });
}

std::string address_text(const void* address) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%p", address);
  return text.data();
}

bool message_names(const std::string& message, const char* argument, const void* address,
                   std::initializer_list<const char*> words) {
  return contains(message, argument) && contains(message, address_text(address)) &&
         contains_any(message, words);
}

SharedBytes::SharedBytes(std::size_t size)
    : address_(static_cast<unsigned char*>(
          mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))),
      size_(size) {
  if (address_ == MAP_FAILED) std::abort();
}

SharedBytes::~SharedBytes() { munmap(address_, size_); }

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace hostile_test
