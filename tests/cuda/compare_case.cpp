#include "cuda/compare_case.h"

#include <algorithm>
#include <cstdlib>

namespace cuda_test {

using cairn::DataType;
using reference::Operand;
using reference::PoolGeometry;
using reference::Random;
using reference::Sizes;
using reference::Triple;
using reference::Type;

DataType to_kernel(Type type) {
  using enum Type;
  constexpr struct {
    Type from;
    DataType to;
  } kTypes[] = {{kFloat, DataType::kFloat},   {kFloat16, DataType::kFloat16}, {kBf16, DataType::kBf16},
                {kDouble, DataType::kDouble}, {kInt8, DataType::kInt8},       {kUint8, DataType::kUint8},
                {kInt16, DataType::kInt16},   {kInt32, DataType::kInt32},     {kInt64, DataType::kInt64}};
  for (const auto& pair : kTypes)
    if (pair.from == type) return pair.to;
  std::abort();
}

Mirror::Mirror(const Operand& operand) : operand_(operand), memory_(operand.memory().size() + 2 * kCanary) {
  expect(cudaMemset(memory_.data(), kPattern, memory_.size()), "cudaMemset");
  expect(cudaMemcpy(storage(), operand.memory().data(), operand.memory().size(), cudaMemcpyHostToDevice),
         "cudaMemcpy");
  // A copy from pageable memory may return before it has arrived.
  expect(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

cairn::View5 Mirror::view() const {
  const Sizes& stride = operand_.layout().stride;
  return {storage() + operand_.layout().offset * reference::size_of(operand_.view().type),
          stride[0],
          stride[1],
          stride[2],
          stride[3],
          stride[4],
          operand_.layout().offset};
}

std::string Mirror::fetch(std::vector<unsigned char>& bytes) const {
  std::vector<unsigned char> all(memory_.size());
  expect(cudaMemcpy(all.data(), memory_.data(), all.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  const auto begin = all.begin() + kCanary;
  const auto end = all.end() - kCanary;
  const auto alive = [](unsigned char byte) { return byte == kPattern; };
  const bool whole = std::all_of(all.begin(), begin, alive) && std::all_of(end, all.end(), alive);
  bytes.assign(begin, end);
  return whole ? "" : "\n  memory outside the storage was written";
}

std::string Mirror::compare(const Operand& expected, Operand& actual) const {
  std::vector<unsigned char> bytes;
  std::string wrong = fetch(bytes);
  actual.restore(bytes);
  return wrong + difference(expected, actual);
}

namespace {

std::string to_text(const std::optional<reference::Fault>& fault) {
  if (!fault) return "none";
  return "position " + std::to_string(fault->position) + " value " + std::to_string(fault->value) +
         " plane " + std::to_string(fault->plane);
}

}  // namespace

std::string compare_fault(Stream& stream, const std::optional<reference::Fault>& expected) {
  stream.synchronise();
  const auto found = stream.take_fault();
  if (found == expected) return {};
  return "\n  fault expected: " + to_text(expected) + ", found: " + to_text(found);
}

PoolGeometry network_geometry(Random& random, bool flat, bool large) {
  return network_geometry(random,
                          random.pick<Triple>({{2, 2, 0},
                                               {2, 2, 0},
                                               {3, 2, 1},
                                               {3, 2, 1},
                                               {3, 1, 1},
                                               {5, 1, 2},
                                               {3, 2, 0},
                                               {3, 3, 0},
                                               {7, 1, 3},
                                               {2, 1, 0}}),
                          flat, large);
}

PoolGeometry network_geometry(Random& random, const Triple& shape, bool flat, bool large) {
  PoolGeometry it;
  it.n = random.between(1, 2);
  it.c = random.pick<std::int64_t>({1, 3, 4, 16, 20, 64});
  it.ceil_mode = random.chance(30);
  do {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool single = flat && axis == 0;
      const std::int64_t longest = large ? 60 : 12;
      it.in[axis] = single ? random.between(1, 3) : random.between(1, longest);
      it.window.kernel[axis] = single ? 1 : shape[0];
      it.window.stride[axis] = single ? 1 : shape[1];
      it.window.padding[axis] = single ? 0 : shape[2];
    }
    if (random.chance(60)) it.in[2] = 8 * random.between(1, large ? 16 : 5);
    if (random.chance(60) && it.in[1] % 2 == 1) ++it.in[1];
  } while (!it.derive_out());
  return it;
}

}  // namespace cuda_test
