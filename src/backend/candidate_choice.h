#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "backend/candidate.h"

namespace cairn {

// Which candidate a launch got.
struct Choice {
  std::uint64_t call = 0;            // asked with: what a tool calls this launch
  std::uint64_t bytes = UINT64_MAX;  // asked with: of the elements that the kernel goes over
  const char* candidate = nullptr;
  bool explain = false;      // asks for the reasons
  std::string reasons = {};  // of those before it: "pairs: windows overlap along W; bands: …"
  std::string others = {};   // where none has the name that CAIRN_KERNEL says: "pairs, bands, all"
};

// What CAIRN_KERNEL says, read once: "bands" takes the candidate of that name wherever it can be taken,
// "-bands" does without it. For tests, for measuring what a candidate gains, and for people who look for a
// bug.
inline std::string_view candidate_wish() {
  static const std::string_view wish = [] {
    const char* words = std::getenv("CAIRN_KERNEL");
    // A copy that stays: programs may change their environment later on.
    return words == nullptr ? std::string_view() : *new std::string(words);
  }();
  return wish;
}

// The candidate that a wish names, with or without a minus; null, and all names in `choice`, if there is
// none.
template <typename Run>
const Candidate<Run>* named_in(std::string_view wish, std::span<const Candidate<Run>> candidates,
                               Choice& choice) {
  if (wish.front() == '-') wish.remove_prefix(1);
  for (const Candidate<Run>& candidate : candidates) {
    if (wish == candidate.name) return &candidate;
  }
  for (const Candidate<Run>& candidate : candidates) {
    if (!choice.others.empty()) choice.others += ", ";
    choice.others += candidate.name;
  }
  return nullptr;
}

template <typename Run>
const Candidate<Run>& choose(std::span<const Candidate<Run>> candidates, const void* plan, Choice& choice) {
  const auto take = [&choice](const Candidate<Run>& candidate) -> const Candidate<Run>& {
    choice.candidate = candidate.name;
    return candidate;
  };
  const auto explain = [&choice](const Candidate<Run>& candidate, const char* reason) {
    if (!choice.explain) return;
    if (!choice.reasons.empty()) choice.reasons += "; ";
    choice.reasons.append(candidate.name).append(": ").append(reason);
  };
  const Candidate<Run>* unwanted = nullptr;
  if (const std::string_view wish = candidate_wish(); !wish.empty()) {
    const Candidate<Run>* named = named_in(wish, candidates, choice);
    if (wish.front() == '-') {
      unwanted = named;
    } else if (named != nullptr && named->why_not(plan) == nullptr) {
      return take(*named);
    }
  }
  for (const Candidate<Run>& candidate : candidates.first(candidates.size() - 1)) {
    const char* reason = &candidate == unwanted ? "CAIRN_KERNEL says so" : candidate.why_not(plan);
    if (reason == nullptr) return take(candidate);
    explain(candidate, reason);
  }
  return take(candidates.back());
}

}  // namespace cairn
