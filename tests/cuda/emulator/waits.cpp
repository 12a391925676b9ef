#include <bit>
#include <cstdio>
#include <cstring>
#include <map>

#include "block.h"

namespace cuda_emulator {
namespace {

const char* name_of(BlockWait kind) {
  return kind == BlockWait::kBarrier ? "__syncthreads" : "__syncthreads_or";
}

const char* name_of(WarpWait kind) {
  switch (kind) {
    case WarpWait::kBarrier:
      return "__syncwarp";
    case WarpWait::kShuffle:
      return "__shfl_sync";
    case WarpWait::kShuffleUp:
      return "__shfl_up_sync";
    case WarpWait::kShuffleDown:
      return "__shfl_down_sync";
    case WarpWait::kShuffleXor:
      return "__shfl_xor_sync";
    case WarpWait::kBallot:
      return "__ballot_sync";
    case WarpWait::kAny:
      return "__any_sync";
    case WarpWait::kAll:
      return "__all_sync";
    case WarpWait::kMatchAny:
      return "__match_any_sync";
    case WarpWait::kMax:
    case WarpWait::kUnsignedMax:
      return "__reduce_max_sync";
  }
  return "";
}

// "0-15, 20" of ascending numbers.
std::string as_ranges(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
    if (end - i > 1) text += "-" + std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

// The lane whose value a shuffle gives to this one.
int source_of(WarpWait kind, int lane, const Brought& brought) {
  const int first = lane / brought.width * brought.width;
  int source = lane;
  switch (kind) {
    case WarpWait::kShuffle:
      return first + (brought.by & (brought.width - 1));
    case WarpWait::kShuffleUp:
      source = lane - brought.by;
      break;
    case WarpWait::kShuffleDown:
      source = lane + brought.by;
      break;
    default:
      source = lane ^ brought.by;
      break;
  }
  // A butterfly may reach a group before its own, but none behind it.
  const bool there = (source >= first || kind == WarpWait::kShuffleXor) && source < first + brought.width;
  return there ? source : lane;
}

bool is_shuffle(WarpWait kind) {
  return kind == WarpWait::kShuffle || kind == WarpWait::kShuffleUp || kind == WarpWait::kShuffleDown ||
         kind == WarpWait::kShuffleXor;
}

// What each of the lanes gets that are there.
void exchange(const Meeting& meeting, const Thread* lanes, std::uint64_t (&results)[32]) {
  std::uint64_t largest = 0;
  unsigned votes = 0;
  for (int i = 0; i < 32; ++i) {
    if ((meeting.there >> i & 1U) == 0) continue;
    const std::uint64_t value = lanes[i].brought.value;
    votes |= static_cast<unsigned>(value != 0) << i;
    const bool signed_max = meeting.wait == WarpWait::kMax;
    // Signed numbers are in the order of unsigned ones with the sign turned over.
    const std::uint64_t key = signed_max ? (value ^ 0x80000000U) & 0xFFFFFFFFU : value;
    largest = key > largest ? key : largest;
  }
  for (int i = 0; i < 32; ++i) {
    if ((meeting.there >> i & 1U) == 0) continue;
    const Brought& own = lanes[i].brought;
    if (is_shuffle(meeting.wait)) {
      const int source = source_of(meeting.wait, i, own);
      results[i] = (meeting.there >> source & 1U) != 0 ? lanes[source].brought.value : ~std::uint64_t{0};
      continue;
    }
    switch (meeting.wait) {
      case WarpWait::kBallot:
        results[i] = votes;
        break;
      case WarpWait::kAny:
        results[i] = votes != 0 ? 1 : 0;
        break;
      case WarpWait::kAll:
        results[i] = votes == meeting.there ? 1 : 0;
        break;
      case WarpWait::kMax:
        results[i] = largest ^ 0x80000000U;
        break;
      case WarpWait::kUnsignedMax:
        results[i] = largest;
        break;
      case WarpWait::kMatchAny:
        results[i] = 0;
        for (int k = 0; k < 32; ++k)
          if ((meeting.there >> k & 1U) != 0 && lanes[k].brought.value == own.value) results[i] |= 1U << k;
        break;
      default:
        results[i] = 0;
    }
  }
}

}  // namespace

void Machine::append(std::string& text, Bits part) {
  char digits[16];
  std::snprintf(digits, sizeof(digits), "0x%x", part.bits);
  text += digits;
}
void Machine::append(std::string& text, Place part) {
  const char* slash = std::strrchr(part.file, '/');
  text += " (";
  text += slash != nullptr ? slash + 1 : part.file;
  text += ":" + std::to_string(part.line) + ")";
}

bool Machine::wait_for_block(BlockWait kind, bool predicate, Place place) {
  Thread& self = thread();
  if (at_block_ == 0) {
    first_wait_ = kind;
    first_place_ = place;
  } else if (first_wait_ != kind || first_place_ != place) {
    fail("waits at ", name_of(kind), place, ", while others wait at ", name_of(first_wait_), first_place_);
  }
  self.state = Thread::State::kAtBlock;
  self.block_wait = kind;
  self.place = place;
  any_ |= predicate;
  ++at_block_;
  --ready_;
  if (at_block_ == live_) {
    release_block();
  } else {
    yield();
  }
  return self.result != 0;
}

void Machine::release_block() {
  for (Thread& it : threads_) {
    if (it.state != Thread::State::kAtBlock) continue;
    it.state = Thread::State::kReady;
    it.result = any_ ? 1 : 0;
  }
  ready_ += at_block_;
  at_block_ = 0;
  any_ = false;
  tries_ = 0;
}

std::uint64_t Machine::wait_for_lanes(WarpWait kind, unsigned mask, const Brought& brought, Place place) {
  Thread& self = thread();
  const unsigned number = current_ / kWarp;
  const unsigned bit = 1U << current_ % kWarp;
  if ((mask & bit) == 0) fail("is not in its own mask ", Bits{mask}, " of ", name_of(kind), place);
  if (brought.width < 1 || brought.width > 32 || !std::has_single_bit(static_cast<unsigned>(brought.width)))
    fail("shuffles in groups of ", brought.width, place);
  self.state = Thread::State::kAtWarp;
  self.warp_wait = kind;
  self.mask = mask;
  self.brought = brought;
  self.place = place;
  --ready_;
  Warp& warp = warps_[number];
  bool found = false;
  for (Meeting& meeting : warp.meetings) {
    if (meeting.wait != kind || meeting.mask != mask) continue;
    meeting.there |= bit;
    found = true;
  }
  if (!found) warp.meetings.push_back({kind, mask, bit});
  release_if_complete(number);
  if (self.state == Thread::State::kAtWarp) yield();
  return self.result;
}

void Machine::release_if_complete(unsigned number) {
  Warp& warp = warps_[number];
  for (std::size_t i = 0; i < warp.meetings.size();) {
    const Meeting meeting = warp.meetings[i];
    if ((meeting.mask & ~(meeting.there | warp.ended)) != 0) {
      ++i;
      continue;
    }
    warp.meetings.erase(warp.meetings.begin() + static_cast<std::ptrdiff_t>(i));
    release(number, meeting);
  }
}

void Machine::release(unsigned number, const Meeting& meeting) {
  Thread* const lanes = threads_.data() + std::size_t{number} * kWarp;
  std::uint64_t results[32];
  exchange(meeting, lanes, results);
  for (int i = 0; i < 32; ++i) {
    if ((meeting.there >> i & 1U) == 0) continue;
    lanes[i].state = Thread::State::kReady;
    lanes[i].result = results[i];
    ++ready_;
  }
  tries_ = 0;
}

std::string Machine::where_they_wait() const {
  std::map<std::string, std::vector<std::size_t>> waiting;  // by what for
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const Thread& it = threads_[i];
    if (it.state != Thread::State::kAtBlock && it.state != Thread::State::kAtWarp) continue;
    std::string what = it.state == Thread::State::kAtBlock ? name_of(it.block_wait) : name_of(it.warp_wait);
    if (it.state == Thread::State::kAtWarp) append(what += " of ", Bits{it.mask});
    append(what, it.place);
    waiting[what].push_back(i);
  }
  std::string text;
  for (const auto& [what, threads] : waiting)
    text += (text.empty() ? "threads " : "; threads ") + as_ranges(threads) + " wait at " + what;
  return text;
}

}  // namespace cuda_emulator
