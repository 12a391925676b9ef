// What a verdict of the model is worth: a program without a race has one outcome, a race is two orders that
// the program allows, and the fix that the report names takes it away.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "check/model.h"
#include "check/oracle.h"

namespace cairn::check {
namespace {

struct Step {
  enum class Kind { kUse, kRecord, kWait, kSynchronise };

  Kind kind;
  int stream;
  int event = 0;
  std::shared_ptr<const RandomView> reads = nullptr;
  std::shared_ptr<const RandomView> writes = nullptr;
};
using Steps = std::vector<Step>;
// Two steps that race: the later one, the earlier one.
using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

constexpr std::uintptr_t kBase = 1 << 20;
constexpr int kEvents = 4;

Steps random_steps(Random& random) {
  Steps steps;
  const int streams = 1 + below(random, 6);
  const int count = 4 + below(random, 14);
  for (int i = 0; i < count; ++i) {
    const int what = below(random, 10);
    Step step{Step::Kind::kUse, below(random, streams), below(random, kEvents)};
    if (what < 2) {
      step.kind = Step::Kind::kRecord;
    } else if (what < 5) {
      step.kind = Step::Kind::kWait;
    } else if (what == 5) {
      step.kind = Step::Kind::kSynchronise;
    } else {
      step.reads = std::make_shared<const RandomView>(random, kBase);
      step.writes = std::make_shared<const RandomView>(random, kBase);
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

// The steps as nodes of a graph; those that queue nothing have none.
struct Plain {
  explicit Plain(const Steps& steps) : program(random, 6, kEvents + 1), nodes(steps.size()) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      if (step.kind == Step::Kind::kSynchronise) {
        program.host_knows(step.stream);
        continue;
      }
      if (step.kind == Step::Kind::kWait) program.wait(step.stream, step.event);
      nodes[i] = program.queue(step.stream);
      step_of.push_back(i);
      if (step.kind == Step::Kind::kRecord) program.record(step.event, *nodes[i]);
    }
  }
  bool ordered(std::size_t later, std::size_t earlier) const {
    return program.graph.reaches(*nodes[later], *nodes[earlier]);
  }

  Random random;
  Program program;
  std::vector<std::optional<std::size_t>> nodes;  // of steps
  std::vector<std::size_t> step_of;               // of nodes
};

bool share_a_byte(const RandomView& a, const RandomView& b) {
  const std::set<std::uintptr_t> bytes = b.bytes();
  return std::ranges::any_of(a.bytes(), [&](std::uintptr_t at) { return bytes.contains(at); });
}

bool conflict(const Step& a, const Step& b) {
  return share_a_byte(*a.writes, *b.writes) || share_a_byte(*a.writes, *b.reads) ||
         share_a_byte(*a.reads, *b.writes);
}

Pairs races_by_brute_force(const Steps& steps) {
  const Plain plain(steps);
  Pairs pairs;
  for (std::size_t later = 0; later < steps.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (steps[later].kind != Step::Kind::kUse || steps[earlier].kind != Step::Kind::kUse) continue;
      if (!plain.ordered(later, earlier) && conflict(steps[later], steps[earlier]))
        pairs.emplace(later, earlier);
    }
  }
  return pairs;
}

// Each call has a stack of its own, as different lines of a program have.
void tell(Model& model, const Step& step, std::size_t number) {
  static const ApiCall call{"aclnnSomething", "", {}};
  if (step.kind == Step::Kind::kSynchronise)
    return model.host_knows(step.stream, model.position(step.stream));
  model.begin(call);
  auto record = std::make_shared<CallRecord>();
  record->function = call.function;
  record->stack.frames[0] = 16 * (number + 1);
  record->stack.depth = 1;
  thread_frame().record = record;
  std::vector<Footprint> touches;
  WorkKind kind = step.kind == Step::Kind::kRecord ? WorkKind::kRecord : WorkKind::kWait;
  if (step.kind == Step::Kind::kUse) {
    kind = WorkKind::kOperator;
    touches = {step.reads->footprint, step.writes->footprint};
    touches[1].access = Access::kWrite;
  }
  model.queued({kind, "aclnnSomething", step.stream, event_handle(step.event), touches});
  model.end(call);
}

Pairs races_of_the_model(const Steps& steps) {
  static const Options options = [] {
    Options quiet;
    quiet.on.fill(false);
    quiet.on[static_cast<std::size_t>(RuleId::race_between_streams)] = true;
    quiet.log_file = "/dev/null";
    return quiet;
  }();
  Model model(options);
  static const ApiCall call{"aclrtMalloc", "", {}};
  model.begin(call);
  model.allocated({reinterpret_cast<const std::byte*>(kBase), kBytes, kBytes, MemoryKind::kDevice, 0});
  for (int i = 0; i < 6; ++i) model.made_stream({i, event_handle(8 + i), nullptr, StreamKind::kOwn});
  model.end(call);

  std::vector<std::size_t> step_of_call = {0};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    tell(model, steps[i], i);
    if (steps[i].kind != Step::Kind::kSynchronise) step_of_call.push_back(i);
  }
  Pairs pairs;
  static const std::regex two_calls(R"(\(call (\d+)\).*\(call (\d+)\))");
  for (const Finding& finding : model.findings()) {
    std::smatch found;
    EXPECT_TRUE(std::regex_search(finding.message, found, two_calls)) << finding.message;
    pairs.emplace(step_of_call[std::stoul(found[1])], step_of_call[std::stoul(found[2])]);
  }
  return pairs;
}

std::set<std::size_t> later_ones(const Pairs& pairs) {
  std::set<std::size_t> later;
  for (const auto& pair : pairs) later.insert(pair.first);
  return later;
}

// One order that the streams, events and waits allow. `first` comes before `second` where that can be.
std::vector<std::size_t> legal_order(const Plain& plain, Random& random,
                                     std::optional<std::size_t> first = {},
                                     std::optional<std::size_t> second = {}) {
  const Graph& graph = plain.program.graph;
  std::set<std::size_t> done;
  std::vector<std::size_t> order;
  while (order.size() < graph.size()) {
    std::vector<std::size_t> ready;
    for (std::size_t node = 0; node < graph.size(); ++node) {
      const bool waits = std::ranges::any_of(graph.before(node), [&](std::size_t earlier) {
        return earlier != node && !done.contains(earlier);
      });
      if (!waits && !done.contains(node)) ready.push_back(node);
    }
    if (second && !done.contains(*first) && ready.size() > 1) std::erase(ready, *second);
    const std::size_t node = ready[static_cast<std::size_t>(below(random, static_cast<int>(ready.size())))];
    done.insert(node);
    order.push_back(node);
  }
  return order;
}

std::uint64_t mix(std::uint64_t key, std::uint64_t value) {
  return (key ^ value) * 0x100000001b3 + (key >> 29);
}

// What the program leaves behind if its work runs in this order.
std::array<std::uint64_t, kBytes> outcome(const Steps& steps, const Plain& plain,
                                          const std::vector<std::size_t>& order) {
  std::array<std::uint64_t, kBytes> memory{};
  for (const std::size_t node : order) {
    const Step& step = steps[plain.step_of[node]];
    if (step.kind != Step::Kind::kUse) continue;
    std::uint64_t value = mix(node + 1, 1);
    for (const std::uintptr_t at : step.reads->bytes()) value = mix(value, memory[at - kBase]);
    for (const std::uintptr_t at : step.writes->bytes()) memory[at - kBase] = mix(value, at);
  }
  return memory;
}

Steps with_fix(const Steps& steps, const std::pair<std::size_t, std::size_t>& race) {
  Steps fixed;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i == race.first) fixed.push_back({Step::Kind::kWait, steps[i].stream, kEvents});
    fixed.push_back(steps[i]);
    if (i == race.second) fixed.push_back({Step::Kind::kRecord, steps[i].stream, kEvents});
  }
  return fixed;
}

// The pairs of the fixed program as steps of the one before.
Pairs as_before(const Pairs& pairs, const std::pair<std::size_t, std::size_t>& race) {
  const auto step = [&](std::size_t i) { return i - (i > race.second ? 1 : 0) - (i > race.first ? 1 : 0); };
  Pairs result;
  for (const auto& [later, earlier] : pairs) result.emplace(step(later), step(earlier));
  return result;
}

TEST(Verdicts, AreThoseOfEveryPairAndEveryByte) {
  int racing = 0;
  const int programs = cases() / 3;
  for (int seed = 0; seed < programs; ++seed) {
    Random random(static_cast<unsigned>(seed));
    const Steps steps = random_steps(random);
    const Pairs expected = races_by_brute_force(steps);
    const Pairs found = races_of_the_model(steps);
    racing += expected.empty() ? 0 : 1;
    ASSERT_EQ(later_ones(found), later_ones(expected)) << "seed " << seed;
    for (const auto& pair : found) ASSERT_TRUE(expected.contains(pair)) << "seed " << seed;
  }
  EXPECT_GT(racing, programs / 10);
  EXPECT_LT(racing, programs * 9 / 10);
}

TEST(Verdicts, WithoutARaceEveryLegalOrderGivesTheSameBits) {
  int tried = 0;
  for (int seed = 0; seed < cases() / 3; ++seed) {
    Random random(static_cast<unsigned>(seed));
    const Steps steps = random_steps(random);
    if (!races_of_the_model(steps).empty()) continue;
    ++tried;
    const Plain plain(steps);
    const auto expected = outcome(steps, plain, legal_order(plain, random));
    for (int i = 0; i < 20; ++i)
      ASSERT_EQ(outcome(steps, plain, legal_order(plain, random)), expected) << "seed " << seed;
  }
  EXPECT_GT(tried, cases() / 100);
}

TEST(Verdicts, ARaceIsTwoLegalOrdersThatSwapThePair) {
  for (int seed = 0; seed < cases() / 10; ++seed) {
    Random random(static_cast<unsigned>(seed));
    const Steps steps = random_steps(random);
    const Plain plain(steps);
    for (const auto& [later, earlier] : races_of_the_model(steps)) {
      const std::size_t a = *plain.nodes[later];
      const std::size_t b = *plain.nodes[earlier];
      for (const auto& [first, second] : {std::pair(a, b), std::pair(b, a)}) {
        const std::vector<std::size_t> order = legal_order(plain, random, first, second);
        ASSERT_LT(std::ranges::find(order, first) - order.begin(),
                  std::ranges::find(order, second) - order.begin())
            << "seed " << seed;
      }
    }
  }
}

TEST(Verdicts, TheFixThatIsNamedTakesThatFindingAwayAndAddsNone) {
  int fixed_ones = 0;
  for (int seed = 0; seed < cases() / 10; ++seed) {
    Random random(static_cast<unsigned>(seed));
    const Steps steps = random_steps(random);
    const Pairs before = races_by_brute_force(steps);
    for (const auto& race : races_of_the_model(steps)) {
      const Steps fixed = with_fix(steps, race);
      const Pairs expected = races_by_brute_force(fixed);
      const Pairs found = races_of_the_model(fixed);
      ASSERT_EQ(later_ones(found), later_ones(expected)) << "seed " << seed;
      const Pairs after = as_before(expected, race);
      ASSERT_FALSE(after.contains(race)) << "seed " << seed;
      ASSERT_TRUE(std::ranges::includes(before, after)) << "seed " << seed;
      ++fixed_ones;
    }
  }
  EXPECT_GT(fixed_ones, cases() / 30);
}

}  // namespace
}  // namespace cairn::check
