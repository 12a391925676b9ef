#include "ops/catalogue.h"

#include <vector>

// Each family's own list is in its folder's operators.cpp.
#define CAIRN_FAMILY(family)                    \
  namespace cairn::family {                     \
  std::span<const Operator* const> operators(); \
  }
#include "ops/families.def"
#undef CAIRN_FAMILY

namespace cairn {

std::span<const Operator* const> catalogue() {
  static const std::vector<const Operator*> all = [] {
    std::vector<const Operator*> result;
#define CAIRN_FAMILY(family) \
  for (const Operator* op : family::operators()) result.push_back(op);
#include "ops/families.def"
#undef CAIRN_FAMILY
    return result;
  }();
  return all;
}

const Operator* find_operator(std::string_view name) {
  for (const Operator* op : catalogue()) {
    if (name == op->name) return op;
  }
  return nullptr;
}

}  // namespace cairn
