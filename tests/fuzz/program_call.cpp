#include "fuzz/program_call.h"

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "aclnnop/aclnn_ops_cv.h"
#include "aclnnop/aclnn_ops_nn.h"
#include "reference/geometry.h"

namespace fuzz {
namespace {

using reference::LayoutKind;
using reference::Random;
using reference::Sizes;
using reference::Triple;
using reference::Type;

// An input has to mean the same whatever the compiler, and those differ in which argument they compute first:
// no call below has more than one argument that takes a decision.

TensorSpec lay_out(Random& random, Type type, const Sizes& size, LayoutKind kind,
                   const std::vector<int>& axes, aclFormat format) {
  const reference::Layout layout = make_layout(random, kind, size);
  TensorSpec spec{.dims = {}, .type = api_test::to_acl(type), .format = format};
  for (const int axis : axes) {
    spec.dims.push_back(size[static_cast<std::size_t>(axis)]);
    spec.strides.push_back(layout.stride[static_cast<std::size_t>(axis)]);
  }
  spec.offset = layout.offset;
  if (random.chance(80)) spec.storage = {layout.storage};
  return spec;
}

std::vector<int> axes_of(bool flat, bool batch, bool channels_last) {
  std::vector<int> axes;
  if (batch) axes.push_back(0);
  if (!channels_last) axes.push_back(1);
  if (!flat) axes.push_back(2);
  axes.insert(axes.end(), {3, 4});
  if (channels_last) axes.push_back(1);
  return axes;
}

std::vector<std::int64_t> last_of(const Triple& values, bool flat) {
  return {values.begin() + (flat ? 1 : 0), values.end()};
}

LayoutKind layout(Random& random, bool written) {
  return written ? random_output_layout(random) : random_input_layout(random);
}

ProgramCall call_of(Operator op, Random& random) {
  ProgramCall call;
  call.op = op;
  call.forward = random.chance(50);
  return call;
}

ProgramCall sound_pool(Random& random, bool flat) {
  ProgramCall call = call_of(flat ? Operator::kMaxPool2d : Operator::kMaxPool3d, random);
  const reference::PoolGeometry geometry = reference::random_pool_geometry(random, flat, false);
  const bool channels_last = random.chance(30);
  const auto axes = axes_of(flat, geometry.n != 1 || random.chance(50), channels_last);
  const aclFormat format = !channels_last ? ACL_FORMAT_ND : flat ? ACL_FORMAT_NHWC : ACL_FORMAT_NDHWC;
  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16});
  call.grad = lay_out(random, type, geometry.out_sizes(), layout(random, call.forward), axes, format);
  const Type index_type = random.pick({Type::kInt32, Type::kInt64});
  call.indices =
      lay_out(random, index_type, geometry.out_sizes(), layout(random, call.forward), axes, format);
  call.self = lay_out(random, type, geometry.in_sizes(), random_input_layout(random), axes, format);
  call.result = lay_out(random, type, geometry.in_sizes(), random_output_layout(random), axes, format);
  call.arrays = {last_of(geometry.window.kernel, flat), last_of(geometry.window.stride, flat),
                 last_of(geometry.window.padding, flat), last_of(geometry.window.dilation, flat)};
  call.ceil_mode = geometry.ceil_mode;
  return call;
}

Triple small_triple(Random& random) {
  return {random.between(1, 6), random.between(1, 6), random.between(1, 9)};
}

ProgramCall sound_unpool(Random& random) {
  using enum Type;
  ProgramCall call = call_of(Operator::kMaxUnpool3d, random);
  const Triple size = small_triple(random);
  Triple unpooled = small_triple(random);
  for (std::size_t axis = 0; axis < 3; ++axis) unpooled[axis] += size[axis] - 1;
  const bool channels = random.chance(70);
  const std::int64_t n = random.between(0, 3);
  const std::int64_t c = channels ? random.between(1, 4) : 1;
  const auto axes = channels ? std::vector<int>{0, 1, 2, 3, 4} : std::vector<int>{0, 2, 3, 4};
  const Type type = random.pick({kFloat, kFloat16, kBf16, kDouble, kInt8, kUint8, kInt16, kInt32, kInt64});
  const Sizes pooled_sizes{n, c, size[0], size[1], size[2]};
  call.grad =
      lay_out(random, type, {n, c, unpooled[0], unpooled[1], unpooled[2]},
              call.forward ? LayoutKind::kContiguous : random_input_layout(random), axes, ACL_FORMAT_ND);
  const Type index_type = random.pick({kInt32, kInt64});
  call.indices = lay_out(random, index_type, pooled_sizes, random_input_layout(random), axes, ACL_FORMAT_ND);
  call.self = lay_out(random, type, pooled_sizes, random_input_layout(random), axes, ACL_FORMAT_ND);
  call.result = lay_out(random, type, pooled_sizes, LayoutKind::kContiguous, axes, ACL_FORMAT_ND);
  call.arrays = {{unpooled.begin(), unpooled.end()}, {1, 1, 1}, {0, 0, 0}};
  return call;
}

ProgramCall sound_upsample(Random& random) {
  ProgramCall call = call_of(Operator::kUpsample3d, random);
  const Triple in = small_triple(random);
  const Triple out = small_triple(random);
  const std::int64_t n = random.between(0, 3);
  const std::int64_t c = random.between(0, 5);
  const bool channels_last = random.chance(40);
  const auto axes = axes_of(false, true, channels_last);
  const aclFormat format = channels_last ? ACL_FORMAT_NDHWC : ACL_FORMAT_NCDHW;
  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble,
                                 call.forward ? Type::kUint8 : Type::kDouble});
  call.grad =
      lay_out(random, type, {n, c, out[0], out[1], out[2]}, layout(random, call.forward), axes, format);
  TensorSpec& small = call.forward ? call.self : call.result;
  small = lay_out(random, type, {n, c, in[0], in[1], in[2]}, layout(random, !call.forward), axes, format);
  call.arrays = {{out.begin(), out.end()}};
  if (!call.forward) call.arrays.push_back({n, c, in[0], in[1], in[2]});
  if (random.chance(40))
    for (double& scale : call.scales) scale = random.pick({0.5, 1.0, 1.5, 2.0, 3.0, 1e-30, 1e30, 0.0, -1.0});
  return call;
}

std::int64_t odd_number(Random& random, std::int64_t before) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  if (random.chance(40)) return before == kMost ? 0 : before + 1;
  if (random.chance(60)) return random.between(-2, 12);
  return random.pick<std::int64_t>({1 << 16, 1 << 20, (1LL << 31) - 1, 1LL << 31, 1LL << 32, 1LL << 40,
                                    1LL << 61, 1LL << 62, kMost - 1, kMost, kLeast, kLeast + 1,
                                    -(1LL << 32)});
}

void bend_numbers(Random& random, std::vector<std::int64_t>& numbers) {
  if (numbers.empty()) return;
  std::int64_t& number =
      numbers[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(numbers.size()) - 1))];
  number = odd_number(random, number);
}

void bend_length(Random& random, std::vector<std::int64_t>& numbers) {
  if (random.chance(50) && !numbers.empty()) {
    numbers.pop_back();
  } else if (numbers.size() < 30) {
    numbers.push_back(random.between(0, 3));
  }
}

void bend_tensor(Random& random, TensorSpec& spec) {
  switch (random.between(0, 7)) {
    case 0:
    case 1:
      return bend_numbers(random, spec.dims);
    case 2:
      return bend_numbers(random, spec.strides);
    case 3:
      spec.offset = odd_number(random, spec.offset);
      return;
    case 4:
      if (spec.storage.empty() || random.chance(30)) return bend_length(random, spec.storage);
      return bend_numbers(random, spec.storage);
    case 5:
      spec.type = static_cast<aclDataType>(random.between(-1, 45));
      return;
    case 6:
      spec.format = static_cast<aclFormat>(random.between(-1, 60));
      return;
    default:
      bend_length(random, spec.dims);
      // aclCreateTensor reads one stride a dimension.
      spec.strides.resize(random.chance(50) ? spec.dims.size() : 0, 1);
  }
}

void print(std::ostream& out, const std::vector<std::int64_t>& numbers) {
  out << "[";
  for (const std::int64_t number : numbers) out << number << " ";
  out << "]";
}

void print(std::ostream& out, const char* name, const TensorSpec& spec) {
  out << "\n  " << name << " type " << spec.type << " format " << spec.format << " dims ";
  print(out, spec.dims);
  out << " strides ";
  print(out, spec.strides);
  out << " offset " << spec.offset << " storage ";
  print(out, spec.storage);
}

}  // namespace

bool ProgramCall::channels_last() const {
  if (op == Operator::kMaxUnpool3d) return false;
  return grad.format == (op == Operator::kMaxPool2d ? ACL_FORMAT_NHWC : ACL_FORMAT_NDHWC);
}

ProgramCall sound_call(Random& random) {
  switch (random.between(0, 3)) {
    case 0:
      return sound_pool(random, true);
    case 1:
      return sound_pool(random, false);
    case 2:
      return sound_unpool(random);
    default:
      return sound_upsample(random);
  }
}

void bend(Random& random, ProgramCall& call) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (random.between(0, 5)) {
    case 0:
    case 1:
      return bend_tensor(random, *call.tensors()[static_cast<std::size_t>(random.between(0, 3))]);
    case 2:
    case 3:
      return bend_numbers(random, call.arrays[static_cast<std::size_t>(
                                      random.between(0, static_cast<std::int64_t>(call.arrays.size()) - 1))]);
    case 4:
      return bend_length(random, call.arrays[static_cast<std::size_t>(
                                     random.between(0, static_cast<std::int64_t>(call.arrays.size()) - 1))]);
    default:
      call.ceil_mode = !call.ceil_mode;
      call.scales[static_cast<std::size_t>(random.between(0, 2))] = random.pick(
          {kNan, kInfinity, -kInfinity, 0.0, -2.0, 1e-310, 1e-40, 1e38, 1e39, 1e308, 0.25, 1.0, 7.5});
  }
}

aclnnStatus phase1(const ProgramCall& call, const Arguments& arguments, std::uint64_t* workspace_size,
                   aclOpExecutor** executor) {
  const auto& [grad, self, indices, result, arrays] = arguments;
  switch (call.op) {
    case Operator::kMaxPool2d:
    case Operator::kMaxPool3d: {
      const bool flat = call.op == Operator::kMaxPool2d;
      if (call.forward) {
        const auto forward =
            flat ? aclnnMaxPool2dWithIndicesGetWorkspaceSize : aclnnMaxPool3dWithArgmaxGetWorkspaceSize;
        return forward(self, arrays[0], arrays[1], arrays[2], arrays[3], call.ceil_mode, grad, indices,
                       workspace_size, executor);
      }
      const auto backward = flat ? aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize
                                 : aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize;
      return backward(grad, self, indices, arrays[0], arrays[1], arrays[2], arrays[3], call.ceil_mode, result,
                      workspace_size, executor);
    }
    case Operator::kMaxUnpool3d:
      if (call.forward)
        return aclnnMaxUnpool3dGetWorkspaceSize(self, indices, arrays[0], arrays[1], arrays[2], grad,
                                                workspace_size, executor);
      return aclnnMaxUnpool3dBackwardGetWorkspaceSize(grad, self, indices, arrays[0], arrays[1], arrays[2],
                                                      result, workspace_size, executor);
    case Operator::kUpsample3d:
      if (call.forward)
        return aclnnUpsampleNearest3dGetWorkspaceSize(self, arrays[0], call.scales[0], call.scales[1],
                                                      call.scales[2], grad, workspace_size, executor);
      return aclnnUpsampleNearest3dBackwardGetWorkspaceSize(grad, arrays[0], arrays[1], call.scales[0],
                                                            call.scales[1], call.scales[2], result,
                                                            workspace_size, executor);
  }
  std::abort();
}

aclnnStatus phase2(const ProgramCall& call, void* workspace, std::uint64_t workspace_size,
                   aclOpExecutor* executor, aclrtStream stream) {
  using Phase2 = decltype(&aclnnMaxPool2dWithIndices);
  static constexpr Phase2 kForward[] = {aclnnMaxPool2dWithIndices, aclnnMaxPool3dWithArgmax, aclnnMaxUnpool3d,
                                        aclnnUpsampleNearest3d};
  static constexpr Phase2 kBackward[] = {aclnnMaxPool2dWithIndicesBackward, aclnnMaxPool3dWithArgmaxBackward,
                                         aclnnMaxUnpool3dBackward, aclnnUpsampleNearest3dBackward};
  const auto op = static_cast<std::size_t>(call.op);
  return (call.forward ? kForward : kBackward)[op](workspace, workspace_size, executor, stream);
}

std::string describe(const ProgramCall& call) {
  std::ostringstream text;
  text << "operator " << static_cast<int>(call.op) << (call.forward ? " forward" : " backward")
       << (call.ceil_mode ? " ceil" : "") << " arrays ";
  for (const auto& array : call.arrays) print(text, array);
  text << " scales " << call.scales[0] << " " << call.scales[1] << " " << call.scales[2];
  print(text, "grad", call.grad);
  print(text, "self", call.self);
  print(text, "indices", call.indices);
  print(text, "result", call.result);
  return text.str();
}

void fail(const ProgramCall& call, const std::string& what) {
  std::fprintf(stderr, "%s\n%s\n", what.c_str(), describe(call).c_str());
  std::abort();
}

}  // namespace fuzz
