#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "api/descriptors.h"
#include "reference/operand.h"

// What a program does around an operator, in as few words as tests allow.
namespace api_test {

// A device, a stream, and no error text left over from another test.
class DeviceTest : public testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override { aclGetRecentErrMsg(); }
  static aclrtStream stream;
};

// The thread's pending error text, which this takes away.
std::string recent_message();

class Buffer {
 public:
  explicit Buffer(std::size_t size);
  Buffer(std::size_t size, const void* content);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept : address_(std::exchange(other.address_, nullptr)), size_(other.size_) {}
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer();

  void* address() const { return address_; }
  void upload(const void* content) const;
  void download(void* destination) const;

 private:
  void* address_ = nullptr;
  std::size_t size_;
};

using Phase1 = std::function<aclnnStatus(std::uint64_t* workspace_size, aclOpExecutor** executor)>;
using Phase2 = aclnnStatus (*)(void* workspace, std::uint64_t workspace_size, aclOpExecutor* executor,
                               aclrtStream stream);

struct Outcome {
  aclnnStatus phase1 = -1;
  aclnnStatus phase2 = -1;
  aclError synchronise = -1;
  std::string message;  // of the phase that failed

  bool succeeded() const { return phase1 == 0 && phase2 == 0 && synchronise == 0; }
};
std::ostream& operator<<(std::ostream& out, const Outcome& outcome);

// Both phases with the workspace asked for, then `forget` (which may destroy every descriptor), then
// synchronise.
Outcome run(
    const Phase1& phase1, Phase2 phase2, aclrtStream stream, const std::function<void()>& forget = [] {});

}  // namespace api_test
