#include "kernels/harness.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <thread>

namespace kernel_test {
namespace {

using reference::Fault;
using reference::Random;

class InlineWorkers final : public cairn::Workers {
 public:
  int count() const override { return 1; }
  int worth(std::int64_t) const override { return 1; }
  void run(std::int64_t tasks, int, cairn::FunctionRef<void(std::int64_t)> body) override {
    for (std::int64_t task = 0; task < tasks; ++task) body(task);
  }
};

// No result may depend on the order of the tasks.
class ReverseWorkers final : public cairn::Workers {
 public:
  int count() const override { return 5; }
  // Less than all, so that the first few are timed.
  int worth(std::int64_t) const override { return 4; }
  void run(std::int64_t tasks, int, cairn::FunctionRef<void(std::int64_t)> body) override {
    for (std::int64_t task = tasks; task-- > 0;) body(task);
  }
};

class ThreadWorkers final : public cairn::Workers {
 public:
  explicit ThreadWorkers(int count) : count_(count) {}
  int count() const override { return count_; }
  int worth(std::int64_t) const override { return count_; }
  void run(std::int64_t tasks, int, cairn::FunctionRef<void(std::int64_t)> body) override {
    std::atomic<std::int64_t> next{0};
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(count_));
    for (int i = 0; i < count_; ++i) {
      threads.emplace_back([&] {
        for (std::int64_t task = next++; task < tasks; task = next++) body(task);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  int count_;
};

char current_case[4096];

struct Chain {
  int signal;
  struct sigaction previous;
};
std::array<Chain, 4> chains{{{SIGSEGV, {}}, {SIGBUS, {}}, {SIGILL, {}}, {SIGABRT, {}}}};

void say_case_and_go_on(int signal) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, current_case, std::strlen(current_case));
  // Back in the faulting instruction, the signal comes again and meets whoever was there before us.
  for (Chain& chain : chains)
    if (chain.signal == signal) sigaction(signal, &chain.previous, nullptr);
}

void catch_signals() {
  static const bool once = [] {
    for (Chain& chain : chains) {
      struct sigaction action {};
      action.sa_handler = say_case_and_go_on;
      sigaction(chain.signal, &action, &chain.previous);
    }
    return true;
  }();
  (void)once;
}

std::optional<Fault> to_reference(const std::optional<cairn::IndexFault>& fault) {
  if (!fault) return std::nullopt;
  return Fault{fault->position, fault->value, fault->plane_size};
}

using Bytes = std::vector<unsigned char>;

std::vector<Bytes> snapshots(const conformance::Trial& trial, const std::vector<std::size_t>& arguments) {
  std::vector<Bytes> result;
  for (const std::size_t i : arguments) result.push_back(trial.operands[i]->snapshot());
  return result;
}

// What is wrong after a run.
std::string judge(const conformance::Trial& trial, const std::vector<Bytes>& inputs_before,
                  const std::optional<Fault>& fault) {
  std::string wrong;
  for (std::size_t k = 0; k < trial.outputs.size(); ++k)
    wrong += difference(trial.expected[k], *trial.operands[trial.outputs[k]]);
  if (fault != trial.fault)
    wrong +=
        "\n  fault: expected " + conformance::to_text(trial.fault) + ", got " + conformance::to_text(fault);
  for (std::size_t k = 0; k < trial.inputs.size(); ++k) {
    const reference::GuardedMemory& memory = trial.operands[trial.inputs[k]]->memory();
    if (!std::equal(inputs_before[k].begin(), inputs_before[k].end(), memory.data()))
      wrong += "\n  argument " + std::to_string(trial.inputs[k]) + " was written";
  }
  return wrong;
}

}  // namespace

#define CAIRN_FAMILY(family)                                 \
  }                                                          \
  namespace cairn::family {                                  \
  extern const std::span<const CpuCandidate> kCpuCandidates; \
  }                                                          \
  namespace kernel_test {
#include "ops/families.def"
#undef CAIRN_FAMILY

std::span<const cairn::CpuCandidate> candidates_of(cairn::Family family) {
  static constexpr std::array kLists = {
#define CAIRN_FAMILY(family) &cairn::family::kCpuCandidates,
#include "ops/families.def"
#undef CAIRN_FAMILY
  };
  return *kLists[static_cast<std::size_t>(family)];
}

std::vector<std::int64_t> targets() {
  static const std::vector<std::int64_t> all = hwy::SupportedAndGeneratedTargets();
  return all;
}

std::string name_of_target(std::int64_t target) { return hwy::TargetName(target); }

ForcedTarget::ForcedTarget(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

ForcedTarget::~ForcedTarget() {
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::shared_ptr<cairn::Workers> make_workers(int threads) {
  if (threads == 1) return std::make_shared<InlineWorkers>();
  return std::make_shared<ThreadWorkers>(threads);
}

std::vector<Setup> setups(Random& random, bool thorough) {
  const auto any_target = [&random] {
    const std::vector<std::int64_t> all = targets();
    return all[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(all.size()) - 1))];
  };
  std::vector<Setup> result;
  if (thorough) {
    for (const std::int64_t target : targets()) result.push_back({target, make_workers(1), "1 thread"});
    result.push_back({any_target(), std::make_shared<ReverseWorkers>(), "tasks in reverse"});
    // Starting threads costs far more than a small case, so only some cases do.
    if (random.chance(10)) result.push_back({any_target(), make_workers(2), "2 threads"});
    if (random.chance(10)) result.push_back({any_target(), make_workers(7), "7 threads"});
  } else {
    // Every other one, so that a few cases reach them all.
    const std::vector<std::int64_t> all = targets();
    for (auto i = static_cast<std::size_t>(random.between(0, 1)) % all.size(); i < all.size(); i += 2)
      result.push_back({all[i], make_workers(random.chance(50) ? 2 : 7), "threads"});
    result.push_back({any_target(), make_workers(1), "1 thread"});
  }
  return result;
}

std::string check_everywhere(Random& random, conformance::Trial& trial,
                             std::span<const cairn::CpuCandidate> candidates, Tallies& tallies) {
  constexpr std::int64_t kSmall = 30000;
  const std::vector<Bytes> outputs_before = snapshots(trial, trial.outputs);
  const std::vector<Bytes> inputs_before = snapshots(trial, trial.inputs);
  const conformance::PlanBytes plan = trial.plan();
  for (const Setup& setup : setups(random, trial.elements < kSmall)) {
    const ForcedTarget forced(setup.target);
    const std::string target = name_of_target(setup.target);
    cairn::Choice choice;
    choose(candidates, plan.get(), choice);
    for (const cairn::CpuCandidate& candidate : candidates) {
      if (candidate.why_not(plan.get()) != nullptr) continue;
      for (std::size_t k = 0; k < trial.outputs.size(); ++k)
        trial.operands[trial.outputs[k]]->restore(outputs_before[k]);
      const std::optional<Fault> fault = to_reference(candidate.run(plan.get(), *setup.workers));
      const std::string wrong = judge(trial, inputs_before, fault);
      if (!wrong.empty())
        return "candidate " + std::string(candidate.name) + " with " + target + ", " + setup.name + ":" +
               wrong;
      Tally& tally = tallies[{target, candidate.name}];
      ++tally.able;
      if (choice.candidate == candidate.name) ++tally.chosen;
    }
  }
  return {};
}

void note_current_case(const std::string& description) {
  catch_signals();
  const std::string note = "\nended while running: " + description + "\n";
  std::strncpy(current_case, note.c_str(), sizeof(current_case) - 1);
}

void for_each_case(std::uint64_t usual_count, const RandomCheck& check) {
  int failures = 0;
  const std::uint64_t count = reference::case_count(usual_count);
  for (std::uint64_t i = 0; i < count && failures < 3; ++i) {
    const std::uint64_t seed = reference::first_seed() + i;
    const std::string repeat = reference::how_to_repeat(seed);
    Random random(seed);
    const std::string wrong = check(random, repeat);
    if (wrong.empty()) continue;
    ++failures;
    ADD_FAILURE() << wrong << "\n" << repeat;
  }
}

}  // namespace kernel_test
