#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/catalogue.h"
#include "product/product.h"
#include "table.h"
#include "verbs.h"

namespace cairn::tool {
namespace {

struct Column {
  const char* heading;
  std::function<bool(const Support&)> concerns;  // the column is shown when it does for some product
  std::function<std::string(const Support&)> cell;
};

std::string yes_or_no(bool yes) { return yes ? "yes" : "no"; }
std::string at_most(std::int64_t limit) { return limit == 0 ? "any" : "<= " + std::to_string(limit); }

const std::vector<Column>& columns() {
  static const std::vector<Column> all = {
      {"data types", [](const Support&) { return true; }, [](const Support& s) { return s.types.text(); }},
      {"indices", [](const Support& s) { return !s.index_types.empty(); },
       [](const Support& s) { return s.index_types.text(); }},
      {"FLOAT becomes", [](const Support& s) { return !s.out_types.empty(); },
       [](const Support& s) { return s.out_types.empty() ? std::string("FLOAT") : s.out_types.text(); }},
      {"dilation", [](const Support& s) { return s.dilated_windows; },
       [](const Support& s) { return std::string(s.dilated_windows ? "> 0" : "= 1"); }},
      {"channels last", [](const Support& s) { return s.channels_last; },
       [](const Support& s) { return yes_or_no(s.channels_last); }},
      {"formats", [](const Support& s) { return !s.formats.any(); },
       [](const Support& s) { return s.formats.text(); }},
      {"size limits", [](const Support& s) { return s.size_limits; },
       [](const Support& s) { return yes_or_no(s.size_limits); }},
      {"scales must give the sizes", [](const Support& s) { return s.scales_must_fit; },
       [](const Support& s) {
         return std::string(s.exact_scales ? "exactly" : yes_or_no(s.scales_must_fit));
       }},
      {"limited ratios", [](const Support& s) { return s.ratio_limits; },
       [](const Support& s) { return yes_or_no(s.ratio_limits); }},
      {"short outputSize", [](const Support& s) { return s.short_output_size; },
       [](const Support& s) { return yes_or_no(s.short_output_size); }},
      {"cells of a plane", [](const Support& s) { return s.most_cells != 0; },
       [](const Support& s) { return at_most(s.most_cells); }},
      {"cells of an uneven plane", [](const Support& s) { return s.most_uneven_cells != 0; },
       [](const Support& s) { return at_most(s.most_uneven_cells); }},
      {"cubeMathType", [](const Support& s) { return s.cube_math.any(); },
       [](const Support& s) { return s.cube_math.text(); }},
      {"of one window a plane", [](const Support& s) { return s.whole_cube_math.any(); },
       [](const Support& s) { return s.whole_cube_math.text(); }},
      {"divisorOverride up to", [](const Support& s) { return s.most_divisor != 0; },
       [](const Support& s) {
         return s.most_divisor == 0 ? std::string("any") : std::to_string(s.most_divisor);
       }},
      {"null stride", [](const Support& s) { return s.null_stride; },
       [](const Support& s) { return yes_or_no(s.null_stride); }},
      {"outputSize 0", [](const Support& s) { return s.empty_planes_out; },
       [](const Support& s) { return yes_or_no(s.empty_planes_out); }},
      {"batch of 0", [](const Support& s) { return s.batch_required; },
       [](const Support& s) { return yes_or_no(!s.batch_required); }},
      {"windows a plane", [](const Support& s) { return s.single_windows; },
       [](const Support& s) { return std::string(s.single_windows ? "1" : "any"); }},
  };
  return all;
}

// Products that allow the same share a row.
std::vector<std::pair<std::string, Support>> groups(const Operator& op) {
  std::vector<std::pair<std::string, Support>> result;
  for (const Product& product : products()) {
    const Support* on_product = op.on(product);
    const Support support = on_product == nullptr ? Support{} : *on_product;
    const auto same =
        std::find_if(result.begin(), result.end(), [&](const auto& g) { return g.second == support; });
    if (same == result.end()) {
      result.emplace_back(product.name, support);
    } else {
      same->first += ", " + std::string(product.name);
    }
  }
  return result;
}

void print_operator(const Operator& op) {
  const auto rows_of_products = groups(op);
  std::vector<const Column*> shown;
  for (const Column& column : columns()) {
    const bool concerns = std::any_of(rows_of_products.begin(), rows_of_products.end(),
                                      [&](const auto& group) { return column.concerns(group.second); });
    if (concerns) shown.push_back(&column);
  }
  std::vector<std::vector<std::string>> rows = {{"product"}};
  for (const Column* column : shown) rows.front().emplace_back(column->heading);
  std::string without;
  for (const auto& [names, support] : rows_of_products) {
    if (support == Support{}) {
      without = names;
      continue;
    }
    rows.push_back({names});
    for (const Column* column : shown) rows.back().push_back(column->cell(support));
  }
  std::printf("\n%s\n", op.name);
  print_table(rows, 2);
  if (!without.empty()) std::printf("  Refused by %s\n", without.c_str());
}

}  // namespace

int show_products() {
  std::vector<std::vector<std::string>> rows = {{"product", "aclrtGetSocName", "CAIRN_PRODUCT"}};
  for (const Product& product : products()) {
    rows.push_back({std::string(product.name), product.soc_name, std::string(product.chosen_by)});
  }
  print_table(rows);
  for (const Operator* op : catalogue()) print_operator(*op);
  const ProductChoice choice = current_product();
  if (!choice) {
    std::fprintf(stderr, "cairn: %s\n", choice.error.c_str());
    return 1;
  }
  std::printf("\nCAIRN_PRODUCT chooses %s now.\n", std::string(choice.product->name).c_str());
  return 0;
}

}  // namespace cairn::tool
