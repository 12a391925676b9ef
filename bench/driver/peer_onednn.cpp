#include "contender.h"

#ifdef CAIRN_BENCH_ONEDNN

#include <omp.h>

#include <cstring>
#include <deque>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "data.h"
#include "pages.h"

namespace cairn::bench {
namespace {

using dnnl::memory;

memory::data_type onednn_type(aclDataType type) {
  return type == ACL_BF16 ? memory::data_type::bf16 : memory::data_type::f32;
}

memory::desc describe(const Case& row, Shape3 size) {
  const bool last = row.layout == Layout::kChannelsLast;
  if (row.is_flat()) {
    return {{row.work.n, row.work.c, size.h, size.w},
            onednn_type(row.type),
            last ? memory::format_tag::nhwc : memory::format_tag::nchw};
  }
  return {{row.work.n, row.work.c, size.d, size.h, size.w},
          onednn_type(row.type),
          last ? memory::format_tag::ndhwc : memory::format_tag::ncdhw};
}

memory::dims axes(const Case& row, Shape3 size) {
  if (row.is_flat()) return {size.h, size.w};
  return {size.d, size.h, size.w};
}

class OneDnn final : public Contender {
 public:
  OneDnn(const Case& row, const HostData& data)
      : row_(row), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    source_ = place(describe(row, row.source()));
    result_ = place(describe(row, row.result()));
    std::memcpy(source_.get_data_handle(), data.values.data(), data.values.size());
    if (row.work.op == Operator::kUpsample3d) {
      make_resampling(row);
    } else {
      make_pooling(row);
    }
    arguments_.insert({row.is_forward() ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST, source_});
    arguments_.insert({row.is_forward() ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC, result_});
  }

  const char* name() const override { return "oneDNN"; }
  // Backward, its argmax comes from its own forward pass over its own data; where uneven upsampling looks is
  // its own rule.
  bool same_definition() const override {
    const Workload& work = row_.work;
    const bool even =
        work.out.d % work.in.d == 0 && work.out.h % work.in.h == 0 && work.out.w % work.in.w == 0;
    return row_.is_forward() && (even || work.op != Operator::kUpsample3d);
  }

  void run() override {
    primitive_.execute(stream_, arguments_);
    stream_.wait();
  }

  // Its positions have a format of their own.
  Result result() override {
    const auto* bytes = static_cast<const std::byte*>(result_.get_data_handle());
    return {{bytes, bytes + result_.get_desc().get_size()}, {}};
  }

 private:
  memory place(const memory::desc& desc) {
    pages_.emplace_back(desc.get_size());
    return {desc, engine_, pages_.back().data()};
  }

  void make_pooling(const Case& row) {
    const memory::desc in = describe(row, row.work.in);
    const memory::desc out = describe(row, row.work.out);
    const auto padding = axes(row, row.work.padding);
    auto dilation = axes(row, row.work.dilation);  // it counts the cells left out
    for (auto& cells : dilation) --cells;
    const dnnl::pooling_v2_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, dnnl::algorithm::pooling_max, in, out, axes(row, row.work.stride),
         axes(row, row.work.kernel), dilation, padding, padding},
        engine_);
    memory workspace = place(forward.workspace_desc());
    arguments_.insert({DNNL_ARG_WORKSPACE, workspace});
    if (row.is_forward()) {
      primitive_ = dnnl::pooling_v2_forward(forward);
      return;
    }
    const dnnl::pooling_v2_backward::primitive_desc backward(
        {dnnl::algorithm::pooling_max, in, out, axes(row, row.work.stride), axes(row, row.work.kernel),
         dilation, padding, padding},
        engine_, forward);
    memory source(in, engine_);
    fill_source(row, source);
    memory output(out, engine_);
    dnnl::pooling_v2_forward(forward).execute(
        stream_, {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, output}, {DNNL_ARG_WORKSPACE, workspace}});
    stream_.wait();
    primitive_ = dnnl::pooling_v2_backward(backward);
  }

  void make_resampling(const Case& row) {
    const memory::desc in = describe(row, row.work.in);
    const memory::desc out = describe(row, row.work.out);
    const std::vector<float> factors{static_cast<float>(row.work.out.d) / static_cast<float>(row.work.in.d),
                                     static_cast<float>(row.work.out.h) / static_cast<float>(row.work.in.h),
                                     static_cast<float>(row.work.out.w) / static_cast<float>(row.work.in.w)};
    const dnnl::resampling_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, dnnl::algorithm::resampling_nearest, factors, in, out}, engine_);
    if (row.is_forward()) {
      primitive_ = dnnl::resampling_forward(forward);
      return;
    }
    const dnnl::resampling_backward::primitive_desc backward(
        {dnnl::algorithm::resampling_nearest, factors, in, out}, engine_, forward);
    primitive_ = dnnl::resampling_backward(backward);
  }

  // Distinct pseudo-random values, so that its argmax is spread as ours is.
  static void fill_source(const Case& row, memory& source) {
    auto* bytes = static_cast<std::byte*>(source.get_data_handle());
    std::uint32_t state = 12345;
    const auto size = static_cast<std::size_t>(size_of(row.type));
    for (std::size_t i = 0; i < source.get_desc().get_size() / size; ++i) {
      state = state * 1664525U + 1013904223U;
      const std::uint32_t bits = 0x3F800000U | (state >> 9);
      std::memcpy(bytes + i * size, reinterpret_cast<const std::byte*>(&bits) + (4 - size), size);
    }
  }

  Case row_;
  std::deque<Pages> pages_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  memory source_;
  memory result_;
  dnnl::primitive primitive_;
  std::unordered_map<int, memory> arguments_;
};

}  // namespace

const bool kHasOneDnn = true;

std::unique_ptr<Contender> make_onednn(const Case& row, const HostData& data, int threads) {
  if (row.is_unpool() || row.is_mean() || (row.is_upsample() && row.work.op != Operator::kUpsample3d) ||
      (row.type != ACL_FLOAT && row.type != ACL_BF16))
    return nullptr;
  // It takes contiguous tensors and its own positions, and pads a last window by a rule of its own.
  if (row.work.transposed != Transposed::kNone || row.work.indices != Indices::kArgmax || row.work.ceil_mode)
    return nullptr;
  if (row.has_huge_windows()) return nullptr;  // four times as long as the plain loop
  omp_set_num_threads(threads);
  try {
    return std::make_unique<OneDnn>(row, data);
  } catch (const dnnl::error&) {
    return nullptr;  // it has no such kernel on this CPU
  }
}

}  // namespace cairn::bench

#else

namespace cairn::bench {
const bool kHasOneDnn = false;
std::unique_ptr<Contender> make_onednn(const Case&, const HostData&, int) { return nullptr; }
}  // namespace cairn::bench

#endif
