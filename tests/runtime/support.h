#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "cairn/cairn.h"
#include "runtime/bridge.h"

namespace cairn::test {

// Device 0 set for the test's thread, reset afterwards; nothing of the test may be left then.
class WithDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = cairn_runtime_bridge().live_objects();
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    aclGetRecentErrMsg();
  }
  void TearDown() override {
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(cairn_runtime_bridge().live_objects(), before_);
  }

 private:
  std::size_t before_ = 0;
};

class WithStream : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  }
  void TearDown() override {
    if (stream != nullptr) {
      EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    }
    WithDevice::TearDown();
  }

  aclrtStream stream = nullptr;
};

// A door that host functions and kernels wait behind.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  // False when nobody opened in time.
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return open_; });
  }
  static void wait_at(void* gate) { static_cast<Gate*>(gate)->wait(); }
  static void open_it(void* gate) { static_cast<Gate*>(gate)->open(); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

inline bool on_cpu() { return std::string(cairnGetBackendName()) == "cpu"; }

// For tests whose kernels are functions of their own.
#define NEEDS_CPU_KERNELS() \
  if (!on_cpu()) GTEST_SKIP() << "its kernels run on the CPU alone"

// Device memory as the host sees it.
inline std::vector<unsigned char> bytes_at(const void* device, std::size_t size) {
  std::vector<unsigned char> bytes(size);
  EXPECT_EQ(aclrtMemcpy(bytes.data(), size, device, size, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  return bytes;
}

inline std::string pending_text() {
  const char* text = aclGetRecentErrMsg();
  return text == nullptr ? "" : text;
}

// An address that is no handle of anything.
inline void* made_up() {
  static int object = 0;
  return &object;
}

}  // namespace cairn::test
