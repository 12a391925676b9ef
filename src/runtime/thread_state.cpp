#include "runtime/thread_state.h"

#include <utility>

#include "runtime/state.h"

namespace cairn {
namespace {

constexpr std::size_t kMostTexts = 16;

// Trivially destructible, so that destructors of the program that run later than ours may still call the API.
constinit thread_local ThreadState t_state;
constinit thread_local bool t_ended = false;

struct Cleanup {
  ~Cleanup() {
    delete std::exchange(t_state.texts, nullptr);
    t_ended = true;
  }
  void touch() const {}
};
thread_local Cleanup t_cleanup;

}  // namespace

void PendingText::add(std::string text) {
  texts_.push_front(std::move(text));
  if (texts_.size() > kMostTexts) texts_.pop_back();
}

std::string PendingText::take() {
  std::string all;
  for (const std::string& text : texts_) all += text;
  texts_.clear();
  return all;
}

ThreadState& thread_state() {
  const State* state = &State::get();
  if (t_state.owner != state) {
    t_state.owner = state;
    t_state.context = nullptr;
    t_state.last_error = 0;
    t_state.last_call = {};
    if (t_state.texts != nullptr) *t_state.texts = {};
  }
  return t_state;
}

ThreadTexts* thread_texts() {
  ThreadState& state = thread_state();
  if (t_ended) return nullptr;
  if (state.texts == nullptr) {
    t_cleanup.touch();
    state.texts = new ThreadTexts;
  }
  return state.texts;
}

}  // namespace cairn
