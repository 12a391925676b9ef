#include "call.h"

#include "conformance/subjects.h"
#include "data.h"

namespace cairn::bench {
namespace {

using conformance::Argument;
using conformance::Role;

// Puts a row's arguments in the order of the function.
class Writer {
 public:
  explicit Writer(const Case& row) : row_(row) {
    const char* const gradient = row.work.op == Operator::kBicubic2dAA ? "Grad" : "Backward";
    const std::string backward = row.is_forward() ? "" : gradient;
    call_.it.subject = &conformance::subject_named("aclnn" + (operator_name(row.work.op) + backward));
  }

  Call write() {
    source();
    switch (row_.work.op) {
      case Operator::kPool2d:
      case Operator::kPool3d:
        if (!row_.is_forward()) {
          self();
          indices(Role::kInput);
        }
        for (const Shape3& values :
             {row_.work.kernel, row_.work.stride, row_.work.padding, row_.work.dilation})
          push(axes(values));
        push(row_.work.ceil_mode);
        result();
        if (row_.is_forward()) indices(Role::kOutput);
        break;
      case Operator::kAdaptiveMax2d:
      case Operator::kAdaptiveMax3d:
        if (row_.is_forward()) {
          push(axes(row_.work.out));
          result();
          indices(Role::kOutput);
          break;
        }
        self();
        indices(Role::kInput);
        result();
        break;
      case Operator::kPoolValues:
        push(axes(row_.work.kernel));
        push(axes(row_.work.stride));
        push(std::int64_t{0});
        push(axes(row_.work.padding));
        push(axes(row_.work.dilation));
        push(std::int64_t{row_.work.ceil_mode ? 1 : 0});
        result();
        call_.indices = call_.result;
        break;
      case Operator::kUnpool3d:
      case Operator::kUnpool2d:
        if (!row_.is_forward()) self();
        indices(Role::kInput);
        push(axes(row_.work.out));
        if (!row_.is_flat()) {
          for (const Shape3& values : {row_.work.stride, row_.work.padding}) push(axes(values));
        }
        result();
        break;
      case Operator::kMean3d:
      case Operator::kMean2d:
        if (!row_.is_forward()) self();
        for (const Shape3& values : {row_.work.kernel, row_.work.stride, row_.work.padding})
          push(axes(values));
        push(row_.work.ceil_mode);
        push(true);             // countIncludePad
        push(std::int64_t{0});  // divisorOverride
        if (row_.is_flat()) push(std::int8_t{0});
        result();
        call_.indices = call_.result;
        break;
      case Operator::kAdaptiveMean3d:
      case Operator::kAdaptiveMean2d:
        row_.is_forward() ? push(axes(row_.work.out)) : self();
        result();
        call_.indices = call_.result;
        break;
      case Operator::kUpsample3d:
      case Operator::kUpsample2d:
      case Operator::kUpsample1d:
      case Operator::kExact3d:
      case Operator::kExact2d:
      case Operator::kTrilinear3d:
      case Operator::kBilinear2d:
      case Operator::kLinear1d:
      case Operator::kBicubic2d:
      case Operator::kBilinear2dAA:
      case Operator::kBicubic2dAA:
        push(axes(row_.work.out));
        if (!row_.is_forward()) input_size();
        if (row_.is_filtered()) push(false);  // alignCorners
        if (has_scales()) {
          for (int axis = 0; axis < row_.spatial(); ++axis) push(0.0);
        }
        result();
        call_.indices = call_.result;
        break;
    }
    return std::move(call_);
  }

 private:
  void push(Argument argument) { call_.it.arguments.push_back(std::move(argument)); }
  void source() {
    call_.source = tensor(Role::kInput, row_.source(), row_.type);
    if (row_.work.transposed == Transposed::kSource) set_strides(row_.source(), source_strides(row_));
  }
  void input_size() {
    std::vector<std::int64_t> size = *axes(row_.work.in);
    size.insert(size.begin(), {row_.work.n, row_.work.c});
    push(conformance::ArrayArgument(size));
  }
  bool has_scales() const {
    const bool plain = row_.work.op == Operator::kUpsample2d || row_.work.op == Operator::kUpsample1d;
    return !plain || !row_.is_forward();
  }
  void self() { tensor(Role::kShape, row_.work.in, row_.type); }
  void indices(Role role) { call_.indices = tensor(role, row_.indices(), row_.index_type); }
  void result() {
    call_.result = tensor(Role::kOutput, row_.result(), row_.type);
    if (row_.work.transposed == Transposed::kResult) set_strides(row_.result(), result_strides(row_));
  }

  void set_strides(const Shape3& size, const Strides& strides) {
    auto& spec = std::get<conformance::TensorArgument>(call_.it.arguments.back()).spec;
    spec.strides = {strides.n, strides.c, strides.d, strides.h, strides.w};
    if (row_.is_flat()) spec.strides.erase(spec.strides.begin() + 2);
    spec.storage = {row_.elements(size)};
  }

  conformance::ArrayArgument axes(const Shape3& size) const {
    const std::vector<std::int64_t> all{size.d, size.h, size.w};
    return std::vector<std::int64_t>(all.end() - row_.spatial(), all.end());
  }

  std::size_t tensor(Role role, const Shape3& size, aclDataType type) {
    const bool flat = row_.is_flat();
    // Unpooling has no format with channels last, but takes any strides.
    const bool last = row_.layout == Layout::kChannelsLast && !row_.is_unpool();
    std::vector<std::int64_t> dims = *axes(size);
    dims.insert(last ? dims.end() : dims.begin(), row_.work.c);
    dims.insert(dims.begin(), row_.work.n);
    aclFormat format =
        flat ? (last ? ACL_FORMAT_NHWC : ACL_FORMAT_NCHW) : (last ? ACL_FORMAT_NDHWC : ACL_FORMAT_NCDHW);
    if (row_.is_line()) format = ACL_FORMAT_NCL;
    push(conformance::TensorArgument{role, {.dims = dims, .type = type, .format = format, .storage = dims}});
    if (row_.is_unpool() && row_.layout == Layout::kChannelsLast) set_strides(size, strides_of(row_, size));
    return call_.it.arguments.size() - 1;
  }

  const Case& row_;
  Call call_;
};

}  // namespace

Call call_of(const Case& row) { return Writer(row).write(); }

}  // namespace cairn::bench
