#include "cuda/mirror.h"

#include <algorithm>

#include "cuda/fence.h"

namespace cuda_test {

Mirror::Mirror(conformance::Trial& trial) : trial_(trial), memory_(trial.operands.size()) {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    before_.push_back(trial.operands[i] ? trial.operands[i]->snapshot() : std::vector<unsigned char>());
    if (!trial.operands[i]) continue;
    memory_[i].emplace(before_[i].size() + 2 * kCanary);
    expect(cudaMemset(memory_[i]->data(), kPattern, memory_[i]->size()), "cudaMemset");
    upload(i);
    forbid(memory_[i]->data(), kCanary);
    forbid(memory_[i]->data() + kCanary + before_[i].size(), kCanary);
  }
  // A copy from pageable memory may return before it has arrived.
  expect(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

conformance::PlanBytes Mirror::plan() const {
  std::vector<unsigned char*> addresses;
  for (const auto& memory : memory_) addresses.push_back(memory ? memory->data() + kCanary : nullptr);
  return trial_.plan(addresses);
}

void Mirror::reset() {
  for (const std::size_t i : trial_.outputs) upload(i);
  expect(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

std::string Mirror::judge(Stream& stream) {
  stream.synchronise();
  std::string wrong;
  const std::optional<reference::Fault> fault = stream.take_fault();
  if (fault != trial_.fault)
    wrong = "\n  fault expected: " + conformance::to_text(trial_.fault) +
            ", found: " + conformance::to_text(fault);
  for (const std::size_t i : trial_.inputs)
    if (download(i, wrong) != before_[i]) wrong += "\n  argument " + std::to_string(i) + " was written";
  for (std::size_t k = 0; k < trial_.outputs.size(); ++k) {
    reference::Operand& output = *trial_.operands[trial_.outputs[k]];
    output.restore(download(trial_.outputs[k], wrong));
    wrong += difference(trial_.expected[k], output);
  }
  return wrong;
}

void Mirror::upload(std::size_t i) {
  expect(
      cudaMemcpy(memory_[i]->data() + kCanary, before_[i].data(), before_[i].size(), cudaMemcpyHostToDevice),
      "cudaMemcpy");
}

std::vector<unsigned char> Mirror::download(std::size_t i, std::string& wrong) const {
  std::vector<unsigned char> all(memory_[i]->size());
  allow(memory_[i]->data(), all.size());
  expect(cudaMemcpy(all.data(), memory_[i]->data(), all.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  forbid(memory_[i]->data(), kCanary);
  forbid(memory_[i]->data() + all.size() - kCanary, kCanary);
  const auto begin = all.begin() + kCanary;
  const auto end = all.end() - kCanary;
  const auto alive = [](unsigned char byte) { return byte == kPattern; };
  if (!std::all_of(all.begin(), begin, alive) || !std::all_of(end, all.end(), alive))
    wrong += "\n  memory outside the storage of argument " + std::to_string(i) + " was written";
  return {begin, end};
}

}  // namespace cuda_test
