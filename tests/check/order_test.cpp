// The model against oracles that think of nothing clever: who waits for whom as reachability in the whole
// graph, overlap and definedness byte by byte, races as every pair of uses.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "check/clocks.h"
#include "check/defined.h"
#include "check/model.h"
#include "check/view.h"

namespace cairn::check {
namespace {

int cases() {
  const char* wanted = std::getenv("CAIRN_TEST_CASES");
  return wanted == nullptr ? 3000 : std::atoi(wanted);
}

using Random = std::mt19937;
int below(Random& random, int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

// Every piece of work with all that has to be done before it.
class Graph {
 public:
  std::size_t add(const std::vector<std::size_t>& before) {
    std::set<std::size_t> all = {done_before_.size()};
    for (const std::size_t earlier : before)
      all.insert(done_before_[earlier].begin(), done_before_[earlier].end());
    done_before_.push_back(std::move(all));
    return done_before_.size() - 1;
  }
  bool reaches(std::size_t later, std::size_t earlier) const { return done_before_[later].contains(earlier); }

 private:
  std::vector<std::set<std::size_t>> done_before_;
};

// A random program of streams, events and waits, told to a graph as well.
class Program {
 public:
  Program(Random& random, int streams, int events)
      : random_(random),
        last_(static_cast<std::size_t>(streams)),
        pending_(static_cast<std::size_t>(streams)),
        recorded_(static_cast<std::size_t>(events)) {}

  int stream() { return below(random_, static_cast<int>(last_.size())); }
  int event() { return below(random_, static_cast<int>(recorded_.size())); }

  // A node behind all that the stream and the host wait for.
  std::size_t queue(int stream) {
    const auto place = static_cast<std::size_t>(stream);
    std::vector<std::size_t> before = pending_[place];
    if (last_[place]) before.push_back(*last_[place]);
    before.insert(before.end(), host_.begin(), host_.end());
    const std::size_t node = graph.add(before);
    pending_[place].clear();
    last_[place] = node;
    return node;
  }
  void record(int event, std::size_t node) { recorded_[static_cast<std::size_t>(event)] = node; }
  void wait(int stream, int event) {
    const auto& node = recorded_[static_cast<std::size_t>(event)];
    if (node) pending_[static_cast<std::size_t>(stream)].push_back(*node);
  }
  void host_knows(int stream) {
    const auto place = static_cast<std::size_t>(stream);
    if (last_[place]) host_.push_back(*last_[place]);
  }
  void host_knows_event(int event) {
    if (recorded_[static_cast<std::size_t>(event)])
      host_.push_back(*recorded_[static_cast<std::size_t>(event)]);
  }
  bool host_knows_of(std::size_t node) const {
    return std::ranges::any_of(host_, [&](std::size_t known) { return graph.reaches(known, node); });
  }

  Graph graph;

 private:
  Random& random_;
  std::vector<std::optional<std::size_t>> last_;
  std::vector<std::vector<std::size_t>> pending_;
  std::vector<std::optional<std::size_t>> recorded_;
  std::vector<std::size_t> host_;
};

const void* event_handle(int event) {
  static std::array<char, 16> handles;
  return &handles[static_cast<std::size_t>(event)];
}

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

constexpr int kBytes = 192;

// A view of a block that begins at `base`, with memory of its own for the shape.
struct RandomView {
  RandomView(Random& random, std::uintptr_t base) {
    constexpr std::array<std::int64_t, 3> kSizes = {1, 2, 4};
    const std::int64_t element = kSizes[static_cast<std::size_t>(below(random, 3))];
    const int rank = 1 + below(random, 3);
    std::int64_t last = 0;
    for (int i = 0; i < rank; ++i) {
      dims.push_back(1 + below(random, 4));
      strides.push_back(1 + below(random, 9));
      last += (dims.back() - 1) * strides.back();
    }
    const std::int64_t span = (last + 1) * element;
    if (span > kBytes) {
      dims.assign(1, 2);
      strides.assign(1, 1);
      last = 1;
    }
    const std::int64_t bytes = (last + 1) * element;
    const auto offset = static_cast<std::uintptr_t>(below(random, static_cast<int>(kBytes - bytes) + 1));
    shape = {dims, strides, element, 0};
    footprint = {"self", Access::kRead, Place::kOurs,
                 base,   base + offset, base + offset + static_cast<std::uintptr_t>(bytes),
                 &shape};
  }
  RandomView(const RandomView&) = delete;
  RandomView& operator=(const RandomView&) = delete;

  std::set<std::uintptr_t> bytes() const {
    std::set<std::uintptr_t> all;
    std::vector<std::int64_t> index(dims.size(), 0);
    for (;;) {
      std::int64_t at = 0;
      for (std::size_t i = 0; i < dims.size(); ++i) at += index[i] * strides[i];
      for (std::int64_t b = 0; b < shape.element_size; ++b)
        all.insert(footprint.begin + static_cast<std::uintptr_t>(at * shape.element_size + b));
      std::size_t axis = 0;
      while (axis < dims.size() && ++index[axis] == dims[axis]) index[axis++] = 0;
      if (axis == dims.size()) return all;
    }
  }

  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> strides;
  ViewShape shape{};
  Footprint footprint{};
};

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
