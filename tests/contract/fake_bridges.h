// Bridges of a test's own, so that it can look into the call that phase 1 plans.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/bridge.h"
#include "tensor/bridge.h"
#include "tensor/geometry.h"

namespace contract_test {

using cairn::PlannedCall;
using cairn::TensorDesc;
using Dims = std::vector<std::int64_t>;

class FakeTensors final : public cairn::TensorBridge {
 public:
  std::shared_ptr<const TensorDesc> find_tensor(const aclTensor* handle) const override {
    const auto found = tensors.find(handle);
    return found == tensors.end() ? nullptr : found->second;
  }
  std::shared_ptr<const Dims> find_int_array(const aclIntArray* handle) const override {
    const auto found = arrays.find(handle);
    return found == arrays.end() ? nullptr : found->second;
  }
  std::shared_ptr<const std::vector<float>> find_float_array(const aclFloatArray* handle) const override {
    const auto found = float_arrays.find(handle);
    return found == float_arrays.end() ? nullptr : found->second;
  }
  void find(std::span<Lookup> wanted) const override {
    for (Lookup& lookup : wanted) {
      if (lookup.kind == cairn::HandleKind::kTensor)
        lookup.found = find_tensor(static_cast<const aclTensor*>(lookup.handle));
      if (lookup.kind == cairn::HandleKind::kIntArray)
        lookup.found = find_int_array(static_cast<const aclIntArray*>(lookup.handle));
      if (lookup.kind == cairn::HandleKind::kFloatArray)
        lookup.found = find_float_array(static_cast<const aclFloatArray*>(lookup.handle));
    }
  }
  const char* describe(const void*) const override { return "no live object"; }
  aclOpExecutor* create_executor(PlannedCall&& call) const override {
    if (full) return nullptr;
    planned = std::move(call);
    return reinterpret_cast<aclOpExecutor*>(&planned);
  }
  cairn::Status run(aclOpExecutor*, const cairn::Kernel&, void*, std::uint64_t, void*) const override {
    return 0;
  }

  std::size_t live_objects() const override { return tensors.size() + arrays.size(); }

  aclTensor* add(TensorDesc desc) {
    desc.extent = cairn::extent_of(desc);
    auto kept = std::make_shared<const TensorDesc>(std::move(desc));
    const auto* handle = reinterpret_cast<const aclTensor*>(kept.get());
    tensors[handle] = kept;
    return const_cast<aclTensor*>(handle);
  }
  aclIntArray* add(Dims values) {
    auto kept = std::make_shared<const Dims>(std::move(values));
    const auto* handle = reinterpret_cast<const aclIntArray*>(kept.get());
    arrays[handle] = kept;
    return const_cast<aclIntArray*>(handle);
  }

  aclFloatArray* add(std::vector<float> values) {
    auto kept = std::make_shared<const std::vector<float>>(std::move(values));
    const auto* handle = reinterpret_cast<const aclFloatArray*>(kept.get());
    float_arrays[handle] = kept;
    return const_cast<aclFloatArray*>(handle);
  }

  std::map<const aclFloatArray*, std::shared_ptr<const std::vector<float>>> float_arrays;
  std::map<const aclTensor*, std::shared_ptr<const TensorDesc>> tensors;
  std::map<const aclIntArray*, std::shared_ptr<const Dims>> arrays;
  mutable std::optional<PlannedCall> planned;
  bool full = false;
};

class FakeRuntime final : public cairn::RuntimeBridge {
 public:
  void report_error(cairn::Status, std::string_view message) const override { error = message; }
  void warn(std::string_view message) const override { warning = message; }
  cairn::Status launch(void*, const cairn::Launch&) const override { return 0; }
  std::optional<cairn::Allocation> find_allocation(const void*, std::size_t) const override { return {}; }
  void find_allocations(std::span<cairn::Operand>) const override {}
  std::size_t live_objects() const override { return 0; }

  mutable std::string error;
  mutable std::string warning;
};

inline FakeTensors tensors;
inline FakeRuntime runtime;

}  // namespace contract_test
