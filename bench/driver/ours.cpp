#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "acl/acl.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_max_unpool3d.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
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

struct Tensor {
  Tensor(const Case& row, Shape3 size, aclDataType type, void* address) {
    const bool flat = row.work.op == Operator::kPool2d;
    const bool last = row.layout == Layout::kChannelsLast;
    std::vector<std::int64_t> dims{row.work.n};
    if (!last) dims.push_back(row.work.c);
    if (!flat) dims.push_back(size.d);
    dims.push_back(size.h);
    dims.push_back(size.w);
    if (last) dims.push_back(row.work.c);
    const aclFormat format =
        flat ? (last ? ACL_FORMAT_NHWC : ACL_FORMAT_NCHW) : (last ? ACL_FORMAT_NDHWC : ACL_FORMAT_NCDHW);
    handle = aclCreateTensor(dims.data(), dims.size(), type, nullptr, 0, format, dims.data(), dims.size(),
                             address);
  }
  ~Tensor() { aclDestroyTensor(handle); }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  aclTensor* handle;
};

struct IntArray {
  explicit IntArray(const std::vector<std::int64_t>& values)
      : handle(aclCreateIntArray(values.data(), values.size())) {}
  ~IntArray() { aclDestroyIntArray(handle); }
  IntArray(const IntArray&) = delete;
  IntArray& operator=(const IntArray&) = delete;
  aclIntArray* handle;
};

std::vector<std::int64_t> axes(const Case& row, Shape3 size) {
  if (row.work.op == Operator::kPool2d) return {size.h, size.w};
  return {size.d, size.h, size.w};
}

class Ours final : public OurContender {
 public:
  Ours(const Case& row, const HostData& data)
      : row_(row),
        source_(bytes(row.elements(row.source()), row.type), data.values),
        indices_(bytes(row.elements(row.indices()), row.index_type), data.indices),
        result_(bytes(row.elements(row.result()), row.type)),
        source_tensor_(row, row.source(), row.type, source_.address()),
        self_tensor_(row, row.work.in, row.type, nullptr),
        index_tensor_(row, row.indices(), row.index_type, indices_.address()),
        result_tensor_(row, row.result(), row.type, result_.address()),
        kernel_(axes(row, row.work.kernel)),
        stride_(axes(row, row.work.stride)),
        padding_(axes(row, row.work.padding)),
        dilation_(axes(row, {1, 1, 1})),
        output_size_(axes(row, row.work.out)),
        input_size_({row.work.n, row.work.c, row.work.in.d, row.work.in.h, row.work.in.w}) {}

  const char* name() const override { return "cairn"; }
  bool same_definition() const override { return true; }

  void run() override { run_in_phases(); }

  void queue() override {
    std::uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    check(plan(&size, &executor), "phase 1");
    const DeviceBuffer workspace(size);
    check(launch(workspace.address(), size, executor), "phase 2");
  }

  std::pair<double, double> run_in_phases() override {
    using Clock = std::chrono::steady_clock;
    std::uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    const auto start = Clock::now();
    check(plan(&size, &executor), "phase 1");
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

  int plan(std::uint64_t* size, aclOpExecutor** executor) {
    return row_.is_forward() ? plan_forward(size, executor) : plan_backward(size, executor);
  }

  int plan_forward(std::uint64_t* size, aclOpExecutor** executor) {
    switch (row_.work.op) {
      case Operator::kPool3d:
        return aclnnMaxPool3dWithArgmaxGetWorkspaceSize(
            source_tensor_.handle, kernel_.handle, stride_.handle, padding_.handle, dilation_.handle, false,
            result_tensor_.handle, index_tensor_.handle, size, executor);
      case Operator::kPool2d:
        return aclnnMaxPool2dWithIndicesGetWorkspaceSize(
            source_tensor_.handle, kernel_.handle, stride_.handle, padding_.handle, dilation_.handle, false,
            result_tensor_.handle, index_tensor_.handle, size, executor);
      case Operator::kUnpool3d:
        return aclnnMaxUnpool3dGetWorkspaceSize(source_tensor_.handle, index_tensor_.handle,
                                                output_size_.handle, stride_.handle, padding_.handle,
                                                result_tensor_.handle, size, executor);
      case Operator::kUpsample3d:
        return aclnnUpsampleNearest3dGetWorkspaceSize(source_tensor_.handle, output_size_.handle, 0.0, 0.0,
                                                      0.0, result_tensor_.handle, size, executor);
    }
    return -1;
  }

  int plan_backward(std::uint64_t* size, aclOpExecutor** executor) {
    switch (row_.work.op) {
      case Operator::kPool3d:
        return aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
            source_tensor_.handle, self_tensor_.handle, index_tensor_.handle, kernel_.handle, stride_.handle,
            padding_.handle, dilation_.handle, false, result_tensor_.handle, size, executor);
      case Operator::kPool2d:
        return aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
            source_tensor_.handle, self_tensor_.handle, index_tensor_.handle, kernel_.handle, stride_.handle,
            padding_.handle, dilation_.handle, false, result_tensor_.handle, size, executor);
      case Operator::kUnpool3d:
        return aclnnMaxUnpool3dBackwardGetWorkspaceSize(
            source_tensor_.handle, self_tensor_.handle, index_tensor_.handle, output_size_.handle,
            stride_.handle, padding_.handle, result_tensor_.handle, size, executor);
      case Operator::kUpsample3d:
        return aclnnUpsampleNearest3dBackwardGetWorkspaceSize(source_tensor_.handle, output_size_.handle,
                                                              input_size_.handle, 0.0, 0.0, 0.0,
                                                              result_tensor_.handle, size, executor);
    }
    return -1;
  }

  int launch(void* workspace, std::uint64_t size, aclOpExecutor* executor) {
    const bool forward = row_.is_forward();
    switch (row_.work.op) {
      case Operator::kPool3d:
        return (forward ? aclnnMaxPool3dWithArgmax : aclnnMaxPool3dWithArgmaxBackward)(workspace, size,
                                                                                       executor, nullptr);
      case Operator::kPool2d:
        return (forward ? aclnnMaxPool2dWithIndices : aclnnMaxPool2dWithIndicesBackward)(workspace, size,
                                                                                         executor, nullptr);
      case Operator::kUnpool3d:
        return (forward ? aclnnMaxUnpool3d : aclnnMaxUnpool3dBackward)(workspace, size, executor, nullptr);
      case Operator::kUpsample3d:
        return (forward ? aclnnUpsampleNearest3d : aclnnUpsampleNearest3dBackward)(workspace, size, executor,
                                                                                   nullptr);
    }
    return -1;
  }

  Case row_;
  DeviceBuffer source_;
  DeviceBuffer indices_;
  DeviceBuffer result_;
  Tensor source_tensor_;
  Tensor self_tensor_;
  Tensor index_tensor_;
  Tensor result_tensor_;
  IntArray kernel_;
  IntArray stride_;
  IntArray padding_;
  IntArray dilation_;
  IntArray output_size_;
  IntArray input_size_;
};

}  // namespace

std::unique_ptr<OurContender> make_ours(const Case& row, const HostData& data) {
  return std::make_unique<Ours>(row, data);
}

}  // namespace cairn::bench
