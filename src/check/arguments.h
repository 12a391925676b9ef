#pragma once

#include <string_view>

#include "observe/values.h"

namespace cairn::check {

// Calls visit(name, value) for each argument until it answers false.
template <typename Visit>
void for_each_argument(const ApiCall& call, Visit visit) {
  std::string_view names = call.names;
  for (const ApiValue& value : call.values) {
    const std::size_t comma = names.find(',');
    if (!visit(names.substr(0, comma), value)) return;
    names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 2);
  }
}

// Null when the call has none of that name.
inline const ApiValue* find_argument(const ApiCall& call, std::string_view wanted) {
  const ApiValue* found = nullptr;
  for_each_argument(call, [&](std::string_view name, const ApiValue& value) {
    if (name == wanted) found = &value;
    return found == nullptr;
  });
  return found;
}

}  // namespace cairn::check
