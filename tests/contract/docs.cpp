// Writes the tables of docs/operators from the rules and the products that the library itself reads, between
// marks that the pages carry; or checks that the pages have them already.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "ops/checks/text.h"
#include "ops/operators.h"

namespace {

using cairn::OperatorInfo;
using cairn::Product;
using cairn::sentence;
using cairn::Support;
using Row = std::vector<std::string>;

std::string code(std::string_view text) { return sentence("`", text, "`"); }

std::string table(const Row& head, const std::vector<Row>& rows) {
  const auto line = [](const Row& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += sentence(" ", cell, " |");
    return text + "\n";
  };
  std::string text = line(head) + line(Row(head.size(), "---"));
  for (const Row& row : rows) text += line(row);
  return text;
}

std::string arguments(const OperatorInfo& info) {
  std::vector<Row> rows;
  for (const cairn::ArgumentInfo& argument : info.arguments) {
    rows.push_back({code(argument.name), code(argument.type), argument.text});
  }
  return table({"argument", "type", "meaning"}, rows);
}

std::string rules(const OperatorInfo& info) {
  std::vector<Row> rows;
  for (const cairn::RuleInfo& rule : info.rules()) {
    rows.push_back({code(rule.name), std::to_string(rule.status), rule.text});
  }
  return table({"rule", "else", "what must hold"}, rows);
}

// A column of an operator's product table; one that says the same of a product that lacks the operator as of
// any other has nothing to say, and is left out.
struct Column {
  const char* title;
  std::function<std::string(const Support&)> text;
};

const std::vector<Column> kColumns = {
    {"data types", [](const Support& support) { return support.types.text(); }},
    {"indices", [](const Support& support) { return support.index_types.text(); }},
    {"dilation", [](const Support& support) { return support.dilated_windows ? "> 0" : "1"; }},
    {"channels-last flag", [](const Support& support) { return support.channels_last ? "yes" : "no"; }},
    {"size limits", [](const Support& support) { return support.size_limits ? "yes" : "no"; }},
    {"scales must give the sizes",
     [](const Support& support) { return support.scales_must_fit ? "yes" : "no"; }},
};

std::string product_table(const OperatorInfo& info) {
  std::vector<Column> columns;
  for (const Column& column : kColumns) {
    const bool says_something = std::any_of(
        cairn::products().begin(), cairn::products().end(),
        [&](const Product& product) { return column.text(product.of(info.op)) != column.text(Support{}); });
    if (says_something) columns.push_back(column);
  }
  Row head = {"product"};
  for (const Column& column : columns) head.emplace_back(column.title);
  std::vector<Row> rows;
  for (const Product& product : cairn::products()) {
    const Support& support = product.of(info.op);
    Row row = {std::string(product.title)};
    for (const Column& column : columns) row.push_back(support.offered ? column.text(support) : "–");
    if (!support.offered) row[1] = "not offered";
    rows.push_back(row);
  }
  return table(head, rows);
}

std::string product_names() {
  std::vector<Row> rows;
  for (const Product& product : cairn::products()) {
    rows.push_back({std::string(product.title), std::string(product.chosen_by), product.soc_name});
  }
  return table({"product", "`CAIRN_PRODUCT`, in any case", "`aclrtGetSocName()`"}, rows);
}

std::string operator_index() {
  std::vector<Row> rows;
  for (const OperatorInfo& info : cairn::operators()) {
    std::string offered;
    for (const Product& product : cairn::products()) {
      if (product.of(info.op).offered) offered += sentence(offered.empty() ? "" : ", ", product.title);
    }
    rows.push_back(
        {sentence("[", cairn::name_of(info.op), "](", info.page, ".md)"), code(info.header), offered});
  }
  return table({"operator", "header", "offered by"}, rows);
}

// Puts `body` between the marks of a section.
std::string with_section(const std::string& page, const std::string& name, const std::string& body) {
  const std::string begin = sentence("<!-- generated: ", name, " -->\n");
  const std::string end = "<!-- end -->";
  const std::size_t from = page.find(begin);
  const std::size_t to = page.find(end, from);
  if (from == std::string::npos || to == std::string::npos)
    throw std::runtime_error(sentence("no section ", name));
  return page.substr(0, from + begin.size()) + body + page.substr(to);
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Whether the page is up to date, now or already.
bool bring_up_to_date(const std::filesystem::path& path,
                      const std::vector<std::pair<std::string, std::string>>& sections, bool write) {
  try {
    const std::string before = read(path);
    std::string after = before;
    for (const auto& [name, body] : sections) after = with_section(after, name, body);
    if (after == before) return true;
    if (write) return static_cast<bool>(std::ofstream(path) << after);
    std::cerr << path << " is out of date; run cairn_docs --write\n";
  } catch (const std::exception& error) {
    std::cerr << path << ": " << error.what() << "\n";
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc == 3 ? argv[1] : "";
  if (verb != "--check" && verb != "--write") {
    std::cerr << "usage: cairn_docs --check|--write <docs/operators>\n";
    return 2;
  }
  const std::filesystem::path folder = argv[2];
  const bool write = verb == "--write";
  bool good = bring_up_to_date(folder / "README.md",
                               {{"operators", operator_index()}, {"products", product_names()}}, write);
  for (const OperatorInfo& info : cairn::operators()) {
    good &= bring_up_to_date(
        folder / sentence(info.page, ".md"),
        {{"arguments", arguments(info)}, {"products", product_table(info)}, {"rules", rules(info)}}, write);
  }
  return good ? 0 : 1;
}
