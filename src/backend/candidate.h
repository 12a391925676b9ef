#pragma once

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

}  // namespace cairn
