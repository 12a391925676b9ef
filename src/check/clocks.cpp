#include "check/clocks.h"

#include <algorithm>

namespace cairn::check {

bool Clock::raise(std::int32_t stream, std::uint64_t number) {
  const auto place = static_cast<std::size_t>(stream);
  if (place >= at_.size()) at_.resize(place + 1, 0);
  if (at_[place] >= number) return false;
  at_[place] = number;
  return true;
}

bool Clock::join(const Clock& other) {
  bool news = false;
  for (std::size_t i = 0; i < other.at_.size(); ++i)
    news |= raise(static_cast<std::int32_t>(i), other.at_[i]);
  return news;
}

Order::Stream& Order::stream_at(std::int32_t stream) {
  const auto place = static_cast<std::size_t>(stream);
  if (place >= streams_.size()) streams_.resize(place + 1);
  return streams_[place];
}

Epoch Order::queue(std::int32_t stream) {
  Stream& state = stream_at(stream);
  if (state.host_version != host_version_) {
    state.host_version = host_version_;
    if (state.clock.join(host_)) state.snapshot = nullptr;
  }
  const std::uint64_t number = ++state.number;
  if (state.snapshot == nullptr) state.snapshot = std::make_shared<const Clock>(state.clock);
  if (state.history.empty() || state.history.back().second != state.snapshot)
    state.history.emplace_back(number, state.snapshot);
  return {stream, number, state.snapshot, state.host_functions > 0};
}

bool Order::wait(std::int32_t stream, const void* event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return false;
  Stream& state = stream_at(stream);
  bool news = state.clock.join(*found->second.before);
  news |= state.clock.raise(found->second.stream, found->second.number);
  if (news) state.snapshot = nullptr;
  return true;
}

void Order::host_function_ended(const Epoch& place) {
  Stream& state = stream_at(place.stream);
  if (state.host_functions > 0) --state.host_functions;
}

bool Order::has_host_function_to_run() const {
  return std::ranges::any_of(streams_, [](const Stream& stream) { return stream.host_functions > 0; });
}

void Order::host_knows(std::int32_t stream, std::uint64_t number) {
  Stream& state = stream_at(stream);
  number = std::min(number, state.number);
  if (!host_.raise(stream, number)) return;
  learn(true);
  std::shared_ptr<const Clock> before;
  while (!state.history.empty() && state.history.front().first <= number) {
    before = state.history.front().second;
    // The last one still counts for what comes behind it.
    if (state.history.size() == 1 || state.history[1].first > number) break;
    state.history.pop_front();
  }
  if (before != nullptr) learn(host_.join(*before));
}

void Order::host_knows(const Epoch& epoch) {
  learn(host_.raise(epoch.stream, epoch.number));
  if (epoch.before != nullptr) learn(host_.join(*epoch.before));
}

void Order::host_knows_before(const Epoch& epoch) {
  host_knows({epoch.stream, epoch.number - 1, epoch.before});
}

void Order::host_knows_event(const void* event) {
  const auto found = events_.find(event);
  if (found != events_.end()) host_knows(found->second);
}

}  // namespace cairn::check
