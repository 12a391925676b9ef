// Writes what follows from the catalogue of operators and from the rules of cairn check: the tables of
// docs/operators and of docs/check.md, between marks that the pages carry, the public headers of
// include/aclnnop, and the list of exported names; or checks that all of it is there already.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "check/rules.h"
#include "ops/catalogue.h"
#include "tensor/text.h"

namespace {

using cairn::Operator;
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

std::string arguments(const Operator& op) {
  std::vector<Row> rows;
  for (const cairn::ArgumentInfo& argument : op.arguments) {
    rows.push_back({code(argument.name), code(c_type(argument.kind)), in_words(argument.text, op)});
  }
  rows.push_back(
      {code("workspaceSize"), code("uint64_t*"), "out: bytes of workspace that phase 2 needs, always 0"});
  rows.push_back({code("executor"), code("aclOpExecutor**"), "out: what phase 2 runs"});
  return table({"argument", "type", "meaning"}, rows);
}

std::string rules(const Operator& op) {
  std::vector<Row> rows;
  for (const cairn::RuleInfo& rule : rules_of(op)) {
    rows.push_back({code(rule.name), std::to_string(rule.status), rule.text});
  }
  return table({"rule", "else", "what must hold"}, rows);
}

Support support_of(const Operator& op, const Product& product) {
  const Support* support = op.on(product);
  return support == nullptr ? Support{} : *support;
}

// A column of an operator's product table; one that says the same of a product that lacks the operator as of
// any other has nothing to say, and is left out.
struct Column {
  const char* title;
  std::function<std::string(const Support&)> text;
};

std::string at_most(std::int64_t limit) { return limit == 0 ? "any" : sentence("≤ ", limit); }

const std::vector<Column> kColumns = {
    {"data types", [](const Support& support) { return support.types.text(); }},
    {"indices", [](const Support& support) { return support.index_types.text(); }},
    {"FLOAT becomes",
     [](const Support& support) { return support.out_types.empty() ? "FLOAT" : support.out_types.text(); }},
    {"dilation", [](const Support& support) { return support.dilated_windows ? "> 0" : "1"; }},
    {"channels-last flag", [](const Support& support) { return support.channels_last ? "yes" : "no"; }},
    {"formats", [](const Support& support) { return support.formats.text(); }},
    {"size limits", [](const Support& support) { return support.size_limits ? "yes" : "no"; }},
    {"scales must give the sizes",
     [](const Support& support) {
       return support.exact_scales ? "exactly" : support.scales_must_fit ? "yes" : "no";
     }},
    {"limited ratios", [](const Support& support) { return support.ratio_limits ? "yes" : "no"; }},
    {"short outputSize", [](const Support& support) { return support.short_output_size ? "yes" : "no"; }},
    {"cells of a plane", [](const Support& support) { return at_most(support.most_cells); }},
    {"cells of an uneven plane", [](const Support& support) { return at_most(support.most_uneven_cells); }},
    {"`cubeMathType`", [](const Support& support) { return support.cube_math.text(); }},
    {"of one window a plane", [](const Support& support) { return support.whole_cube_math.text(); }},
    {"`divisorOverride`",
     [](const Support& support) {
       return support.most_divisor == 0 ? std::string("any")
                                        : sentence("−", support.most_divisor, " to ", support.most_divisor);
     }},
    {"`stride` null", [](const Support& support) { return support.null_stride ? "empty" : "refused"; }},
    {"`outputSize` with 0", [](const Support& support) { return support.empty_planes_out ? "yes" : "no"; }},
    {"first dimension 0", [](const Support& support) { return support.batch_required ? "no" : "yes"; }},
    {"windows in a plane", [](const Support& support) { return support.single_windows ? "1" : "any"; }},
};

std::string product_table(const Operator& op) {
  std::vector<Column> columns;
  for (const Column& column : kColumns) {
    const bool says_something =
        std::any_of(cairn::products().begin(), cairn::products().end(), [&](const Product& product) {
          return column.text(support_of(op, product)) != column.text(Support{});
        });
    if (says_something) columns.push_back(column);
  }
  Row head = {"product"};
  for (const Column& column : columns) head.emplace_back(column.title);
  std::vector<Row> rows;
  for (const Product& product : cairn::products()) {
    const Support* support = op.on(product);
    Row row = {std::string(product.title)};
    for (const Column& column : columns) row.push_back(support != nullptr ? column.text(*support) : "–");
    if (support == nullptr) row[1] = "not offered";
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
  for (const Operator* op : cairn::catalogue()) {
    std::string offered;
    for (const Product& product : cairn::products()) {
      if (op->on(product) != nullptr) offered += sentence(offered.empty() ? "" : ", ", product.title);
    }
    rows.push_back({sentence("[", op->name, "](", op->page, ".md)"),
                    code(sentence("aclnnop/aclnn_", op->header, ".h")), offered});
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

// Whether the file has this text, now or already. `same` says when two texts are the same.
template <typename Same>
bool bring_up_to_date(const std::filesystem::path& path, const std::string& before, const std::string& after,
                      bool write, const Same& same) {
  if (same(before, after)) return true;
  if (write) return static_cast<bool>(std::ofstream(path) << after);
  std::cerr << path << " is out of date; run cairn_generate --write\n";
  return false;
}

bool page(const std::filesystem::path& path, const std::vector<std::pair<std::string, std::string>>& sections,
          bool write) {
  try {
    const std::string before = read(path);
    std::string after = before;
    for (const auto& [name, body] : sections) after = with_section(after, name, body);
    return bring_up_to_date(path, before, after, write, std::equal_to<>());
  } catch (const std::exception& error) {
    std::cerr << path << ": " << error.what() << "\n";
    return false;
  }
}

// A source file, whose layout is clang-format's business.
bool source(const std::filesystem::path& path, const std::string& text, bool write) {
  const auto letters = [](std::string of) {
    std::erase_if(of, [](unsigned char letter) { return std::isspace(letter) != 0 || letter == '/'; });
    return of;
  };
  const std::string before = std::filesystem::exists(path) ? read(path) : std::string();
  return bring_up_to_date(path, before, text, write, [&](const std::string& a, const std::string& b) {
    return letters(a) == letters(b);
  });
}

std::string guarded(std::string name, const std::string& body) {
  for (char& letter : name) {
    letter = std::isalnum(static_cast<unsigned char>(letter)) != 0
                 ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter)))
                 : '_';
  }
  return sentence("#ifndef ", name, "_\n#define ", name, "_\n\n", body, "\n#endif  // ", name, "_\n");
}

std::string declaration(const Operator& op) {
  std::string parameters;
  for (const cairn::ArgumentInfo& argument : op.arguments)
    parameters += sentence(c_type(argument.kind), " ", argument.name, ", ");
  return sentence(
      "// ", in_words(op.summary, op), "\nACLNN_API aclnnStatus ", op.name, "GetWorkspaceSize(", parameters,
      "uint64_t* workspaceSize, aclOpExecutor** executor);\nACLNN_API aclnnStatus ", op.name,
      "(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);\n\n");
}

// Operators share a header where CANN's do.
bool headers(const std::filesystem::path& folder, bool write) {
  std::map<std::string, std::string> bodies;
  std::map<std::string, std::set<std::string>> libraries;
  for (const Operator* op : cairn::catalogue()) {
    bodies[op->header] += declaration(*op);
    libraries[op->library].insert(op->header);
  }
  bool good = true;
  for (const auto& [name, body] : bodies) {
    const std::string file = sentence("aclnn_", name, ".h");
    good &= source(
        folder / file,
        guarded(sentence("aclnnop_", file),
                sentence("#include \"aclnn/aclnn_base.h\"\n#include \"aclnn_util.h\"\n\nextern \"C\" {\n\n",
                         body, "}  // extern \"C\"\n")),
        write);
    good &=
        source(folder / "level2" / file,
               guarded(sentence("aclnnop_level2_", file), sentence("#include \"../", file, "\"\n")), write);
  }
  for (const auto& [library, names] : libraries) {
    std::string includes;
    for (const std::string& name : names) includes += sentence("#include \"aclnn_", name, ".h\"\n");
    const std::string file = sentence("aclnn_ops_", library, ".h");
    good &= source(folder / file, guarded(sentence("aclnnop_", file), includes), write);
  }
  return good;
}

bool exports(const std::filesystem::path& path, bool write) {
  std::set<std::string> names;
  for (const Operator* op : cairn::catalogue()) {
    names.insert(op->name);
    names.insert(sentence(op->name, "GetWorkspaceSize"));
  }
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  return bring_up_to_date(path, read(path), text, write, std::equal_to<>());
}

// The rules of cairn check.
std::string check_rules() {
  std::vector<Row> rows;
  for (const cairn::check::Rule& rule : cairn::check::rules())
    rows.push_back({rule.group, code(rule.name), name_of(rule.level), rule.text, rule.npu});
  return table({"group", "rule", "level", "when", "on an NPU"}, rows);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc == 3 ? argv[1] : "";
  if (verb != "--check" && verb != "--write") {
    std::cerr << "usage: cairn_generate --check|--write <the source tree>\n";
    return 2;
  }
  const std::filesystem::path root = argv[2];
  const bool write = verb == "--write";
  bool good = headers(root / "include/aclnnop", write);
  good &= exports(root / "tests/exports/libopapi.txt", write);
  const std::filesystem::path pages = root / "docs/operators";
  good &= page(pages / "README.md", {{"operators", operator_index()}, {"products", product_names()}}, write);
  for (const Operator* op : cairn::catalogue()) {
    good &=
        page(pages / sentence(op->page, ".md"),
             {{"arguments", arguments(*op)}, {"products", product_table(*op)}, {"rules", rules(*op)}}, write);
  }
  good &= page(root / "docs/check.md", {{"rules", check_rules()}}, write);
  return good ? 0 : 1;
}
