#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "aclnn/opdev/op_errno.h"
#include "common/status.h"

namespace cairn {

class CallBase;

// What is wrong with a call, in words for people; empty when the rule holds. Most are, so that an empty one
// costs no more than a null pointer.
class Complaint {
 public:
  Complaint() = default;
  Complaint(std::string words)  // NOLINT(google-explicit-constructor): checks return sentences
      : words_(words.empty() ? nullptr : std::make_unique<std::string>(std::move(words))) {}

  bool empty() const { return words_ == nullptr; }
  std::string_view text() const { return empty() ? std::string_view{} : *words_; }

 private:
  std::unique_ptr<const std::string> words_;
};

// A contract is an ordered table of these; the first that is broken decides the status. A check may rely on
// every rule before its own.
struct Rule {
  const char* name;  // also ends the message of a call that breaks it
  Status status;
  const char* text;  // what must hold, in one sentence; see in_words
  Complaint (*check)(const CallBase&);
};

inline constexpr Status kNull = ACLNN_ERR_PARAM_NULLPTR;
inline constexpr Status kInvalid = ACLNN_ERR_PARAM_INVALID;

template <typename Check>
struct CheckedCall;
template <typename Call>
struct CheckedCall<Complaint (*)(const Call&)> {
  using Type = Call;
};

// A check of a family's own Call, as a rule has it.
template <auto kCheck>
Complaint of_call(const CallBase& call) {
  return kCheck(static_cast<const typename CheckedCall<decltype(kCheck)>::Type&>(call));
}

}  // namespace cairn
