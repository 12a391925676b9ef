#include "ops/operator.h"

#include <cstdlib>
#include <string_view>

#include "ops/axes.h"

namespace cairn {
namespace {

// The names of the spatial axes, joined: ("o", 2, ",") is "oH,oW".
std::string axes(std::string_view before, int spatial, std::string_view between) {
  std::string text;
  for (std::size_t i = 0; i < static_cast<std::size_t>(spatial); ++i) {
    if (i > 0) text += between;
    text.append(before).append(axis_name(spatial, i));
  }
  return text;
}

std::string listed_with_and(int spatial) {
  std::string text = axes("", spatial, ", ");
  if (const std::size_t comma = text.rfind(", "); comma != std::string::npos) text.replace(comma, 2, " and ");
  return text;
}

// Where a cell lies in its plane, the sizes' names beginning with `before`.
std::string position(std::string_view before, int spatial) {
  if (spatial == 1) return "l";
  const std::string in_slice = std::string("·").append(before).append("W + w");
  if (spatial == 2) return std::string("h").append(in_slice);
  return std::string("(d·").append(before).append("H + h)").append(in_slice);
}

// The name of the argument of a sort with this number, which is one digit.
std::string argument_name(const Operator& op, bool (*is_of_sort)(Kind), char number) {
  int left = number - '0';
  for (const ArgumentInfo& argument : op.arguments)
    if (is_of_sort(argument.kind) && left-- == 0) return argument.name;
  std::abort();  // no such argument; every text is read by a test
}

std::string meaning(std::string_view word, const Operator& op) {
  const int n = op.spatial;
  if (word.size() == 1 && word[0] >= '0' && word[0] <= '9') return argument_name(op, is_tensor, word[0]);
  if (word.starts_with("array")) return argument_name(op, is_array, word.back());
  if (word == "n") return std::to_string(n);
  if (word == "axes") return listed_with_and(n);
  if (word == "are") return n == 1 ? "is" : "are";
  if (word == "list") return axes("", n, ", ");
  if (word == "outlist") return axes("o", n, ", ");
  if (word == "plane") return axes("", n, "·");
  if (word == "by") return axes("", n, " x ");
  if (word == "last") return std::string("N").append(axes("", n, "")).append("C");
  if (word == "rank") return std::to_string(n + 2);
  if (word == "lowrank") return std::to_string(n + 1);
  if (word == "at") return position("", n);
  if (word == "oat") return position("o", n);
  const bool of_output = word.starts_with('o');
  const std::string space = axes(of_output ? "o" : "", n, ",");
  const std::string_view shape = word.substr(of_output ? 1 : 0);
  const auto around = [&space](std::string_view before, std::string_view behind) {
    return std::string(before).append(space).append(behind);
  };
  if (shape == "shape") return around("(N,C,", ")");
  if (shape == "cshape") return around("(C,", ")");
  if (shape == "nshape") return around("(N,", ")");
  if (shape == "lastshape") return around("(N,", ",C)");
  std::abort();  // a placeholder nobody knows; every text is read by a test
}

}  // namespace

const char* c_type(Kind kind) {
  switch (kind) {
    case Kind::kInput:
    case Kind::kGathered:
    case Kind::kOptionalInput:
    case Kind::kShape:
      return "const aclTensor*";
    case Kind::kOutput:
      return "aclTensor*";
    case Kind::kIntArray:
    case Kind::kOptionalIntArray:
      return "const aclIntArray*";
    case Kind::kFloatArray:
      return "const aclFloatArray*";
    case Kind::kText:
      return "const char*";
    case Kind::kBool:
      return "bool";
    case Kind::kDouble:
      return "double";
    case Kind::kFloat:
      return "float";
    case Kind::kInt64:
      return "int64_t";
    case Kind::kInt8:
      return "int8_t";
  }
  return "";
}

const Support* Operator::on(const Product& product) const {
  for (const SupportOn& row : support) {
    if (row.products.has(product.id)) return &row.support;
  }
  return nullptr;
}

std::string in_words(const char* text, const Operator& op) {
  std::string result;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t open = rest.find('{');
    result += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = rest.find('}', open);
    result += meaning(rest.substr(open + 1, close - open - 1), op);
    rest.remove_prefix(close + 1);
  }
  return result;
}

std::vector<RuleInfo> rules_of(const Operator& op) {
  std::vector<RuleInfo> result;
  for (const Rule& rule : op.rules(op.spatial))
    result.push_back({rule.name, rule.status, in_words(rule.text, op)});
  return result;
}

}  // namespace cairn
