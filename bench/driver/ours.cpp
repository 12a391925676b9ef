#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "acl/acl.h"
#include "call.h"
#include "conformance/descriptors.h"
#include "contender.h"
#include "data.h"

namespace cairn::bench {
namespace {

void check(int status, const char* what) {
  if (status == 0) return;
  const char* message = aclGetRecentErrMsg();
  throw std::runtime_error(std::string(what) + " returned " + std::to_string(status) +
                           (message != nullptr ? std::string(": ") + message : std::string()));
}

class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes > 0) check(aclrtMalloc(&address_, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  }
  // Filled with copies of `host`.
  DeviceBuffer(std::size_t bytes, const std::vector<std::byte>& host) : DeviceBuffer(bytes) {
    for (std::size_t at = 0; at < bytes && !host.empty(); at += host.size()) {
      const std::size_t part = std::min(host.size(), bytes - at);
      check(aclrtMemcpy(static_cast<std::byte*>(address_) + at, part, host.data(), part,
                        ACL_MEMCPY_HOST_TO_DEVICE),
            "aclrtMemcpy");
    }
  }
  ~DeviceBuffer() {
    if (address_ != nullptr) aclrtFree(address_);
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  void* address() const { return address_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* address_ = nullptr;
  std::size_t bytes_;
};

class Ours final : public OurContender {
 public:
  Ours(const Case& row, const HostData& data)
      : row_(row),
        source_(bytes(row.elements(row.source()), row.type), data.values),
        indices_(bytes(row.elements(row.indices()), row.index_type), data.indices),
        result_(bytes(row.elements(row.result()), row.type)),
        call_(call_of(row)),
        descriptors_(call_.it, addresses()) {}

  const char* name() const override { return "cairn"; }
  bool same_definition() const override { return true; }

  void run() override { run_in_phases(); }

  void queue() override {
    std::uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    check(descriptors_.phase1(&size, &executor), "phase 1");
    const DeviceBuffer workspace(size);
    check(launch(workspace.address(), size, executor), "phase 2");
  }

  std::pair<double, double> run_in_phases() override {
    using Clock = std::chrono::steady_clock;
    std::uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    const auto start = Clock::now();
    check(descriptors_.phase1(&size, &executor), "phase 1");
    const auto planned = Clock::now();
    const DeviceBuffer workspace(size);
    check(launch(workspace.address(), size, executor), "phase 2");
    const auto launched = Clock::now();
    check(aclrtSynchronizeStream(nullptr), "aclrtSynchronizeStream");
    using Microseconds = std::chrono::duration<double, std::micro>;
    return {Microseconds(planned - start).count(), Microseconds(launched - planned).count()};
  }

  Result result() override {
    return {copy_of(result_), row_.makes_indices() ? copy_of(indices_) : std::vector<std::byte>()};
  }

 private:
  static std::size_t bytes(std::int64_t elements, aclDataType type) {
    return static_cast<std::size_t>(elements * size_of(type));
  }

  static std::vector<std::byte> copy_of(const DeviceBuffer& buffer) {
    std::vector<std::byte> host(buffer.bytes());
    check(aclrtMemcpy(host.data(), host.size(), buffer.address(), host.size(), ACL_MEMCPY_DEVICE_TO_HOST),
          "aclrtMemcpy");
    return host;
  }

  std::vector<void*> addresses() const {
    std::vector<void*> all(call_.it.arguments.size());
    all[call_.indices] = indices_.address();
    all[call_.source] = source_.address();
    all[call_.result] = result_.address();
    return all;
  }

  int launch(void* workspace, std::uint64_t size, aclOpExecutor* executor) {
    return call_.it.subject->phase2(workspace, size, executor, nullptr);
  }

  Case row_;
  DeviceBuffer source_;
  DeviceBuffer indices_;
  DeviceBuffer result_;
  Call call_;
  conformance::Descriptors descriptors_;
};

}  // namespace

std::unique_ptr<OurContender> make_ours(const Case& row, const HostData& data) {
  return std::make_unique<Ours>(row, data);
}

}  // namespace cairn::bench
