#include <algorithm>
#include <string>

#include "check/model.h"

namespace cairn::check {
namespace {

// Elements of which no byte was ever written, and those of which some were.
struct Unwritten {
  std::int64_t whole = 0;
  std::int64_t partly = 0;
  std::uintptr_t first_whole = 0;
  std::uintptr_t first_partly = 0;
};

bool row_is_written(const Block& block, std::uintptr_t at, std::size_t bytes, std::size_t limit) {
  const std::size_t begin = at - block.begin;
  const std::size_t end = std::min(begin + bytes, limit);
  return begin >= end || block.defined.first_unwritten(begin, end) == end;
}

void count_element(const Block& block, std::uintptr_t at, std::size_t size, std::size_t limit,
                   Unwritten& found) {
  const std::size_t begin = at - block.begin;
  if (begin + size > limit) return;  // what lies in the padding is tensor_past_request's
  std::size_t written = 0;
  for (std::size_t i = 0; i < size; ++i) written += block.defined.test(begin + i) ? 1U : 0U;
  if (written == size) return;
  std::int64_t& count = written == 0 ? found.whole : found.partly;
  std::uintptr_t& first = written == 0 ? found.first_whole : found.first_partly;
  if (count++ == 0) first = at;
}

Unwritten count_unwritten(const Block& block, const View& view) {
  Unwritten found;
  const auto size = static_cast<std::size_t>(view.element());
  view.for_each_row([&](std::uintptr_t row, std::size_t bytes) {
    if (row_is_written(block, row, bytes, block.requested)) return true;
    for (std::size_t at = 0; at + size <= bytes; at += size)
      count_element(block, row + at, size, block.requested, found);
    return true;
  });
  return found;
}

bool all_written(const Block& block, const View& view) {
  bool all = true;
  view.for_each_row([&](std::uintptr_t row, std::size_t bytes) {
    return all = row_is_written(block, row, bytes, block.requested);
  });
  return all;
}

}  // namespace

void Model::run_operator(const Work& work, const CallPtr& call) {
  for (const Footprint& touch : work.touches) {
    Block* const block = blocks_.find(touch.begin);
    if (block == nullptr || touch.access == Access::kUnused || touch.access == Access::kUpdate) continue;
    // A view that has left its own block has been reported for that.
    const Block* const own = blocks_.find(touch.base);
    if (own != nullptr && own != block) continue;
    note_tensor(touch, *block, call);
    note_piece(touch, *block, call);
    if (!writes(touch.access)) read_elements(touch, *block, call->with_number());
  }
  for (const Footprint& touch : work.touches) {
    Block* const block = blocks_.find(touch.begin);
    if (block == nullptr || touch.access != Access::kWrite) continue;
    write_bytes(touch, *block);
    ++block->writes;
  }
  // The executor's phase 2 now has a number; what is launched without one is a test's.
  const ApiCall* const phase2 = thread_frame().call;
  if (phase2 == nullptr) return;
  for (const ApiValue& value : phase2->values) {
    if (value.kind != ApiValue::Kind::kHandle) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): looked up, never followed
    const auto executor = objects_.find(reinterpret_cast<const void*>(value.bits));
    if (executor != objects_.end() && executor->second.ended != nullptr) executor->second.ended = call;
  }
}

void Model::write_bytes(const Footprint& touch, Block& block) {
  block.last_written = here();
  if (!block.tracks_writes()) return;
  View(touch).for_each_row([&](std::uintptr_t row, std::size_t bytes) {
    block.defined.set(row - block.begin, row - block.begin + bytes);
    return true;
  });
}

void Model::read_elements(const Footprint& touch, Block& block, const std::string& who) {
  const View view(touch);
  // A host function that is still to run may write them first.
  if (!block.tracks_writes() || all_written(block, view) || order_.has_host_function_to_run()) return;
  const Unwritten found = count_unwritten(block, view);
  const std::string tensor = std::string(touch.argument) + ", " + check::text_of(touch.view);
  const std::string of_all = " of " + std::to_string(view.elements()) + " elements ";
  const std::string last = block.last_written == nullptr
                               ? ""
                               : std::string("; last written by ") + block.last_written->function + " at " +
                                     place_of(block.last_written);
  const std::string fix =
      "copy all " + std::to_string(touch.end - touch.begin) + " bytes, or aclrtMemset first";
  const bool unsure = touch.access == Access::kGather || block.written_by_others;
  if (found.whole > 0) {
    report({.rule = RuleId::uninitialised_read,
            .message = who + ": " + tensor + ": " + std::to_string(found.whole) + of_all +
                       "were never written, the first is " + view.index_of(found.first_whole),
            .others = {{"memory", block.made, true, last}},
            .npu = options_.poison ? "aclrtMalloc does not clear: garbage" : "",
            .fix = fix,
            .level = unsure ? Level::kWarning : Level::kError});
  } else if (found.partly > 0) {
    report({.rule = RuleId::partly_written_element,
            .message = who + ": " + tensor + ": " + std::to_string(found.partly) + of_all +
                       "were written in part, the first is " + view.index_of(found.first_partly),
            .others = {{"memory", block.made, true, last}},
            .fix = fix});
  }
  const CallPtr writer = block.last_written;
  write_bytes(touch, block);  // one cause, one report
  block.last_written = writer;
}

// What a copy or fill does to the bytes it writes: those of a copy from device memory are what they were
// there.
void Model::copy_bytes(std::span<const Footprint> touches) {
  const Footprint& to = touches.front();
  const Footprint* const from = touches.size() > 1 ? &touches[1] : nullptr;
  Block* const target = blocks_.find(to.begin);
  Block* const source = from == nullptr ? nullptr : blocks_.find(from->begin);
  const bool from_device = source != nullptr && source->tracks_writes();
  if (target != nullptr && target->tracks_writes()) {
    ++target->writes;
    target->filled_by_copy = !from_device && from != nullptr && to.begin == target->begin &&
                             to.end == target->begin + target->requested && to.view == nullptr;
    if (from_device && to.view == nullptr) {
      target->last_written = here();
      target->defined.copy(to.begin - target->begin, to.end - to.begin, source->defined,
                           from->begin - source->begin);
    } else {
      write_bytes(to, *target);
    }
  } else if (from_device && !order_.has_host_function_to_run()) {
    check_download(*from, *source);
  }
}

void Model::check_download(const Footprint& from, Block& block) {
  std::size_t unwritten = 0;
  std::size_t first = 0;
  View(from).for_each_row([&](std::uintptr_t row, std::size_t bytes) {
    const std::size_t end = std::min(row - block.begin + bytes, block.requested);
    std::size_t at = row - block.begin;
    while (at < end && (at = block.defined.first_unwritten(at, end)) < end) {
      if (unwritten++ == 0) first = at;
      ++at;
    }
    return true;
  });
  if (unwritten == 0) return;
  constexpr std::size_t kTail = 64;
  const bool tail = unwritten < kTail && first + unwritten == block.requested;
  report({.rule = RuleId::uninitialised_copy_to_host,
          .message = std::string(here()->function) + ": " + std::to_string(unwritten) + " of " +
                     std::to_string(from.end - from.begin) +
                     " bytes were never written, the first at offset " +
                     std::to_string(first - (from.begin - block.begin)),
          .others = {{"memory", block.made}},
          .level = tail ? Level::kNote : Level::kWarning});
  const CallPtr writer = block.last_written;
  write_bytes(from, block);
  block.last_written = writer;
}

void Model::note_tensor(const Footprint& touch, Block& block, const CallPtr& call) {
  View view(touch);
  if (block.tensors > 0 && block.tensor == view) return;
  ++block.tensors;
  block.tensor = std::move(view);
  block.tensor_user = call;
  block.tensor_argument = touch.argument;
}

void Model::doubt_element_size(const Block& block) {
  if (block.kind != MemoryKind::kDevice || block.writes != 1 || !block.filled_by_copy || block.tensors != 1)
    return;
  const View& tensor = block.tensor;
  const std::size_t covered = tensor.end() - tensor.begin();
  if (tensor.begin() != block.begin || !tensor.dense() || block.requested % covered != 0) return;
  const auto ratio = static_cast<std::int64_t>(block.requested / covered);
  constexpr std::int64_t kLargestElement = 8;
  if ((ratio != 2 && ratio != 4 && ratio != 8) || tensor.element() * ratio > kLargestElement) return;
  const std::string wide = std::to_string(tensor.element() * ratio);
  report({.rule = RuleId::element_size_doubt,
          .message = block.tensor_user->with_number() + ": " + block.tensor_argument + " covers " +
                     std::to_string(covered) + " of the " + std::to_string(block.requested) +
                     " bytes that were allocated and copied: are the data's elements of " + wide +
                     " bytes, the tensor's of " + std::to_string(tensor.element()) + "?",
          .others = {{"memory", block.made}},
          .at = block.tensor_user});
}

}  // namespace cairn::check
