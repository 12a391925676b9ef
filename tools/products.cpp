#include "product/product.h"
#include "verbs.h"

namespace cairn::tool {
int show_products() { return 0; }
}  // namespace cairn::tool
