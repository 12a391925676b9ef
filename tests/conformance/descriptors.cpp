#include "conformance/descriptors.h"

namespace conformance {

Descriptors::Descriptors(const Case& it, std::span<void* const> addresses) : subject_(*it.subject) {
  for (std::size_t i = 0; i < it.arguments.size(); ++i) {
    if (const auto* tensor = std::get_if<TensorArgument>(&it.arguments[i])) {
      const bool given = tensor->role != Role::kAbsent;
      if (given) tensors_.emplace_back(tensor->spec, addresses[i]);
      values_.emplace_back(given ? static_cast<aclTensor*>(tensors_.back()) : nullptr);
    } else if (const auto* array = std::get_if<ArrayArgument>(&it.arguments[i])) {
      if (*array) arrays_.emplace_back(**array);
      values_.emplace_back(*array ? static_cast<aclIntArray*>(arrays_.back()) : nullptr);
    } else if (const auto* floats = std::get_if<FloatArrayArgument>(&it.arguments[i])) {
      values_.emplace_back(static_cast<aclFloatArray*>(float_arrays_.emplace_back(*floats)));
    } else if (const auto* text = std::get_if<std::string>(&it.arguments[i])) {
      values_.emplace_back(texts_.emplace_back(*text).data());
    } else {
      std::visit(
          [this](const auto& value) {
            if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>)
              values_.emplace_back(value);
          },
          it.arguments[i]);
    }
  }
}

}  // namespace conformance
