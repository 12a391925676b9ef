#include "conformance/case.h"

#include <sstream>

namespace conformance {
namespace {

// What an argument looks like in a message.
struct Printer {
  std::ostream& out;

  void operator()(const TensorArgument& argument) const {
    static constexpr const char* kRoles[] = {"in", "shape of", "out", "no"};
    const TensorSpec& spec = argument.spec;
    out << kRoles[static_cast<int>(argument.role)] << " tensor";
    if (argument.role == Role::kAbsent) return;
    const std::optional<reference::Type> type = api_test::reference_type(spec.type);
    out << " " << (type ? name_of(*type) : std::to_string(spec.type).c_str()) << " format " << spec.format
        << " dims ";
    (*this)(ArrayArgument(spec.dims));
    out << " strides ";
    (*this)(ArrayArgument(spec.strides));
    out << " offset " << spec.offset << " storage ";
    (*this)(ArrayArgument(spec.storage));
  }
  void operator()(const ArrayArgument& argument) const {
    if (!argument) {
      out << "null";
      return;
    }
    const char* separator = "[";
    for (const std::int64_t value : *argument) out << std::exchange(separator, ",") << value;
    out << (argument->empty() ? "[]" : "]");
  }
  void operator()(const FloatArrayArgument& argument) const {
    const char* separator = "[";
    for (const float value : argument) out << std::exchange(separator, ",") << value;
    out << (argument.empty() ? "[]" : "]");
  }
  void operator()(const std::string& text) const { out << '"' << text << '"'; }
  void operator()(std::int8_t value) const { out << static_cast<int>(value); }
  template <typename Number>
  void operator()(Number value) const {
    out << value;
  }
};

}  // namespace

Case random_case(const Subject& subject, Random& random, Extent extent) {
  return subject.cases->random(subject, random, extent);
}

bool channels_last(const Case& it) {
  if (it.subject->cases->axes == Axes::kBatchFirst) return false;
  for (const Argument& argument : it.arguments) {
    const auto* tensor = std::get_if<TensorArgument>(&argument);
    if (tensor == nullptr) continue;
    if (it.subject->spatial == 1) return false;
    return tensor->spec.format == (it.subject->spatial == 2 ? ACL_FORMAT_NHWC : ACL_FORMAT_NDHWC);
  }
  return false;
}

std::vector<int> axes_of(const Subject& subject, std::size_t rank, bool channels_last) {
  const auto spatial = static_cast<std::size_t>(subject.spatial);
  const bool image = subject.cases->axes == Axes::kImage;
  std::vector<int> axes;
  if (!image || rank == spatial + 2) axes.push_back(0);
  if (image ? !channels_last : rank == spatial + 2) axes.push_back(1);
  for (int axis = 5 - subject.spatial; axis < 5; ++axis) axes.push_back(axis);
  if (image && channels_last) axes.push_back(1);
  return axes;
}

std::vector<std::int64_t> strides_of(const TensorSpec& spec) {
  if (!spec.strides.empty()) return spec.strides;
  std::vector<std::int64_t> strides(spec.dims.size());
  std::int64_t next = 1;
  for (std::size_t i = spec.dims.size(); i-- > 0;) {
    strides[i] = next;
    if (__builtin_mul_overflow(next, spec.dims[i], &next)) next = 0;
  }
  return strides;
}

std::int64_t storage_of(const TensorSpec& spec) {
  if (!spec.storage.empty()) {
    std::int64_t elements = 1;
    for (const std::int64_t size : spec.storage) elements *= size;
    return elements;
  }
  const std::vector<std::int64_t> strides = strides_of(spec);
  std::int64_t last = spec.offset;
  for (std::size_t i = 0; i < spec.dims.size(); ++i) {
    if (spec.dims[i] == 0) return 0;
    last += (spec.dims[i] - 1) * strides[i];
  }
  return last + 1;
}

View view_of(const Case& it, std::size_t i, unsigned char* storage) {
  const TensorSpec& spec = it.tensor(i);
  const reference::Type type = api_test::reference_type(spec.type).value();
  const std::vector<int> axes = axes_of(*it.subject, spec.dims.size(), channels_last(it));
  const std::vector<std::int64_t> strides = strides_of(spec);
  View view{storage, type, {1, 1, 1, 1, 1}, {}};
  for (std::size_t k = 0; k < axes.size(); ++k) {
    view.size[static_cast<std::size_t>(axes[k])] = spec.dims[k];
    view.stride[static_cast<std::size_t>(axes[k])] = strides[k];
  }
  // An empty view may have any offset, and one without memory has none.
  if (storage != nullptr && view.count() > 0) view.origin += spec.offset * size_of(type);
  return view;
}

cairn::View5 kernel_view(const Case& it, std::size_t i, const View& view) {
  // The offset is already in the address; a kernel that adds it again is wrong.
  const cairn::View5 all{view.origin,    view.stride[0], view.stride[1],     view.stride[2],
                         view.stride[3], view.stride[4], it.tensor(i).offset};
  return counted_strides(all, view.size[0], view.size[1], to_kernel(plane_of(view)));
}

reference::Triple plane_of(const View& view) { return {view.size[2], view.size[3], view.size[4]}; }

cairn::Size3 to_kernel(const reference::Triple& size) { return {size[0], size[1], size[2]}; }

// CANN's values are the kernels', too.
cairn::DataType to_kernel(reference::Type type) {
  return static_cast<cairn::DataType>(api_test::to_acl(type));
}

std::string describe(const Case& it) {
  std::ostringstream text;
  text.precision(17);
  text << it.subject->name << ", indices " << name_of(it.indices) << ", values "
       << static_cast<int>(it.values);
  for (const Argument& argument : it.arguments) {
    text << "\n  ";
    std::visit(Printer{text}, argument);
  }
  return text.str();
}

}  // namespace conformance
