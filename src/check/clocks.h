#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace cairn::check {

// How far each stream is known to have come: a vector clock.
class Clock {
 public:
  std::uint64_t at(std::int32_t stream) const {
    const auto place = static_cast<std::size_t>(stream);
    return place < at_.size() ? at_[place] : 0;
  }
  // Whether that was news.
  bool raise(std::int32_t stream, std::uint64_t number);
  bool join(const Clock& other);

 private:
  std::vector<std::uint64_t> at_;
};

// A piece of queued work: the n-th of its stream, and what is done before it begins.
struct Epoch {
  std::int32_t stream = -1;
  std::uint64_t number = 0;
  std::shared_ptr<const Clock> before = nullptr;
  bool uncertain = false;  // queued behind a host function that was still to run, which may wait for anything

  // Whether `earlier` is sure to be done when this begins.
  bool comes_after(const Epoch& earlier) const {
    if (stream == earlier.stream) return number >= earlier.number;
    return before->at(earlier.stream) >= earlier.number;
  }
};

// Who has to wait for whom, learnt from the calls in the order in which they are made. The host's threads
// count as one: what orders them is not to be seen, so a race between them is hidden, never invented.
class Order {
 public:
  Epoch queue(std::int32_t stream);
  void record(const void* event, const Epoch& epoch) { events_[event] = epoch; }
  // False when it was never recorded.
  bool wait(std::int32_t stream, const void* event);
  void reset(const void* event) { events_.erase(event); }

  void host_function_queued(std::int32_t stream) { ++stream_at(stream).host_functions; }
  void host_function_ended(const Epoch& place);

  std::uint64_t position(std::int32_t stream) { return stream_at(stream).number; }
  void host_knows(std::int32_t stream, std::uint64_t number);
  void host_knows(const Epoch& epoch);
  // All that comes before it, but not that itself.
  void host_knows_before(const Epoch& epoch);
  void host_knows_event(const void* event);
  bool host_knows_of(const Epoch& epoch) const { return host_.at(epoch.stream) >= epoch.number; }
  bool has_host_function_to_run() const;
  std::uint64_t known(std::int32_t stream) const { return host_.at(stream); }

 private:
  struct Stream {
    std::uint64_t number = 0;
    std::uint64_t host_version = 0;  // of the host's clock that it has joined
    std::uint64_t host_functions = 0;
    Clock clock;
    std::shared_ptr<const Clock> snapshot = std::make_shared<const Clock>();
    // Where the snapshot changed, for waits that cover less than all.
    std::deque<std::pair<std::uint64_t, std::shared_ptr<const Clock>>> history;
  };

  Stream& stream_at(std::int32_t stream);
  void learn(bool news) { host_version_ += news ? 1 : 0; }

  std::vector<Stream> streams_;
  std::map<const void*, Epoch> events_;
  Clock host_;
  std::uint64_t host_version_ = 1;
};

}  // namespace cairn::check
