#include "api/run_trial.h"

#include "api/support.h"
#include "conformance/descriptors.h"

namespace api_test {
namespace {

// What is wrong with the outcome, given the oracle's fault.
std::string judge(const Outcome& outcome, const std::optional<reference::Fault>& fault) {
  if (outcome.phase1 != 0 || outcome.phase2 != 0) return "refused: " + outcome.message;
  if (outcome.synchronise != (fault ? ACL_ERROR_RT_VECTOR_CORE_EXCEPTION : 0))
    return "synchronise gave " + std::to_string(outcome.synchronise) + " " + outcome.message;
  if (!fault) return {};
  const std::string named =
      "indices[" + std::to_string(fault->position) + "] is " + std::to_string(fault->value) + ",";
  if (outcome.message.find(named) != std::string::npos) return {};
  return "the message does not say \"" + named + "\": " + outcome.message;
}

}  // namespace

std::string run_trial(conformance::Trial& trial, aclrtStream stream) {
  std::vector<std::optional<Buffer>> buffers;
  std::vector<void*> addresses;
  for (const auto& operand : trial.operands) {
    buffers.emplace_back();
    if (operand) buffers.back().emplace(operand->memory().size(), operand->memory().data());
    addresses.push_back(operand ? buffers.back()->address() : nullptr);
  }
  std::optional<conformance::Descriptors> descriptors(std::in_place, trial.it, addresses);
  const Outcome outcome =
      run([&](std::uint64_t* size, aclOpExecutor** executor) { return descriptors->phase1(size, executor); },
          trial.it.subject->phase2, stream, [&] { descriptors.reset(); });
  std::string wrong = judge(outcome, trial.fault);
  for (std::size_t k = 0; k < trial.outputs.size() && wrong.empty(); ++k) {
    reference::Operand& output = *trial.operands[trial.outputs[k]];
    std::vector<unsigned char> bytes = output.snapshot();
    buffers[trial.outputs[k]]->download(bytes.data());
    output.restore(bytes);
    wrong = difference(trial.expected[k], output);
  }
  return wrong.empty() ? wrong : wrong + "\n" + describe(trial.it);
}

std::string check_random_call(const conformance::Subject& subject, reference::Random& random,
                              aclrtStream stream) {
  using conformance::Extent;
  const Extent extent = random.chance(3) ? Extent::kLarge : Extent::kSmall;
  conformance::Trial trial(random_case(subject, random, extent), random);
  return run_trial(trial, stream);
}

}  // namespace api_test
