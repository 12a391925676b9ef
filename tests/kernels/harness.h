#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/kernel.h"
#include "common/data_type.h"
#include "common/view.h"
#include "reference/operand.h"

// Runs a kernel as every machine might: each instruction set this one has, few threads and many, tasks in odd
// orders.
namespace kernel_test {

cairn::DataType to_kernel(reference::Type type);
cairn::View5 to_kernel(const reference::Operand& operand);
cairn::Size3 to_kernel(const reference::Triple& size);

// The instruction sets this machine has, best first.
std::vector<std::int64_t> targets();
std::string name_of_target(std::int64_t target);

// Kernels run with this one instruction set until the object goes.
class ForcedTarget {
 public:
  explicit ForcedTarget(std::int64_t target);
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;
  ~ForcedTarget();
};

std::shared_ptr<cairn::Workers> make_workers(int threads);

// A way to run: an instruction set and the threads.
struct Setup {
  std::int64_t target;
  std::shared_ptr<cairn::Workers> workers;
  std::string name;
};
// Every target on one thread, and 2 threads, 7 threads and tasks in reverse on some; `thorough` false: just
// two.
std::vector<Setup> setups(reference::Random& random, bool thorough);

// The candidate that would be chosen, on this plan.
template <typename Plan>
std::optional<cairn::IndexFault> run_on_cpu(std::span<const cairn::CpuCandidate> candidates, const Plan& plan,
                                            cairn::Workers& workers) {
  cairn::Choice choice;
  return cairn::choose(candidates, &plan, choice).run(&plan, workers);
}

using Run = std::function<std::optional<cairn::IndexFault>(cairn::Workers&)>;

struct Expected {
  const reference::Operand& output;
  std::optional<reference::Fault> fault;
};

// Runs the kernel under each setup into `output` and compares bytes and fault; empty when all is well.
std::string check_everywhere(reference::Random& random, bool thorough, const Expected& expected,
                             reference::Operand& output, const std::vector<const reference::Operand*>& inputs,
                             const Run& run);

// The same for an operator with several outputs, which finds no faults.
struct Output {
  const reference::Operand& expected;
  reference::Operand& actual;
};
std::string check_everywhere(reference::Random& random, bool thorough, const std::vector<Output>& outputs,
                             const std::vector<const reference::Operand*>& inputs, const Run& run);

// If the program is ended by a signal, the note set last says which case it was.
void note_current_case(const std::string& description);

// Runs check(random, repeat) for the number of cases asked for, `repeat` saying how to repeat the case; the
// first failures are reported with it.
using RandomCheck = std::function<std::string(reference::Random& random, const std::string& repeat)>;
void for_each_case(std::uint64_t usual_count, const RandomCheck& check);

}  // namespace kernel_test
