// What the tests of the model share: programs, and oracles that think of nothing clever.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "observe/values.h"

namespace cairn::check {

inline int cases() {
  const char* wanted = std::getenv("CAIRN_TEST_CASES");
  return wanted == nullptr ? 3000 : std::atoi(wanted);
}

using Random = std::mt19937;
inline int below(Random& random, int limit) {
  return static_cast<int>(random() % static_cast<unsigned>(limit));
}

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
  const std::set<std::size_t>& before(std::size_t node) const { return done_before_[node]; }
  std::size_t size() const { return done_before_.size(); }
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

inline const void* event_handle(int event) {
  static std::array<char, 16> handles;
  return &handles[static_cast<std::size_t>(event)];
}

inline constexpr int kBytes = 192;

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

}  // namespace cairn::check
