#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/candidate_choice.h"
#include "backend/kernel.h"
#include "conformance/trial.h"
#include "ops/family.h"
#include "ops/kit/cpu/stream_writer.h"
#include "reference/operand.h"

// Runs a kernel as every machine might: each instruction set this one has, few threads and many, tasks in odd
// orders.
namespace kernel_test {

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

// Calls of every size write past the cache, as large ones do, until the object goes.
class AllIsStreamed {
 public:
  AllIsStreamed() = default;
  AllIsStreamed(const AllIsStreamed&) = delete;
  AllIsStreamed& operator=(const AllIsStreamed&) = delete;
  ~AllIsStreamed() { cairn::g_most_bytes_kept_in_cache = usual_; }

 private:
  const std::int64_t usual_ = cairn::g_most_bytes_kept_in_cache.exchange(-1);
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

std::span<const cairn::CpuCandidate> candidates_of(cairn::Family family);

// The candidate that would be chosen, on this plan.
template <typename Plan>
std::optional<cairn::IndexFault> run_on_cpu(std::span<const cairn::CpuCandidate> candidates, const Plan& plan,
                                            cairn::Workers& workers) {
  cairn::Choice choice;
  return cairn::choose(candidates, &plan, choice).run(&plan, workers);
}

// How often a candidate could run a case, and how often it was the one to be chosen; by instruction set and
// name.
struct Tally {
  std::uint64_t able = 0;
  std::uint64_t chosen = 0;
};
using Tallies = std::map<std::pair<std::string, std::string>, Tally>;

// Runs every candidate that can take the trial under each setup, and compares bytes and fault; empty when all
// is well.
std::string check_everywhere(reference::Random& random, conformance::Trial& trial,
                             std::span<const cairn::CpuCandidate> candidates, Tallies& tallies);

// If the program is ended by a signal, the note set last says which case it was.
void note_current_case(const std::string& description);

// Runs check(random, repeat) for the number of cases asked for, `repeat` saying how to repeat the case; the
// first failures are reported with it.
using RandomCheck = std::function<std::string(reference::Random& random, const std::string& repeat)>;
void for_each_case(std::uint64_t usual_count, const RandomCheck& check);

}  // namespace kernel_test
