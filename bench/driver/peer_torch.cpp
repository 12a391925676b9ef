#include "contender.h"

#ifdef CAIRN_BENCH_TORCH

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/api/include/torch/version.h>

#include <cstring>
#include <deque>

#include "data.h"
#include "pages.h"

namespace cairn::bench {
namespace {

at::ScalarType torch_type(aclDataType type) {
  switch (type) {
    case ACL_FLOAT16:
      return at::kHalf;
    case ACL_BF16:
      return at::kBFloat16;
    case ACL_DOUBLE:
      return at::kDouble;
    case ACL_INT8:
      return at::kChar;
    case ACL_UINT8:
      return at::kByte;
    case ACL_INT16:
      return at::kShort;
    case ACL_INT32:
      return at::kInt;
    case ACL_INT64:
      return at::kLong;
    default:
      return at::kFloat;
  }
}

// Sizes in torch's own axis order; the memory order is in the strides.
at::Tensor make(const Case& row, Shape3 size, const Strides& stride, at::ScalarType type, const void* bytes,
                std::deque<Pages>& memory) {
  std::vector<std::int64_t> sizes{row.work.n, row.work.c, size.d, size.h, size.w};
  std::vector<std::int64_t> strides{stride.n, stride.c, stride.d, stride.h, stride.w};
  const auto missing = 3 - row.spatial();
  sizes.erase(sizes.begin() + 2, sizes.begin() + 2 + missing);
  strides.erase(strides.begin() + 2, strides.begin() + 2 + missing);
  const std::size_t length = static_cast<std::size_t>(row.elements(size)) * c10::elementSize(type);
  memory.emplace_back(length);
  if (bytes != nullptr) std::memcpy(memory.back().data(), bytes, length);
  return at::from_blob(memory.back().data(), sizes, strides, at::TensorOptions().dtype(type));
}

at::Tensor make(const Case& row, Shape3 size, at::ScalarType type, const void* bytes,
                std::deque<Pages>& memory) {
  return make(row, size, strides_of(row, size), type, bytes, memory);
}

class Torch final : public Contender {
 public:
  Torch(const Case& row, const HostData& data)
      : row_(row),
        source_(
            make(row, row.source(), source_strides(row), torch_type(row.type), data.values.data(), memory_)),
        result_(make(row, row.result(), result_strides(row), torch_type(row.type), nullptr, memory_)) {
    if (row.is_mean() && !row.is_forward())
      self_ = make(row, row.work.in, torch_type(row.type), nullptr, memory_);
    if (row.index_type == ACL_DT_UNDEFINED) return;
    indices_ =
        make(row, row.indices(), at::kLong, row.makes_indices() ? nullptr : data.positions->data(), memory_);
    if (!row.is_unpool() && !row.is_forward())
      self_ = make(row, row.work.in, torch_type(row.type), nullptr, memory_);
  }

  const char* name() const override { return "libtorch"; }
  // Half types are added in their own precision there, uneven upsampling follows another rule on a CPU,
  // weights are rounded on the way, and of several values for one cell any may win.
  bool same_definition() const override {
    const Workload& work = row_.work;
    if (row_.is_filtered() || row_.is_mean()) return false;
    // 1.13 keeps these indices in BF16 for a while, which 423 becomes 424 in.
    if (TORCH_VERSION_MAJOR < 2 && is_adaptive(work.op) && row_.type == ACL_BF16) return false;
    if (row_.is_unpool() && row_.is_forward() && work.indices == Indices::kAnywhere) return false;
    const bool even =
        work.out.d % work.in.d == 0 && work.out.h % work.in.h == 0 && work.out.w % work.in.w == 0;
    if (row_.is_upsample() && !even) return false;
    return row_.is_forward() || row_.is_unpool() || row_.type == ACL_FLOAT || row_.type == ACL_DOUBLE;
  }

  void run() override { row_.is_forward() ? run_forward() : run_backward(); }

  Result result() override {
    Result result{bytes_of(result_), {}};
    if (!row_.makes_indices()) return result;
    const auto* positions = static_cast<const std::int64_t*>(indices_.data_ptr());
    result.indices = narrow_indices({positions, positions + indices_.numel()}, row_.index_type);
    return result;
  }

 private:
  void run_forward() {
    const Workload& work = row_.work;
    switch (work.op) {
      case Operator::kPool3d:
        at::max_pool3d_with_indices_out(result_, indices_, source_, axes(work.kernel), axes(work.stride),
                                        axes(work.padding), axes(work.dilation), work.ceil_mode);
        break;
      case Operator::kPool2d:
        at::max_pool2d_with_indices_out(result_, indices_, source_, {work.kernel.h, work.kernel.w},
                                        {work.stride.h, work.stride.w}, {work.padding.h, work.padding.w},
                                        {work.dilation.h, work.dilation.w}, work.ceil_mode);
        break;
      case Operator::kAdaptiveMax3d:
        at::adaptive_max_pool3d_out(result_, indices_, source_, axes(work.out));
        break;
      case Operator::kAdaptiveMax2d:
        at::adaptive_max_pool2d_out(result_, indices_, source_, {work.out.h, work.out.w});
        break;
      case Operator::kPoolValues:
        result_.copy_(at::max_pool2d(source_, {work.kernel.h, work.kernel.w}, {work.stride.h, work.stride.w},
                                     {work.padding.h, work.padding.w}, {work.dilation.h, work.dilation.w},
                                     work.ceil_mode));
        break;
      case Operator::kUnpool3d:
        at::max_unpool3d_out(result_, source_, indices_, axes(work.out), axes(work.stride),
                             axes(work.padding));
        break;
      case Operator::kUnpool2d:
        if (work.transposed == Transposed::kResult) {
          result_.copy_(at::max_unpool2d(source_, indices_, {work.out.h, work.out.w}));
          break;
        }
        at::max_unpool2d_out(result_, source_, indices_, {work.out.h, work.out.w});
        break;
      case Operator::kMean3d:
        at::avg_pool3d_out(result_, source_, axes(work.kernel), axes(work.stride), axes(work.padding),
                           work.ceil_mode);
        break;
      case Operator::kMean2d:
        at::avg_pool2d_out(result_, source_, {work.kernel.h, work.kernel.w}, {work.stride.h, work.stride.w},
                           {work.padding.h, work.padding.w}, work.ceil_mode);
        break;
      case Operator::kAdaptiveMean3d:
        at::adaptive_avg_pool3d_out(result_, source_, axes(work.out));
        break;
      case Operator::kAdaptiveMean2d:
        at::adaptive_avg_pool2d_out(result_, source_, {work.out.h, work.out.w});
        break;
      case Operator::kUpsample3d:
        at::upsample_nearest3d_out(result_, source_, axes(work.out));
        break;
      case Operator::kUpsample2d:
        at::upsample_nearest2d_out(result_, source_, {work.out.h, work.out.w});
        break;
      case Operator::kUpsample1d:
        at::upsample_nearest1d_out(result_, source_, {work.out.w});
        break;
      case Operator::kExact3d:
        at::_upsample_nearest_exact3d_out(result_, source_, axes(work.out));
        break;
      case Operator::kExact2d:
        at::_upsample_nearest_exact2d_out(result_, source_, {work.out.h, work.out.w});
        break;
      case Operator::kTrilinear3d:
        at::upsample_trilinear3d_out(result_, source_, axes(work.out), false);
        break;
      case Operator::kBilinear2d:
        at::upsample_bilinear2d_out(result_, source_, {work.out.h, work.out.w}, false);
        break;
      case Operator::kLinear1d:
        at::upsample_linear1d_out(result_, source_, {work.out.w}, false);
        break;
      case Operator::kBicubic2d:
        at::upsample_bicubic2d_out(result_, source_, {work.out.h, work.out.w}, false);
        break;
      case Operator::kBilinear2dAA:
        at::_upsample_bilinear2d_aa_out(result_, source_, {work.out.h, work.out.w}, false);
        break;
      case Operator::kBicubic2dAA:
        at::_upsample_bicubic2d_aa_out(result_, source_, {work.out.h, work.out.w}, false);
        break;
    }
  }

  void run_backward() {
    const Workload& work = row_.work;
    switch (work.op) {
      case Operator::kPool3d:
        at::max_pool3d_with_indices_backward_out(result_, source_, self_, axes(work.kernel),
                                                 axes(work.stride), axes(work.padding), axes(work.dilation),
                                                 work.ceil_mode, indices_);
        break;
      case Operator::kPool2d:
        at::max_pool2d_with_indices_backward_out(
            result_, source_, self_, {work.kernel.h, work.kernel.w}, {work.stride.h, work.stride.w},
            {work.padding.h, work.padding.w}, {work.dilation.h, work.dilation.w}, work.ceil_mode, indices_);
        break;
      case Operator::kAdaptiveMax3d:
        at::adaptive_max_pool3d_backward_out(result_, source_, self_, indices_);
        break;
      case Operator::kAdaptiveMax2d:
        at::adaptive_max_pool2d_backward_out(result_, source_, self_, indices_);
        break;
      case Operator::kPoolValues:
        break;
      case Operator::kUnpool3d:
      case Operator::kUnpool2d: {
        if (work.transposed == Transposed::kResult) {
          result_.copy_(at::gather(source_.flatten(2), 2, indices_.flatten(2)).view(result_.sizes()));
          break;
        }
        at::Tensor flat_result = result_.flatten(2);
        at::gather_out(flat_result, source_.flatten(2), 2, indices_.flatten(2));
        break;
      }
      case Operator::kMean3d:
        at::avg_pool3d_backward_out(result_, source_, self_, axes(work.kernel), axes(work.stride),
                                    axes(work.padding), work.ceil_mode, true, {});
        break;
      case Operator::kMean2d:
        at::avg_pool2d_backward_out(result_, source_, self_, {work.kernel.h, work.kernel.w},
                                    {work.stride.h, work.stride.w}, {work.padding.h, work.padding.w},
                                    work.ceil_mode, true, {});
        break;
      case Operator::kAdaptiveMean3d:
        at::adaptive_avg_pool3d_backward_out(result_, source_, self_);
        break;
      case Operator::kAdaptiveMean2d:
        result_.copy_(at::_adaptive_avg_pool2d_backward(source_, self_));
        break;
      case Operator::kUpsample3d:
        at::upsample_nearest3d_backward_out(result_, source_, axes(work.out),
                                            {work.n, work.c, work.in.d, work.in.h, work.in.w});
        break;
      case Operator::kUpsample2d:
        at::upsample_nearest2d_backward_out(result_, source_, {work.out.h, work.out.w},
                                            {work.n, work.c, work.in.h, work.in.w});
        break;
      case Operator::kUpsample1d:
        at::upsample_nearest1d_backward_out(result_, source_, {work.out.w}, {work.n, work.c, work.in.w});
        break;
      case Operator::kExact3d:
        at::_upsample_nearest_exact3d_backward_out(result_, source_, axes(work.out),
                                                   {work.n, work.c, work.in.d, work.in.h, work.in.w});
        break;
      case Operator::kExact2d:
        at::_upsample_nearest_exact2d_backward_out(result_, source_, {work.out.h, work.out.w},
                                                   {work.n, work.c, work.in.h, work.in.w});
        break;
      case Operator::kTrilinear3d:
        at::upsample_trilinear3d_backward_out(result_, source_, axes(work.out),
                                              {work.n, work.c, work.in.d, work.in.h, work.in.w}, false);
        break;
      case Operator::kBilinear2d:
        at::upsample_bilinear2d_backward_out(result_, source_, {work.out.h, work.out.w},
                                             {work.n, work.c, work.in.h, work.in.w}, false);
        break;
      case Operator::kLinear1d:
        at::upsample_linear1d_backward_out(result_, source_, {work.out.w}, {work.n, work.c, work.in.w},
                                           false);
        break;
      case Operator::kBicubic2d:
        at::upsample_bicubic2d_backward_out(result_, source_, {work.out.h, work.out.w},
                                            {work.n, work.c, work.in.h, work.in.w}, false);
        break;
      case Operator::kBilinear2dAA:
        at::_upsample_bilinear2d_aa_backward_out(result_, source_, {work.out.h, work.out.w},
                                                 {work.n, work.c, work.in.h, work.in.w}, false);
        break;
      case Operator::kBicubic2dAA:
        at::_upsample_bicubic2d_aa_backward_out(result_, source_, {work.out.h, work.out.w},
                                                {work.n, work.c, work.in.h, work.in.w}, false);
        break;
    }
  }

  static std::vector<std::byte> bytes_of(const at::Tensor& tensor) {
    const auto* bytes = static_cast<const std::byte*>(tensor.data_ptr());
    return {bytes, bytes + tensor.nbytes()};
  }
  static std::array<std::int64_t, 3> axes(Shape3 size) { return {size.d, size.h, size.w}; }

  Case row_;
  std::deque<Pages> memory_;
  at::Tensor source_;
  at::Tensor result_;
  at::Tensor indices_;
  at::Tensor self_;
};

}  // namespace

const bool kHasTorch = true;

std::unique_ptr<Contender> make_torch(const Case& row, const HostData& data, int threads) {
  at::set_num_threads(threads);
  try {
    auto peer = std::make_unique<Torch>(row, data);
    peer->run();
    return peer;
  } catch (const c10::Error&) {
    return nullptr;  // no kernel for this type on a CPU
  }
}

}  // namespace cairn::bench

#else

namespace cairn::bench {
const bool kHasTorch = false;
std::unique_ptr<Contender> make_torch(const Case&, const HostData&, int) { return nullptr; }
}  // namespace cairn::bench

#endif
