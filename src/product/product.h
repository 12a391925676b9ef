#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace cairn {

enum class ProductId {
  kPortable,
  kAtlasA2,
  kAtlasA3,
  kAscend950,
  kAtlasTraining,
  kAtlasInference,
  kAtlas200i500A2,
  kAtlas200300500,
};

class ProductSet {
 public:
  constexpr ProductSet(std::initializer_list<ProductId> products) {
    for (const ProductId product : products) bits_ |= 1U << static_cast<unsigned>(product);
  }
  constexpr bool has(ProductId product) const { return (bits_ >> static_cast<unsigned>(product) & 1U) != 0; }

 private:
  unsigned bits_ = 0;
};

struct Product {
  ProductId id;
  std::string_view name;       // what CAIRN_PRODUCT calls it: "atlas-a2"
  std::string_view title;      // what people call it: "Atlas A2"
  std::string_view chosen_by;  // every spelling of CAIRN_PRODUCT that chooses it, for people
  const char* soc_name;        // what aclrtGetSocName answers, unless the name given says more (Atlas A2)
  bool strict;                 // refuses what the product's documentation rules out
};

// Every product, portable first.
std::span<const Product> products();

struct ProductChoice {
  const Product* product = nullptr;  // null when the name is not one of a product
  std::string error;                 // then: what is wrong, and the valid names

  explicit operator bool() const { return product != nullptr; }
};

ProductChoice choose_product(std::string_view name);

// The choice CAIRN_PRODUCT makes, read anew at each call.
ProductChoice current_product();

// What aclrtGetSocName answers now; the text lives as long as the process. Null when CAIRN_PRODUCT names no
// product.
const char* current_soc_name();

}  // namespace cairn
