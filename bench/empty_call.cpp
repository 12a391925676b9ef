// What a call costs before it computes anything: an operator of four tensors and three int arrays whose
// kernel does nothing, through the same doors as the real ones.

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "tensor/bridge.h"

namespace {

using cairn::Access;

// As large as the plans of the real operators.
struct Plan {
  std::array<void*, 4> data{};
  std::array<std::int64_t, 32> geometry{};
};

const cairn::CpuCandidate kNoWork = {
    "nothing", [](const void*) -> const char* { return nullptr; },
    [](const void*, cairn::Workers&) -> std::optional<cairn::IndexFault> { return std::nullopt; }};
const std::span<const cairn::CpuCandidate> kNoWorkOnly(&kNoWork, 1);
const cairn::Kernel kNothing = {"aclnnNothing", 0, &kNoWorkOnly, [] { return "none"; }};

void require(int status) {
  if (status == ACL_SUCCESS) return;
  const char* message = aclGetRecentErrMsg();
  std::fprintf(stderr, "status %d: %s\n", status, message != nullptr ? message : "");
  std::exit(1);
}

class Operator {
 public:
  Operator() {
    require(aclrtSetDevice(0));
    require(aclrtCreateStream(&stream_));
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      constexpr std::array<std::int64_t, 5> kDims = {1, 1, 2, 2, 2};
      require(aclrtMalloc(&memory_[i], 64, ACL_MEM_MALLOC_HUGE_FIRST));
      tensors_[i] = aclCreateTensor(kDims.data(), kDims.size(), ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCDHW,
                                    kDims.data(), kDims.size(), memory_[i]);
    }
    constexpr std::array<std::int64_t, 3> kWindow = {2, 2, 2};
    for (aclIntArray*& array : arrays_) array = aclCreateIntArray(kWindow.data(), kWindow.size());
  }
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;
  ~Operator() {
    for (const aclTensor* tensor : tensors_) aclDestroyTensor(tensor);
    for (const aclIntArray* array : arrays_) aclDestroyIntArray(array);
    for (void* memory : memory_) aclrtFree(memory);
    aclrtDestroyStream(stream_);
    aclrtResetDevice(0);
  }

  aclOpExecutor* phase1() const {
    constexpr std::array<const char*, 4> kNames = {"gradOutput", "self", "indices", "gradInput"};
    constexpr std::array<Access, 4> kAccess = {Access::kRead, Access::kUnused, Access::kRead, Access::kWrite};
    const cairn::TensorBridge& bridge = cairn_tensor_bridge();
    cairn::PlannedCall call;
    call.kernel = &kNothing;
    call.tensors.reserve(tensors_.size());
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      call.tensors.push_back({tensors_[i], kNames[i], kAccess[i], bridge.find_tensor(tensors_[i])});
    }
    Plan plan;
    for (std::size_t i = 0; i < arrays_.size(); ++i)
      plan.geometry[i] = bridge.find_int_array(arrays_[i])->front();
    call.plan.set(plan);
    call.bind = [](void* bytes, void* const* addresses, void*) {
      auto& bound = *static_cast<Plan*>(bytes);
      for (std::size_t i = 0; i < bound.data.size(); ++i) bound.data[i] = addresses[i];
    };
    return bridge.create_executor(std::move(call));
  }

  void phase2(aclOpExecutor* executor) const {
    require(cairn_tensor_bridge().run(executor, kNothing, nullptr, 0, stream_));
  }

  void synchronise() const { require(aclrtSynchronizeStream(stream_)); }

 private:
  aclrtStream stream_ = nullptr;
  std::array<void*, 4> memory_{};
  std::array<aclTensor*, 4> tensors_{};
  std::array<aclIntArray*, 3> arrays_{};
};

void whole_call(benchmark::State& state) {
  const Operator op;
  while (state.KeepRunning()) {
    op.phase2(op.phase1());
    op.synchronise();
  }
}
BENCHMARK(whole_call)->Name("phase 1 + phase 2 + synchronise")->UseRealTime();

void phases(benchmark::State& state) {
  const Operator op;
  while (state.KeepRunningBatch(256)) {
    for (int i = 0; i < 256; ++i) op.phase2(op.phase1());
    state.PauseTiming();
    op.synchronise();
    state.ResumeTiming();
  }
}
BENCHMARK(phases)->Name("phase 1 + phase 2")->UseRealTime();

void phase1(benchmark::State& state) {
  const Operator op;
  while (state.KeepRunning()) require(aclDestroyAclOpExecutor(op.phase1()));
}
BENCHMARK(phase1)->Name("phase 1 + aclDestroyAclOpExecutor")->UseRealTime();

void phase2(benchmark::State& state) {
  const Operator op;
  aclOpExecutor* executor = op.phase1();
  require(aclSetAclOpExecutorRepeatable(executor));
  while (state.KeepRunningBatch(256)) {
    for (int i = 0; i < 256; ++i) op.phase2(executor);
    state.PauseTiming();
    op.synchronise();
    state.ResumeTiming();
  }
  require(aclDestroyAclOpExecutor(executor));
}
BENCHMARK(phase2)->Name("phase 2 of a repeatable executor")->UseRealTime();

void synchronise(benchmark::State& state) {
  const Operator op;
  while (state.KeepRunning()) op.synchronise();
}
BENCHMARK(synchronise)->Name("synchronise an idle stream")->UseRealTime();

void tensor(benchmark::State& state) {
  constexpr std::array<std::int64_t, 5> kDims = {1, 1, 2, 2, 2};
  while (state.KeepRunning()) {
    aclTensor* created = aclCreateTensor(kDims.data(), kDims.size(), ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCDHW,
                                         kDims.data(), kDims.size(), nullptr);
    require(aclDestroyTensor(created));
  }
}
BENCHMARK(tensor)->Name("aclCreateTensor + aclDestroyTensor")->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
