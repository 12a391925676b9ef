#include "conformance/draft.h"

#include <algorithm>

namespace conformance {

using reference::LayoutKind;

Draft::Draft(const Subject& subject, Random& random, bool whole, bool channels_last)
    : subject_(subject),
      random_(random),
      channels_last_(channels_last && subject.cases->axes == Axes::kImage && subject.spatial > 1),
      axes_(axes_of(subject, static_cast<std::size_t>(subject.spatial) + (whole ? 2 : 1), channels_last_)) {}

aclFormat Draft::format() const {
  if (channels_last_) return subject_.spatial == 2 ? ACL_FORMAT_NHWC : ACL_FORMAT_NDHWC;
  return random_.pick({ACL_FORMAT_ND, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW, ACL_FORMAT_NCL, ACL_FORMAT_HWCN,
                       subject_.spatial == 2 ? ACL_FORMAT_NDHWC : ACL_FORMAT_NHWC});
}

TensorArgument Draft::tensor(Role role, reference::Type type, const reference::Sizes& size, LayoutKind kind,
                             aclFormat format) const {
  reference::Layout layout = make_layout(random_, kind, size);
  // Kernels that move packs want them to begin where packs do.
  if (random_.chance(60)) layout.offset -= layout.offset % 16;
  TensorSpec spec{.dims = {}, .type = api_test::to_acl(type), .format = format};
  for (const int axis : axes_) {
    spec.dims.push_back(size[static_cast<std::size_t>(axis)]);
    spec.strides.push_back(layout.stride[static_cast<std::size_t>(axis)]);
  }
  std::int64_t next = 1;
  bool contiguous = true;
  for (std::size_t i = spec.dims.size(); i-- > 0;) {
    contiguous = contiguous && (spec.dims[i] == 1 || spec.strides[i] == next);
    next *= spec.dims[i];
  }
  if (contiguous && random_.chance(40)) spec.strides.clear();
  spec.offset = layout.offset;
  if (random_.chance(70)) spec.storage = {layout.storage};
  return {role, std::move(spec)};
}

ArrayArgument Draft::array(const reference::Triple& values, bool short_form) const {
  const std::vector<std::int64_t> all(values.end() - subject_.spatial, values.end());
  const bool same = std::equal(all.begin() + 1, all.end(), all.begin());
  if (short_form && same && random_.chance(50)) return std::vector<std::int64_t>{all[0]};
  return all;
}

Layouts draw_layouts(Random& random) {
  Layouts layouts{};
  layouts.from = random_input_layout(random);
  layouts.to = random_output_layout(random);
  if (random.chance(60)) {
    layouts.from = random.chance(60) ? LayoutKind::kContiguous : LayoutKind::kChannelsLast;
    layouts.to = layouts.from;
  }
  layouts.channels_last = random.chance(layouts.to == LayoutKind::kChannelsLast ? 70 : 15);
  return layouts;
}

reference::Triple on_axes(const Subject& subject, const std::vector<std::int64_t>& values,
                          std::int64_t missing) {
  reference::Triple result{missing, missing, missing};
  const auto spatial = static_cast<std::size_t>(subject.spatial);
  for (std::size_t i = 0; i < spatial; ++i)
    result[3 - spatial + i] = values.size() == 1 ? values[0] : values[i];
  return result;
}

}  // namespace conformance
