#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "check/model.h"

namespace cairn::check {
namespace {

CallPtr by_the_program(const HostAccess& access) {
  auto record = std::make_shared<CallRecord>();
  record->function = "the program";
  record->stack = access.stack;
  return record;
}

// "the program reads offset 16 of 1024 bytes of "
std::string who_touches(const HostAccess& access, const Block& block) {
  return std::string("the program ") + (access.writes ? "writes" : "reads") + " offset " +
         std::to_string(access.address - block.begin) + " of " + std::to_string(block.requested) + " bytes ";
}

// The pages that belong to the use alone: where others lie on a page too, the system itself would refuse to
// read a file into them.
std::pair<std::uintptr_t, std::uintptr_t> own_pages(const Block& block, const View& view) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const bool to_the_end = view.end() >= block.begin + block.requested;
  const std::uintptr_t begin = (view.begin() + page - 1) / page * page;
  const std::uintptr_t end = (view.end() + (to_the_end ? page - 1 : 0)) / page * page;
  return {begin, std::max(begin, end)};
}

}  // namespace

void Model::watched_memory(MemoryKind kind, const void* begin, std::size_t bytes) {
  if (begin != nullptr) return watch_addresses(begin, bytes);
  if (kind == MemoryKind::kDevice) host_accesses_missed_ = true;
}

void Model::report_host_accesses() {
  for (const HostAccess& access : take_host_accesses()) {
    const Block* const block = blocks_.find(access.address);
    if (block != nullptr && block->kind == MemoryKind::kHost) {
      report_access_to_pinned(access, *block);
    } else {
      report_access_to_device(access, true);
    }
  }
}

void Model::crashed(const HostAccess& access) noexcept {
  try {
    const Block* const block = blocks_.find(access.address);
    if (block != nullptr && block->kind == MemoryKind::kDevice) report_access_to_device(access, false);
  } catch (const std::exception&) {
    // Without memory for it the program ends as it would have.
  }
}

void Model::report_access_to_device(const HostAccess& access, bool goes_on) {
  Block* const block = blocks_.find(access.address);
  std::string message = std::string("the program ") + (access.writes ? "writes" : "reads") +
                        " device memory that is not allocated, at " + address_text(access.address);
  if (block != nullptr) {
    message = who_touches(access, *block) + "of " + (block->freed != nullptr ? "freed " : "") +
              "device memory at " + address_text(block->begin);
    // The page is open now: what else is stored there is not seen.
    if (access.writes) block->defined.set(0, block->requested);
    block->touched = true;
  }
  if (goes_on) message += " (it goes on; this page is not watched any more)";
  report({.rule = RuleId::host_touches_device_memory,
          .message = std::move(message),
          .others = {{"memory", block == nullptr ? nullptr : block->made}},
          .fix = access.writes ? "write to host memory and aclrtMemcpy it, or aclrtMemset"
                               : "aclrtMemcpy it to host memory, and read that",
          .at = by_the_program(access)});
}

void Model::report_access_to_pinned(const HostAccess& access, const Block& block) {
  if (block.freed != nullptr) {
    return report({.rule = RuleId::use_of_freed_memory,
                   .message = who_touches(access, block) + "of host memory that has been freed",
                   .others = {{"freed", block.freed}, {"memory", block.made}},
                   .at = by_the_program(access)});
  }
  const auto inside = host_functions_.find(access.host_function);
  for (const Use& use : block.uses) {
    const bool conflicts = writes(use.access) || access.writes;
    if (!conflicts || access.address < use.view.begin() || access.address >= use.view.end()) continue;
    // Queued behind the host function that does it.
    if (inside != host_functions_.end() && use.epoch.comes_after(inside->second.first)) continue;
    return report({.rule = access.writes ? RuleId::write_before_synchronise : RuleId::read_before_synchronise,
                   .message = who_touches(access, block) + "at " + address_text(block.begin) + " that " +
                              use.call->with_number() + " on " + stream_name(use.epoch.stream) +
                              " has yet to " + (writes(use.access) ? "write" : "read"),
                   .others = {{"queued", use.call}},
                   .fix = "aclrtSynchronizeStream, or aclrtSynchronizeEvent on an event recorded after " +
                          place_of(use.call),
                   .at = by_the_program(access)});
  }
}

void Model::close_to_program(const Block& block, const Use& use) {
  // Behind a host function that has yet to run, the program may still be about to fill it.
  if (!block.watched || !use.view.dense() || use.epoch.uncertain) return;
  const std::pair<std::uintptr_t, std::uintptr_t> pages = own_pages(block, use.view);
  const std::uintptr_t begin = pages.first;
  const std::uintptr_t end = pages.second;
  if (begin == end) return;
  if (!writes(use.access)) {
    const bool closed_already = std::ranges::any_of(block.uses, [&](const Use& other) {
      return writes(other.access) && other.view.begin() < end && begin < other.view.end();
    });
    if (closed_already) return;
  }
  close_pages(begin, end, writes(use.access));
  closed_.insert(block.begin);
}

// What the host now knows to be done is the program's again.
void Model::open_to_program() {
  for (auto at = closed_.begin(); at != closed_.end();) {
    Block* const block = blocks_.find(*at);
    const std::size_t before = block == nullptr ? 0 : block->uses.size();
    if (block != nullptr) forget_known(*block);
    if (block != nullptr && block->uses.size() == before && before > 0) {
      ++at;
      continue;
    }
    at = closed_.erase(at);
    if (block == nullptr || block->freed != nullptr) continue;
    open_pages(block->begin, block->begin + block->requested);
    for (const bool writing : {false, true}) {
      for (const Use& use : block->uses) {
        if (writes(use.access) == writing) close_to_program(*block, use);
      }
    }
  }
}

void Model::host_knows(std::int32_t stream, std::uint64_t number) {
  order_.host_knows(stream, number);
  if (!closed_.empty()) open_to_program();
}

void Model::host_knows_event(const void* event) {
  order_.host_knows_event(event);
  if (!closed_.empty()) open_to_program();
}

}  // namespace cairn::check
