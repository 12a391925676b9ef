#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workload.h"

namespace cairn::bench {

// What a row computes, in its layout.
struct Result {
  std::vector<std::byte> values;
  std::vector<std::byte> indices;  // if it makes any, in its own index type
};

struct HostData {
  std::vector<std::byte> values;
  std::vector<std::byte> indices;              // in the row's own index type; empty if it makes them
  const std::vector<std::int64_t>* positions;  // the same, 64-bit
};

// One implementation of one row, its tensors made and its output preallocated, ready to be timed.
class Contender {
 public:
  virtual ~Contender() = default;
  virtual const char* name() const = 0;
  virtual void run() = 0;                    // returns when the result is there
  virtual Result result() = 0;               // without indices if they are not comparable
  virtual bool same_definition() const = 0;  // its result must equal ours to the bit on these data
};

// Ours, through the C API, on the default stream.
class OurContender : public Contender {
 public:
  virtual void queue() = 0;  // both phases, without waiting
  // The same call; microseconds that phase 1 and phase 2 took.
  virtual std::pair<double, double> run_in_phases() = 0;
};

// `data` may be of fewer planes, all of which are then taken again and again.
std::unique_ptr<OurContender> make_ours(const Case& row, const HostData& data);
// The loops that a user would write, on one thread.
std::unique_ptr<Contender> make_plain(const Case& row, const HostData& data, int threads);
// Null when the library is not built in, or has no such kernel for this row.
std::unique_ptr<Contender> make_torch(const Case& row, const HostData& data, int threads);
std::unique_ptr<Contender> make_onednn(const Case& row, const HostData& data, int threads);
extern const bool kHasTorch;
extern const bool kHasOneDnn;

// A copy of a large buffer on `threads` threads: what the machine's memory can do.
class CopyProbe {
 public:
  CopyProbe(std::size_t bytes, int threads);
  ~CopyProbe();
  CopyProbe(const CopyProbe&) = delete;
  CopyProbe& operator=(const CopyProbe&) = delete;
  void run();
  double bytes_moved() const;  // read and written

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cairn::bench
