#include "api/support.h"

#include <optional>
#include <ostream>

namespace api_test {

aclrtStream DeviceTest::stream = nullptr;

void DeviceTest::SetUpTestSuite() {
  ASSERT_EQ(aclInit(nullptr), 0);
  ASSERT_EQ(aclrtSetDevice(0), 0);
  ASSERT_EQ(aclrtCreateStream(&stream), 0);
}

void DeviceTest::TearDownTestSuite() {
  EXPECT_EQ(aclrtDestroyStream(stream), 0);
  EXPECT_EQ(aclrtResetDevice(0), 0);
  EXPECT_EQ(aclFinalize(), 0);
}

std::string recent_message() {
  const char* message = aclGetRecentErrMsg();
  return message != nullptr ? message : "";
}

Buffer::Buffer(std::size_t size) : size_(size) {
  if (size == 0) return;
  EXPECT_EQ(aclrtMalloc(&address_, size, ACL_MEM_MALLOC_HUGE_FIRST), 0);
}

Buffer::Buffer(std::size_t size, const void* content) : Buffer(size) { upload(content); }

Buffer::~Buffer() {
  if (address_ != nullptr) aclrtFree(address_);
}

void Buffer::upload(const void* content) const {
  if (size_ == 0) return;
  EXPECT_EQ(aclrtMemcpy(address_, size_, content, size_, ACL_MEMCPY_HOST_TO_DEVICE), 0);
}

void Buffer::download(void* destination) const {
  if (size_ == 0) return;
  EXPECT_EQ(aclrtMemcpy(destination, size_, address_, size_, ACL_MEMCPY_DEVICE_TO_HOST), 0);
}

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << "phase 1: " << outcome.phase1 << ", phase 2: " << outcome.phase2
             << ", synchronise: " << outcome.synchronise << ", message: " << outcome.message;
}

Outcome run(const Phase1& phase1, Phase2 phase2, aclrtStream stream, const std::function<void()>& forget) {
  Outcome outcome;
  std::uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  outcome.phase1 = phase1(&workspace_size, &executor);
  if (outcome.phase1 != 0) {
    outcome.message = recent_message();
    return outcome;
  }
  const Buffer workspace(workspace_size);
  outcome.phase2 = phase2(workspace.address(), workspace_size, executor, stream);
  if (outcome.phase2 != 0) outcome.message = recent_message();
  forget();
  outcome.synchronise = aclrtSynchronizeStream(stream);
  if (outcome.synchronise != 0) outcome.message = recent_message();
  return outcome;
}

}  // namespace api_test
