#include "kernels/harness.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <thread>

namespace kernel_test {
namespace {

using reference::Fault;
using reference::Operand;
using reference::Random;
using reference::Type;

class InlineWorkers final : public cairn::Workers {
 public:
  int count() const override { return 1; }
  void run(std::int64_t tasks, cairn::FunctionRef<void(std::int64_t)> body) override {
    for (std::int64_t task = 0; task < tasks; ++task) body(task);
  }
};

// No result may depend on the order of the tasks.
class ReverseWorkers final : public cairn::Workers {
 public:
  int count() const override { return 5; }
  void run(std::int64_t tasks, cairn::FunctionRef<void(std::int64_t)> body) override {
    for (std::int64_t task = tasks; task-- > 0;) body(task);
  }
};

class ThreadWorkers final : public cairn::Workers {
 public:
  explicit ThreadWorkers(int count) : count_(count) {}
  int count() const override { return count_; }
  void run(std::int64_t tasks, cairn::FunctionRef<void(std::int64_t)> body) override {
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

std::string to_text(const std::optional<Fault>& fault) {
  if (!fault) return "none";
  return "position " + std::to_string(fault->position) + " value " + std::to_string(fault->value) +
         " plane " + std::to_string(fault->plane);
}

std::optional<Fault> to_reference(const std::optional<cairn::IndexFault>& fault) {
  if (!fault) return std::nullopt;
  return Fault{fault->position, fault->value, fault->plane_size};
}

std::vector<std::vector<unsigned char>> snapshots(const std::vector<const Operand*>& operands) {
  std::vector<std::vector<unsigned char>> result;
  result.reserve(operands.size());
  for (const Operand* operand : operands) result.push_back(operand->snapshot());
  return result;
}

std::string check_setups(Random& random, bool thorough, const std::optional<Fault>& expected_fault,
                         const std::vector<Output>& outputs, const std::vector<const Operand*>& inputs,
                         const Run& run) {
  std::vector<std::vector<unsigned char>> before;
  before.reserve(outputs.size());
  for (const Output& output : outputs) before.push_back(output.actual.snapshot());
  const auto inputs_before = snapshots(inputs);
  for (const Setup& setup : setups(random, thorough)) {
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].actual.restore(before[i]);
    const ForcedTarget forced(setup.target);
    const std::optional<Fault> fault = to_reference(run(*setup.workers));
    std::string wrong;
    for (const Output& output : outputs) wrong += difference(output.expected, output.actual);
    if (fault != expected_fault)
      wrong += "\n  fault: expected " + to_text(expected_fault) + ", got " + to_text(fault);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i]->snapshot() != inputs_before[i])
        wrong += "\n  input " + std::to_string(i) + " was written";
    if (!wrong.empty()) return "with " + name_of_target(setup.target) + ", " + setup.name + ":" + wrong;
  }
  return {};
}

}  // namespace

cairn::DataType to_kernel(Type type) {
  using cairn::DataType;
  static constexpr DataType kTypes[] = {DataType::kFloat,  DataType::kFloat16, DataType::kBf16,
                                        DataType::kDouble, DataType::kInt8,    DataType::kUint8,
                                        DataType::kInt16,  DataType::kInt32,   DataType::kInt64};
  return kTypes[static_cast<int>(type)];
}

cairn::View5 to_kernel(const Operand& operand) {
  const reference::Sizes& stride = operand.layout().stride;
  // The offset is already in the address; a kernel that adds it again is wrong.
  return {operand.view().origin,  stride[0], stride[1], stride[2], stride[3], stride[4],
          operand.layout().offset};
}

cairn::Size3 to_kernel(const reference::Triple& size) { return {size[0], size[1], size[2]}; }

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
    result.push_back({any_target(), make_workers(1), "1 thread"});
    result.push_back({any_target(), make_workers(random.chance(50) ? 2 : 7), "threads"});
  }
  return result;
}

std::string check_everywhere(Random& random, bool thorough, const Expected& expected, Operand& output,
                             const std::vector<const Operand*>& inputs, const Run& run) {
  return check_setups(random, thorough, expected.fault, {{expected.output, output}}, inputs, run);
}

std::string check_everywhere(Random& random, bool thorough, const std::vector<Output>& outputs,
                             const std::vector<const Operand*>& inputs, const Run& run) {
  return check_setups(random, thorough, std::nullopt, outputs, inputs, run);
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
