#include "check.h"

#include <cstring>

#include "call.h"
#include "data.h"

namespace cairn::bench {
namespace {

unsigned char* memory(const std::vector<std::byte>& bytes) {
  return reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
}

std::string difference(const std::vector<std::byte>& expected, const std::vector<std::byte>& got,
                       std::int64_t size, const char* what) {
  if (got.size() % expected.size() != 0) return std::string("another size of ") + what;
  std::size_t at = 0;
  while (at < got.size() && std::memcmp(expected.data(), got.data() + at, expected.size()) == 0)
    at += expected.size();
  if (at == got.size()) return {};
  while (expected[at % expected.size()] == got[at]) ++at;
  return "element " + std::to_string(at / static_cast<std::size_t>(size)) + " of " +
         std::to_string(got.size() / static_cast<std::size_t>(size)) + " " + what + " differs";
}

}  // namespace

Result reference_result(const Case& row, const HostData& data) {
  if (row.is_forward() && row.has_huge_windows()) {
    const auto plain = make_plain(row, data, 1);
    plain->run();
    return plain->result();
  }
  Result result{
      std::vector<std::byte>(static_cast<std::size_t>(row.elements(row.result()) * size_of(row.type))), {}};
  if (row.makes_indices())
    result.indices.resize(static_cast<std::size_t>(row.elements(row.indices()) * size_of(row.index_type)));
  const Call call = call_of(row);
  std::vector<reference::View> views(call.it.arguments.size());
  const std::vector<std::byte>& indices = row.makes_indices() ? result.indices : data.indices;
  views[call.indices] = view_of(call.it, call.indices, memory(indices));
  views[call.source] = view_of(call.it, call.source, memory(data.values));
  views[call.result] = view_of(call.it, call.result, memory(result.values));
  call.it.subject->cases->oracle(call.it, views);
  return result;
}

std::string difference(const Case& row, const Result& expected, const Result& got) {
  std::string problem = difference(expected.values, got.values, size_of(row.type), "values");
  if (!problem.empty() || got.indices.empty()) return problem;
  return difference(expected.indices, got.indices, size_of(row.index_type), "indices");
}

}  // namespace cairn::bench
