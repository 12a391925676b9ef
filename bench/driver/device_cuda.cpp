#include <algorithm>
#include <functional>
#include <stdexcept>

#include "acl/acl.h"
#include "cairn/cairn.h"
#include "device.h"

namespace cairn::bench {
namespace {

void check(aclError status, const char* what) {
  if (status == ACL_SUCCESS) return;
  const char* message = aclGetRecentErrMsg();
  throw std::runtime_error(std::string(what) + " returned " + std::to_string(status) + ": " +
                           (message != nullptr ? message : ""));
}

class Cuda final : public Device {
 public:
  explicit Cuda(std::size_t bytes) : bytes_(bytes) {
    check(aclrtMalloc(&from_, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    check(aclrtMalloc(&to_, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    check(aclrtCreateEvent(&begin_), "aclrtCreateEvent");
    check(aclrtCreateEvent(&end_), "aclrtCreateEvent");
  }
  ~Cuda() override {
    aclrtDestroyEvent(end_);
    aclrtDestroyEvent(begin_);
    aclrtFree(to_);
    aclrtFree(from_);
  }
  Cuda(const Cuda&) = delete;
  Cuda& operator=(const Cuda&) = delete;

  const char* name() const override { return "cuda"; }
  bool has_peers() const override { return false; }
  std::int64_t line() const override { return 32; }

  std::string machine() const override {
    char text[256] = {};
    check(cairnGetDeviceDescription(0, text, sizeof text), "cairnGetDeviceDescription");
    return text;
  }

  // Making up and checking a GPU's worth of data would take a CPU minutes.
  Case sample(const Case& row) const override {
    constexpr std::int64_t kChannels = 4;
    constexpr std::int64_t kFewestElements = 8192;  // copying fewer at a time takes long
    Case some = row;
    some.work.n = 1;
    if (row.layout == Layout::kChannelsFirst && row.work.c % kChannels == 0) {
      some.work.c = kChannels;
      while (row.work.c % (2 * some.work.c) == 0 && some.elements(row.source()) < kFewestElements)
        some.work.c *= 2;
    }
    return some;
  }

  int sets(std::int64_t bytes) const override {
    constexpr std::int64_t kFarMoreThanTheCache = std::int64_t{1} << 30;
    constexpr std::int64_t kMost = 8;
    return static_cast<int>(
        std::clamp<std::int64_t>(kFarMoreThanTheCache / std::max<std::int64_t>(bytes, 1), 1, kMost));
  }

  double time(const std::vector<std::unique_ptr<OurContender>>& sets) override {
    constexpr std::size_t kFewestCalls = 4;
    const std::size_t calls = std::max(sets.size(), kFewestCalls);
    return device_milliseconds([&] {
             for (std::size_t i = 0; i < calls; ++i) sets[i % sets.size()]->queue();
           }) /
           static_cast<double>(calls);
  }
  double time_copy() override {
    return device_milliseconds([&] {
      check(aclrtMemcpyAsync(to_, bytes_, from_, bytes_, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr),
            "aclrtMemcpyAsync");
    });
  }
  double copy_bytes() const override { return 2.0 * static_cast<double>(bytes_); }

 private:
  double device_milliseconds(const std::function<void()>& queue) {
    check(aclrtRecordEvent(begin_, nullptr), "aclrtRecordEvent");
    queue();
    check(aclrtRecordEvent(end_, nullptr), "aclrtRecordEvent");
    check(aclrtSynchronizeEvent(end_), "aclrtSynchronizeEvent");
    float ms = 0;
    check(aclrtEventElapsedTime(&ms, begin_, end_), "aclrtEventElapsedTime");
    return ms;
  }

  std::size_t bytes_;
  void* from_ = nullptr;
  void* to_ = nullptr;
  aclrtEvent begin_ = nullptr;
  aclrtEvent end_ = nullptr;
};

}  // namespace

std::unique_ptr<Device> make_cuda(std::size_t copy_bytes) { return std::make_unique<Cuda>(copy_bytes); }

}  // namespace cairn::bench
