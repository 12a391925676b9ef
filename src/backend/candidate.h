#pragma once

#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

namespace cairn {

// One way to compute a plan. An operator has an ordered list of them for each backend; the first that nothing
// speaks against runs.
template <typename Run>
struct Candidate {
  const char* name;
  // What speaks against it, in words: "windows overlap along W". Null when it can take the plan, as the last
  // of a list always can.
  const char* (*why_not)(const void* plan);
  Run run;
};

// Which candidate a launch got.
struct Choice {
  const char* candidate = nullptr;
  bool explain = false;      // asks for the reasons
  std::string reasons = {};  // of those before it: "pairs: windows overlap along W; bands: …"
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

// What speaks against a candidate; null if nothing does.
template <typename Run>
const char* reason_against(const Candidate<Run>& candidate, const void* plan) {
  const std::string_view wish = candidate_wish();
  if (!wish.empty() && wish.front() == '-' && wish.substr(1) == candidate.name) return "CAIRN_KERNEL says so";
  return candidate.why_not(plan);
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
  for (const Candidate<Run>& candidate : candidates) {
    if (candidate_wish() == candidate.name && candidate.why_not(plan) == nullptr) return take(candidate);
  }
  for (const Candidate<Run>& candidate : candidates.first(candidates.size() - 1)) {
    const char* reason = reason_against(candidate, plan);
    if (reason == nullptr) return take(candidate);
    explain(candidate, reason);
  }
  return take(candidates.back());
}

}  // namespace cairn
