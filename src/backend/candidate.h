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

// The name in CAIRN_KERNEL, read once; empty when there is none. A candidate of that name is taken wherever
// it can be, for tests and for people who look for a bug.
inline std::string_view forced_candidate() {
  static const std::string_view forced = [] {
    const char* name = std::getenv("CAIRN_KERNEL");
    // A copy that stays: programs may change their environment later on.
    return name == nullptr ? std::string_view() : *new std::string(name);
  }();
  return forced;
}

template <typename Run>
const Candidate<Run>& choose(std::span<const Candidate<Run>> candidates, const void* plan, Choice& choice) {
  const auto take = [&choice](const Candidate<Run>& candidate) -> const Candidate<Run>& {
    choice.candidate = candidate.name;
    return candidate;
  };
  if (const std::string_view forced = forced_candidate(); !forced.empty()) [[unlikely]] {
    for (const Candidate<Run>& candidate : candidates) {
      if (forced != candidate.name) continue;
      const char* reason = candidate.why_not(plan);
      if (reason == nullptr) return take(candidate);
      if (choice.explain)
        choice.reasons.append(candidate.name).append(", which CAIRN_KERNEL names: ").append(reason);
    }
  }
  for (const Candidate<Run>& candidate : candidates.first(candidates.size() - 1)) {
    const char* reason = candidate.why_not(plan);
    if (reason == nullptr) return take(candidate);
    if (!choice.explain) continue;
    if (!choice.reasons.empty()) choice.reasons += "; ";
    choice.reasons.append(candidate.name).append(": ").append(reason);
  }
  return take(candidates.back());
}

}  // namespace cairn
