#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "runtime/bridge.h"
#include "runtime/child.h"
#include "runtime/fake_kernel.h"

namespace cairn::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool pending_contains(const std::string& part) {
  const char* text = aclGetRecentErrMsg();
  return text != nullptr && contains(text, part);
}

struct Peak {
  std::atomic<int> now{0};
  std::atomic<int> most{0};
};

// Holds each task long enough for the others to arrive, and notes how many were inside at once.
std::optional<IndexFault> measure_peak(const void* plan, Workers& workers) {
  Peak* peak = nullptr;
  std::memcpy(&peak, plan, sizeof(peak));
  workers.run(64, [&](std::int64_t) {
    const int now = peak->now.fetch_add(1) + 1;
    int most = peak->most.load();
    while (now > most && !peak->most.compare_exchange_weak(most, now)) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    peak->now.fetch_sub(1);
  });
  return std::nullopt;
}

const cairn::test::FakeKernel kMeasurePeak{"aclnnMeasurePeak", measure_peak};

// The most tasks that ever ran at once when `streams` streams each run a kernel of many.
int peak_of(int streams) {
  Peak peak;
  Peak* plan = &peak;
  aclrtSetDevice(0);
  std::vector<aclrtStream> all(static_cast<std::size_t>(streams));
  for (aclrtStream& stream : all) {
    aclrtCreateStream(&stream);
    cairn_runtime_bridge().launch(stream, {kMeasurePeak, &plan, sizeof(plan)});
  }
  aclrtSynchronizeDevice();
  return peak.most;
}

TEST(Threads, CapTheKernelsOfAllStreamsTogether) {
  for (const int cap : {1, 2, 3}) {
    const ChildResult result = in_child({{"CAIRN_THREADS", std::to_string(cap)}}, [] {
      aclInit(nullptr);
      return peak_of(1);
    });
    EXPECT_EQ(result.code, cap) << result.stderr_text;
  }
  const ChildResult result = in_child({{"CAIRN_THREADS", "2"}}, [] {
    aclInit(nullptr);
    return peak_of(4);
  });
  EXPECT_EQ(result.code, 2) << result.stderr_text;
}

TEST(Threads, MayExceedTheCores) {
  const ChildResult result = in_child({{"CAIRN_THREADS", "9"}}, [] { return peak_of(1); });
  EXPECT_GT(result.code, static_cast<int>(std::min(8U, std::thread::hardware_concurrency())))
      << result.stderr_text;
  EXPECT_LE(result.code, 9);
}

TEST(Threads, ABadNumberIsRefused) {
  for (const char* bad : {"0", "-1", "two", "2x", "1000000", "99999999999999999999", " 2"}) {
    const ChildResult result = in_child({{"CAIRN_THREADS", bad}}, [] {
      uint32_t count = 9;
      CHILD_EXPECT(aclInit(nullptr), ACL_ERROR_INVALID_PARAM);
      CHILD_EXPECT(pending_contains("CAIRN_THREADS"), true);
      CHILD_EXPECT(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID);
      CHILD_EXPECT(pending_contains("CAIRN_THREADS"), true);
      CHILD_EXPECT(aclrtGetDeviceCount(&count), ACL_SUCCESS);
      CHILD_EXPECT(count, 0U);
      return 0;
    });
    EXPECT_EQ(result.code, 0) << bad << ": " << result.stderr_text;
  }
}

TEST(Threads, AreReadAgainByALaterInit) {
  const ChildResult result = in_child({{"CAIRN_THREADS", "1"}}, [] {
    CHILD_EXPECT(aclInit(nullptr), ACL_SUCCESS);
    CHILD_EXPECT(aclFinalize(), ACL_SUCCESS);
    setenv("CAIRN_THREADS", "2", 1);
    CHILD_EXPECT(aclInit(nullptr), ACL_SUCCESS);
    CHILD_EXPECT(peak_of(1), 2);
    return 0;
  });
  EXPECT_EQ(result.code, 0) << result.stderr_text;
}

TEST(DeviceChoice, KnownNames) {
  for (const char* name : {"", "auto", "cpu", "CPU"}) {
    const ChildResult result = in_child({{"CAIRN_DEVICE", name}}, [] {
      uint32_t count = 0;
      CHILD_EXPECT(aclInit(nullptr), ACL_SUCCESS);
      CHILD_EXPECT(aclrtGetDeviceCount(&count), ACL_SUCCESS);
      CHILD_EXPECT(count >= 1U, true);
      return 0;
    });
    EXPECT_EQ(result.code, 0) << name << ": " << result.stderr_text;
  }
}

TEST(DeviceChoice, CudaWithoutAGpu) {
  if (access("/dev/nvidiactl", F_OK) == 0) GTEST_SKIP() << "there is a GPU";
  const ChildResult result = in_child({{"CAIRN_DEVICE", "cuda"}}, [] {
    uint32_t count = 9;
    CHILD_EXPECT(aclInit(nullptr), ACL_ERROR_RT_NO_DEVICE);
    CHILD_EXPECT(pending_contains("cuda"), true);
    CHILD_EXPECT(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID);
    CHILD_EXPECT(aclrtGetDeviceCount(&count), ACL_SUCCESS);
    CHILD_EXPECT(count, 0U);
    setenv("CAIRN_DEVICE", "cpu", 1);
    CHILD_EXPECT(aclInit(nullptr), ACL_SUCCESS);
    CHILD_EXPECT(aclrtSetDevice(0), ACL_SUCCESS);
    return 0;
  });
  EXPECT_EQ(result.code, 0) << result.stderr_text;
}

TEST(DeviceChoice, UnknownName) {
  const ChildResult result = in_child({{"CAIRN_DEVICE", "gpu"}}, [] {
    CHILD_EXPECT(aclInit(nullptr), ACL_ERROR_INVALID_PARAM);
    CHILD_EXPECT(pending_contains("CAIRN_DEVICE is \"gpu\", expected auto, cpu or cuda"), true);
    CHILD_EXPECT(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID);
    return 0;
  });
  EXPECT_EQ(result.code, 0) << result.stderr_text;
}

TEST(ProductChoice, UnknownNameIsRefusedAndHasNoSoc) {
  const ChildResult result = in_child({{"CAIRN_PRODUCT", "Ascend999"}}, [] {
    CHILD_EXPECT(aclInit(nullptr), ACL_ERROR_INVALID_PARAM);
    CHILD_EXPECT(pending_contains("Ascend999"), true);
    CHILD_EXPECT(aclrtGetSocName() == nullptr, true);
    return 0;
  });
  EXPECT_EQ(result.code, 0) << result.stderr_text;
}

TEST(ProductChoice, SocNameFollowsTheProduct) {
  const ChildResult result = in_child({{"CAIRN_PRODUCT", "atlas-inference"}}, [] {
    CHILD_EXPECT(std::string(aclrtGetSocName()) == "Ascend310P3", true);
    setenv("CAIRN_PRODUCT", "Ascend910B4-1", 1);
    CHILD_EXPECT(std::string(aclrtGetSocName()) == "Ascend910B4-1", true);
    unsetenv("CAIRN_PRODUCT");
    CHILD_EXPECT(std::string(aclrtGetSocName()) == "Ascend910B1", true);
    CHILD_EXPECT(aclInit(nullptr), ACL_SUCCESS);
    return 0;
  });
  EXPECT_EQ(result.code, 0) << result.stderr_text;
}

int use_everything() {
  const cairn::test::FakeKernel kernel{"aclnnNothing",
                                       [](const void*, Workers&) -> std::optional<IndexFault> { return {}; }};
  const char plan = 0;
  aclInit(nullptr);
  aclrtSetDevice(0);
  cairn_runtime_bridge().launch(nullptr, {kernel, &plan, 1});
  aclrtSynchronizeStream(nullptr);
  cairn_runtime_bridge().warn("beware");
  aclrtFree(nullptr);
  ACL_APP_LOG(ACL_INFO, "said %d", 7);
  return 0;
}

TEST(Log, PrintsWhatItsLevelAsksFor) {
  const std::string nothing = in_child({{"CAIRN_LOG", ""}}, use_everything).stderr_text;
  EXPECT_EQ(nothing, "");
  EXPECT_EQ(in_child({{"CAIRN_LOG", "off"}}, use_everything).stderr_text, "");
  const std::string error = in_child({{"CAIRN_LOG", "error"}}, use_everything).stderr_text;
  EXPECT_EQ(error, "[cairn] error aclrtFree: devPtr is null\n");
  const std::string warn = in_child({{"CAIRN_LOG", "warn"}}, use_everything).stderr_text;
  EXPECT_EQ(warn, "[cairn] warn beware\n" + error);
  const std::string info = in_child({{"CAIRN_LOG", "info"}}, use_everything).stderr_text;
  EXPECT_TRUE(contains(info, "[cairn] info device: one CPU device")) << info;
  EXPECT_TRUE(contains(info, "[cairn] info product: portable")) << info;
  EXPECT_TRUE(contains(info, "[cairn] info aclnnNothing on stream")) << info;
  EXPECT_TRUE(contains(info, "said 7\n")) << info;
  EXPECT_TRUE(contains(info, "[cairn] warn beware\n")) << info;
}

std::optional<IndexFault> do_nothing(const void*, Workers&) { return std::nullopt; }

constexpr CpuCandidate kThree[] = {
    {"pairs", [](const void*) -> const char* { return "windows overlap along W"; }, do_nothing},
    {"bands", [](const void*) -> const char* { return nullptr; }, do_nothing},
    {"all", [](const void*) -> const char* { return nullptr; }, do_nothing},
};
constexpr std::span<const CpuCandidate> kCandidates = kThree;
constexpr Kernel kChoosy{"aclnnChoosy", 0, &kCandidates, [] { return "any"; }};

int launch_choosy() {
  const char plan = 0;
  const auto describe = [] { return std::string("self FLOAT [2,3]"); };
  CHILD_EXPECT(aclrtSetDevice(0), ACL_SUCCESS);
  CHILD_EXPECT(cairn_runtime_bridge().launch(
                   nullptr, {kChoosy, &plan, 1, {}, "portable", FunctionRef<std::string()>(describe)}),
               0);
  return aclrtSynchronizeStream(nullptr);
}

std::string launch_line(const char* wish) {
  const ChildResult result = in_child({{"CAIRN_LOG", "info"}, {"CAIRN_KERNEL", wish}}, launch_choosy);
  EXPECT_EQ(result.code, 0) << result.stderr_text;
  const std::size_t begin = result.stderr_text.find("aclnnChoosy on stream ");
  if (begin == std::string::npos) return result.stderr_text;
  return result.stderr_text.substr(begin, result.stderr_text.find('\n', begin) - begin);
}

TEST(Log, ALaunchNamesTensorsKernelAndReasons) {
  const std::string line = launch_line("");
  const std::string end = " of cpu: self FLOAT [2,3]; kernel bands (not pairs: windows overlap along W)";
  EXPECT_TRUE(line.ends_with(end)) << line;
}

TEST(Log, AsksForNoDescriptionBelowInfo) {
  const ChildResult result = in_child({{"CAIRN_LOG", "warn"}}, [] {
    const char plan = 0;
    int asked = 0;
    const auto describe = [&asked] { return std::to_string(++asked); };
    aclrtSetDevice(0);
    cairn_runtime_bridge().launch(nullptr,
                                  {kChoosy, &plan, 1, {}, "portable", FunctionRef<std::string()>(describe)});
    aclrtSynchronizeStream(nullptr);
    return asked;
  });
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.stderr_text, "");
}

TEST(KernelChoice, IsTakenWhereItCanBe) {
  EXPECT_TRUE(launch_line("all").ends_with("; kernel all")) << launch_line("all");
  const std::string cannot = launch_line("pairs");
  EXPECT_TRUE(cannot.ends_with("; kernel bands (not pairs: windows overlap along W)")) << cannot;
}

TEST(KernelChoice, WithAMinusIsDoneWithout) {
  const std::string line = launch_line("-bands");
  const std::string end = "; kernel all (not pairs: windows overlap along W; bands: CAIRN_KERNEL says so)";
  EXPECT_TRUE(line.ends_with(end)) << line;
}

TEST(KernelChoice, ANameThatTheOperatorLacksWarnsOnce) {
  const auto launch_twice = [] {
    const int first = launch_choosy();
    return first != 0 ? first : launch_choosy();
  };
  for (const std::string wish : {"bandz", "-bandz"}) {
    const ChildResult result = in_child({{"CAIRN_LOG", "warn"}, {"CAIRN_KERNEL", wish}}, launch_twice);
    EXPECT_EQ(result.code, 0) << result.stderr_text;
    EXPECT_EQ(result.stderr_text, "[cairn] warn CAIRN_KERNEL is \"" + wish +
                                      "\", but aclnnChoosy has no kernel of that name on cpu, only pairs, "
                                      "bands, all\n");
  }
}

TEST(Log, AnUnknownLevelWarnsOnce) {
  const std::string text = in_child({{"CAIRN_LOG", "loud"}}, use_everything).stderr_text;
  const std::string warning = "CAIRN_LOG is \"loud\", expected off, error, warn or info";
  ASSERT_TRUE(contains(text, warning)) << text;
  EXPECT_EQ(text.find(warning), text.rfind(warning));
}

TEST(Log, TheProgramsOwnTextIsCut) {
  const std::string text = in_child({{"CAIRN_LOG", "error"}}, [] {
                             const std::string longest(5000, 'x');
                             ACL_APP_LOG(ACL_ERROR, "%s", longest.c_str());
                             aclAppLog(ACL_ERROR, nullptr, nullptr, 1, "no place");
                             aclAppLog(ACL_ERROR, nullptr, nullptr, 1, nullptr);
                             return 0;
                           }).stderr_text;
  EXPECT_TRUE(contains(text, std::string(1000, 'x')));
  EXPECT_FALSE(contains(text, std::string(1025, 'x')));
  EXPECT_TRUE(contains(text, "no place\n"));
}

}  // namespace
}  // namespace cairn::test
