// A step of a small 3D encoder-decoder, forward and backward, with the time of every call:
//
//   x -> max pool -> max pool -> unpool (by the second pool's indices) -> upsample -> y
//
// The loss is half the squared distance of y from x. Backward finds its gradient with respect to x, and a
// step against it makes the loss smaller.
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_max_unpool3d.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "example.h"

using Shape = std::vector<int64_t>;
using Phase2 = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

static size_t count_of(const Shape& shape) {
  size_t product = 1;
  for (const int64_t size : shape) product *= static_cast<size_t>(size);
  return product;
}

template <typename T>
static std::vector<T> zeros(const Shape& shape) {
  return std::vector<T>(count_of(shape));
}

struct Step {
  // Channels and sizes of the volume at its full size, after one pooling, and after two.
  const Shape full{1, 8, 16, 32, 32}, half{1, 8, 8, 16, 16}, quarter{1, 8, 4, 8, 8};
  IntArray kernel{{2, 2, 2}}, stride{{2, 2, 2}}, padding{{0, 0, 0}}, dilation{{1, 1, 1}};
  IntArray full_size{{16, 32, 32}}, half_size{{8, 16, 16}}, half_shape{{1, 8, 8, 16, 16}};
  Tensor<float> x{full, zeros<float>(full)}, pooled{half, zeros<float>(half)};
  Tensor<float> pooled_twice{quarter, zeros<float>(quarter)}, unpooled{half, zeros<float>(half)};
  Tensor<float> y{full, zeros<float>(full)};
  Tensor<int32_t> indices{half, zeros<int32_t>(half)};
  Tensor<int64_t> indices_twice{quarter, zeros<int64_t>(quarter)};
  Tensor<float> grad_y{full, zeros<float>(full)}, grad_unpooled{half, zeros<float>(half)};
  Tensor<float> grad_pooled_twice{quarter, zeros<float>(quarter)}, grad_pooled{half, zeros<float>(half)};
  Tensor<float> grad_x{full, zeros<float>(full)};
  aclrtStream stream = nullptr;
  aclrtEvent begin = nullptr, end = nullptr;
  uint64_t workspace_size = 0;
  uint64_t workspace_bytes = 0;
  void* workspace = nullptr;  // as large as any call has asked for
  aclOpExecutor* executor = nullptr;

  Step() {
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtCreateEventWithFlag(&begin, ACL_EVENT_TIME_LINE));
    CHECK(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE));
  }
  ~Step() {
    aclrtDestroyEvent(begin);
    aclrtDestroyEvent(end);
    aclrtDestroyStream(stream);
    if (workspace != nullptr) aclrtFree(workspace);
  }

  // No call is under way when another begins.
  void make_room() {
    if (workspace_size <= workspace_bytes) return;
    if (workspace != nullptr) CHECK(aclrtFree(workspace));
    CHECK(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
    workspace_bytes = workspace_size;
  }

  // Phase 2 of what phase 1 has just planned, between two events.
  void timed(const char* name, Phase2 op) {
    make_room();
    CHECK(aclrtRecordEvent(begin, stream));
    CHECK(op(workspace, workspace_size, executor, stream));
    CHECK(aclrtRecordEvent(end, stream));
    CHECK(aclrtSynchronizeStream(stream));
    float milliseconds = 0;
    CHECK(aclrtEventElapsedTime(&milliseconds, begin, end));
    std::printf("  %-18s %8.3f ms\n", name, milliseconds);
  }

  void forward() {
    CHECK(aclnnMaxPool3dWithArgmaxGetWorkspaceSize(x.handle, kernel.handle, stride.handle, padding.handle,
                                                   dilation.handle, false, pooled.handle, indices.handle,
                                                   &workspace_size, &executor));
    timed("max pool", aclnnMaxPool3dWithArgmax);
    CHECK(aclnnMaxPool3dWithArgmaxGetWorkspaceSize(
        pooled.handle, kernel.handle, stride.handle, padding.handle, dilation.handle, false,
        pooled_twice.handle, indices_twice.handle, &workspace_size, &executor));
    timed("max pool", aclnnMaxPool3dWithArgmax);
    CHECK(aclnnMaxUnpool3dGetWorkspaceSize(pooled_twice.handle, indices_twice.handle, half_size.handle,
                                           stride.handle, padding.handle, unpooled.handle, &workspace_size,
                                           &executor));
    timed("max unpool", aclnnMaxUnpool3d);
    CHECK(aclnnUpsampleNearest3dGetWorkspaceSize(unpooled.handle, full_size.handle, 2, 2, 2, y.handle,
                                                 &workspace_size, &executor));
    timed("upsample", aclnnUpsampleNearest3d);
  }

  void backward() {
    CHECK(aclnnUpsampleNearest3dBackwardGetWorkspaceSize(grad_y.handle, full_size.handle, half_shape.handle,
                                                         2, 2, 2, grad_unpooled.handle, &workspace_size,
                                                         &executor));
    timed("upsample backward", aclnnUpsampleNearest3dBackward);
    CHECK(aclnnMaxUnpool3dBackwardGetWorkspaceSize(
        grad_unpooled.handle, pooled_twice.handle, indices_twice.handle, half_size.handle, stride.handle,
        padding.handle, grad_pooled_twice.handle, &workspace_size, &executor));
    timed("unpool backward", aclnnMaxUnpool3dBackward);
    CHECK(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
        grad_pooled_twice.handle, pooled.handle, indices_twice.handle, kernel.handle, stride.handle,
        padding.handle, dilation.handle, false, grad_pooled.handle, &workspace_size, &executor));
    timed("pool backward", aclnnMaxPool3dWithArgmaxBackward);
    CHECK(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
        grad_pooled.handle, x.handle, indices.handle, kernel.handle, stride.handle, padding.handle,
        dilation.handle, false, grad_x.handle, &workspace_size, &executor));
    timed("pool backward", aclnnMaxPool3dWithArgmaxBackward);
  }
};

static std::vector<float> read(const Tensor<float>& tensor) {
  std::vector<float> values(tensor.count);
  CHECK(aclrtMemcpy(values.data(), tensor.bytes(), tensor.memory, tensor.bytes(), ACL_MEMCPY_DEVICE_TO_HOST));
  return values;
}

static void write(const Tensor<float>& tensor, const std::vector<float>& values) {
  CHECK(aclrtMemcpy(tensor.memory, tensor.bytes(), values.data(), tensor.bytes(), ACL_MEMCPY_HOST_TO_DEVICE));
}

static double loss_of(const std::vector<float>& x, const std::vector<float>& y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double distance = static_cast<double>(y[i]) - x[i];
    sum += distance * distance / 2;
  }
  return sum;
}

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  double before = 0, after = 0;
  {
    Step step;
    std::vector<float> x = zeros<float>(step.full);
    uint32_t state = 1;
    for (float& value : x) {
      state = state * 1664525 + 1013904223;
      value = static_cast<float>(state >> 8) / (1 << 24);
    }
    write(step.x, x);
    std::printf("forward\n");
    step.forward();
    const std::vector<float> y = read(step.y);
    before = loss_of(x, y);

    // The loss depends on x through y and by itself: its gradient is what comes back for y - x, less y - x.
    std::vector<float> difference(x.size());
    for (size_t i = 0; i < x.size(); ++i) difference[i] = y[i] - x[i];
    write(step.grad_y, difference);
    std::printf("backward\n");
    step.backward();
    const std::vector<float> gradient = read(step.grad_x);
    for (size_t i = 0; i < x.size(); ++i) x[i] -= 0.01F * (gradient[i] - difference[i]);
    write(step.x, x);
    std::printf("forward again\n");
    step.forward();
    after = loss_of(x, read(step.y));
  }
  std::printf("loss %.3f, after a step %.3f\n", before, after);
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return after < before ? 0 : 1;
}
