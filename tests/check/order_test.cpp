// The model against oracles that think of nothing clever: who waits for whom as reachability in the whole
// graph, overlap and definedness byte by byte, races as every pair of uses.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "check/clocks.h"
#include "check/defined.h"
#include "check/model.h"
#include "check/oracle.h"
#include "check/view.h"

namespace cairn::check {
namespace {

TEST(Order, IsReachabilityInTheWholeGraph) {
  for (int seed = 0; seed < cases() / 10; ++seed) {
    Random random(static_cast<unsigned>(seed));
    Program program(random, 1 + below(random, 6), 4);
    Order order;
    std::vector<std::pair<Epoch, std::size_t>> works;
    for (int step = 0; step < 60; ++step) {
      const int stream = program.stream();
      const int event = program.event();
      switch (below(random, 8)) {
        case 0: {
          const Epoch epoch = order.queue(stream);
          order.record(event_handle(event), epoch);
          const std::size_t node = program.queue(stream);
          program.record(event, node);
          works.emplace_back(epoch, node);
          break;
        }
        case 1:
          order.wait(stream, event_handle(event));
          program.wait(stream, event);
          break;
        case 2:
          if (below(random, 4) != 0) break;
          order.host_knows(stream, order.position(stream));
          program.host_knows(stream);
          break;
        case 3:
          if (below(random, 3) != 0) break;
          order.host_knows_event(event_handle(event));
          program.host_knows_event(event);
          break;
        default: {
          const Epoch epoch = order.queue(stream);
          works.emplace_back(epoch, program.queue(stream));
        }
      }
    }
    for (const auto& [later, node] : works) {
      ASSERT_EQ(order.host_knows_of(later), program.host_knows_of(node)) << "seed " << seed;
      for (const auto& [earlier, other] : works) {
        if (other >= node) continue;  // only what was queued before is ever asked about
        ASSERT_EQ(later.comes_after(earlier), program.graph.reaches(node, other)) << "seed " << seed;
      }
    }
  }
}

TEST(View, OverlapsAndRowsAreThoseOfItsBytes) {
  Random random(1);
  for (int i = 0; i < cases(); ++i) {
    const RandomView a(random, 4096);
    const RandomView b(random, 4096);
    const std::set<std::uintptr_t> bytes_a = a.bytes();
    const std::set<std::uintptr_t> bytes_b = b.bytes();
    const bool shared = std::ranges::any_of(bytes_a, [&](std::uintptr_t at) { return bytes_b.contains(at); });
    ASSERT_EQ(View(a.footprint).overlaps(View(b.footprint)), shared) << "case " << i;
    std::set<std::uintptr_t> rows;
    View(a.footprint).for_each_row([&](std::uintptr_t row, std::size_t bytes) {
      for (std::size_t at = 0; at < bytes; ++at) rows.insert(row + at);
      return true;
    });
    ASSERT_EQ(rows, bytes_a) << "case " << i;
  }
}

TEST(Defined, IsAnArrayOfFlags) {
  Random random(2);
  for (int i = 0; i < cases() / 10; ++i) {
    const auto requested = static_cast<std::size_t>(1 + below(random, kBytes));
    const std::size_t usable = requested + static_cast<std::size_t>(below(random, 64));
    std::array<Defined, 2> model = {Defined(requested, usable), Defined(requested, usable)};
    std::array<std::vector<bool>, 2> plain = {std::vector<bool>(usable), std::vector<bool>(usable)};
    for (int step = 0; step < 30; ++step) {
      const auto which = static_cast<std::size_t>(below(random, 2));
      std::size_t begin = static_cast<std::size_t>(below(random, static_cast<int>(usable)));
      std::size_t end = begin + 1 + static_cast<std::size_t>(below(random, static_cast<int>(usable - begin)));
      if (below(random, 5) == 0) begin = 0, end = requested;
      if (below(random, 2) == 0) {
        model[which].set(begin, end);
        for (std::size_t at = begin; at < end; ++at) plain[which][at] = true;
      } else {
        const std::size_t source =
            static_cast<std::size_t>(below(random, static_cast<int>(usable - (end - begin)) + 1));
        model[which].copy(begin, end - begin, model[1 - which], source);
        for (std::size_t at = 0; at < end - begin; ++at)
          plain[which][begin + at] = plain[1 - which][source + at];
      }
      for (std::size_t at = 0; at < usable; ++at)
        ASSERT_EQ(model[which].test(at), plain[which][at]) << "case " << i;
      std::size_t first = begin;
      while (first < end && plain[which][first]) ++first;
      ASSERT_EQ(model[which].first_unwritten(begin, end), first) << "case " << i;
    }
  }
}

// One use of a block in a random program.
struct PlainUse {
  std::size_t node;
  int stream;
  bool writes;
  std::set<std::uintptr_t> bytes;
};

// Calls of the runtime, as the door tells of them.
class Runtime {
 public:
  explicit Runtime(const Options& options) : model(options) {
    model.begin(call_);
    model.allocated({reinterpret_cast<const std::byte*>(kBase), kBytes, kBytes, MemoryKind::kDevice, 0});
    for (int i = 0; i < 6; ++i) model.made_stream({i, event_handle(8 + i), nullptr, StreamKind::kOwn});
    model.end(call_);
  }
  void queue(WorkKind kind, int stream, const void* event, std::span<const Footprint> touches) {
    model.begin(call_);
    model.queued({kind, "aclnnSomething", stream, event, touches});
    model.end(call_);
  }

  static constexpr std::uintptr_t kBase = 1 << 20;
  Model model;

 private:
  const ApiCall call_{"aclnnSomething", "", {}};
};

// Whether two uses of different streams, one of them a write, share a byte without an order: for every pair.
bool has_race(const Program& program, const std::vector<PlainUse>& uses) {
  for (const PlainUse& later : uses) {
    for (const PlainUse& earlier : uses) {
      if (earlier.node >= later.node || earlier.stream == later.stream) continue;
      if (!earlier.writes && !later.writes) continue;
      const bool shared =
          std::ranges::any_of(later.bytes, [&](std::uintptr_t at) { return earlier.bytes.contains(at); });
      if (shared && !program.graph.reaches(later.node, earlier.node)) return true;
    }
  }
  return false;
}

TEST(Races, AreFoundExactlyWhereTwoUsesAreNotOrdered) {
  int racing = 0;
  const int programs = cases() / 4;
  Options options;
  options.log_file = "/dev/null";
  for (int seed = 0; seed < programs; ++seed) {
    Random random(static_cast<unsigned>(seed));
    const int streams = 2 + below(random, 3);
    Program program(random, streams, 3);
    Runtime runtime(options);
    std::vector<PlainUse> uses;
    const int steps = 4 + below(random, 16);
    for (int step = 0; step < steps; ++step) {
      const int stream = program.stream();
      const int event = program.event();
      const int what = below(random, 10);
      if (what < 2) {
        runtime.queue(WorkKind::kRecord, stream, event_handle(event), {});
        program.record(event, program.queue(stream));
      } else if (what < 5) {
        program.wait(stream, event);
        runtime.queue(WorkKind::kWait, stream, event_handle(event), {});
        program.queue(stream);
      } else if (what == 5) {
        runtime.model.host_knows(stream, runtime.model.position(stream));
        program.host_knows(stream);
      } else {
        RandomView view(random, Runtime::kBase);
        view.footprint.access = below(random, 2) == 0 ? Access::kWrite : Access::kRead;
        runtime.queue(WorkKind::kOperator, stream, nullptr, {&view.footprint, 1});
        uses.push_back({program.queue(stream), stream, writes(view.footprint.access), view.bytes()});
      }
    }
    const bool expected = has_race(program, uses);
    racing += expected ? 1 : 0;
    ASSERT_EQ(runtime.model.has_found(RuleId::race_between_streams), expected) << "seed " << seed;
  }
  // Neither sort of program is rare.
  EXPECT_GT(racing, programs / 10);
  EXPECT_LT(racing, programs * 9 / 10);
}

}  // namespace
}  // namespace cairn::check
