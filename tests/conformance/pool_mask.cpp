#include "conformance/pool_mask.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace conformance {
namespace {

std::int64_t bytes_of(std::int64_t windows) { return ((windows + 15) / 16 + 1) * 32; }

}  // namespace

bool has_mask(const Subject& subject) {
  return std::string_view(subject.name).find("WithMask") != std::string_view::npos;
}

PoolGeometry random_mask_geometry(Random& random, int spatial, Extent extent) {
  PoolGeometry it = random_pool_geometry(random, spatial, extent);
  if (random.chance(20)) {
    it.window.kernel = {1, 1, 1};
    it.window.padding = {0, 0, 0};
    it.derive_out();
  }
  const std::int64_t most = extent == Extent::kSmall ? 1 << 18 : 1 << 25;
  const auto& kernel = it.window.kernel;
  const std::int64_t plane = kernel[1] * kernel[2] * bytes_of(it.out[1] * it.out[2]);
  it.c = std::max<std::int64_t>(std::min(it.c, most / plane), 1);
  it.n = std::max<std::int64_t>(std::min(it.n, most / plane / it.c), it.n == 0 ? 0 : 1);
  return it;
}

TensorArgument draw_mask(Random& random, const Draft& draft, Role role, const PoolGeometry& geometry) {
  const auto& kernel = geometry.window.kernel;
  TensorArgument mask = draft.tensor(
      role, reference::Type::kInt8,
      {geometry.n, geometry.c, 1, kernel[1] * kernel[2], bytes_of(geometry.out[1] * geometry.out[2])},
      reference::LayoutKind::kContiguous, draft.format());
  // Mostly where a number may begin.
  if (random.chance(80)) mask.spec.offset -= mask.spec.offset % 4;
  return mask;
}

View positions_of(const Case& it, const View& indices, const View& windows) {
  if (!has_mask(*it.subject)) return indices;
  const Sizes& size = windows.size;
  const std::int64_t row = size[4];
  const std::int64_t slice = size[3] * row;
  const std::int64_t plane = size[2] * slice;
  return {indices.origin, reference::Type::kInt32, size, {size[1] * plane, plane, slice, row, 1}};
}

bool has_single_taps(const Case& it, const reference::Window& window) {
  return has_mask(*it.subject) && window.kernel == Triple{1, 1, 1};
}

void set_ones(const View& mask, const View& windows) {
  const std::int64_t block = bytes_of(windows.plane());
  const std::int64_t blocks = windows.size[0] * ((windows.size[1] + 15) / 16);
  for (std::int64_t i = 0; i < blocks; ++i)
    std::memset(mask.origin + i * block, 0xff, static_cast<std::size_t>(block - 32));
}

cairn::DataType plan_index_type(const Case& it, const View& indices, const reference::Window& window) {
  if (!has_mask(*it.subject)) return to_kernel(indices.type);
  return has_single_taps(it, window) ? cairn::DataType::kInt8 : cairn::DataType::kInt32;
}

cairn::View5 plan_indices(const Case& it, std::size_t i, const View& indices, const View& windows) {
  if (!has_mask(*it.subject)) return kernel_view(it, i, indices);
  const View front = positions_of(it, indices, windows);
  const auto& stride = front.stride;
  const cairn::View5 view{front.origin, stride[0], stride[1], stride[2], stride[3], stride[4], 0};
  return counted_strides(view, front.size[0], front.size[1], to_kernel(plane_of(front)));
}

}  // namespace conformance
