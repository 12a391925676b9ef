#include <algorithm>
#include <iterator>
#include <string>

#include "check/model.h"

namespace cairn::check {
namespace {

// CANN's rule for blocks that a program divides.
constexpr std::uintptr_t kAlignment = 64;
constexpr std::uintptr_t kUnit = 32;
constexpr std::size_t kMostPieces = 256;  // of a block that are looked at

std::uintptr_t least_distance(const Piece& piece) {
  return (piece.end - piece.begin + kUnit - 1) / kUnit * kUnit + kUnit;
}

using Pieces = std::map<std::uintptr_t, Piece>;

// The one that begins last at or before the address; the end when there is none.
Pieces::iterator before(Pieces& pieces, std::uintptr_t address) {
  const auto next = pieces.upper_bound(address);
  return next == pieces.begin() ? pieces.end() : std::prev(next);
}

}  // namespace

// Whether a region of the program's own pool decides about the tensor.
bool Model::check_regions(const std::string& who, const Footprint& touch) {
  if (regions_.empty()) return false;
  const auto found = before(regions_, touch.base);
  if (found == regions_.end() || touch.base >= found->second.end) return false;
  const Piece& region = found->second;
  if (region.ended != nullptr) {
    if (touch.access == Access::kUnused) return true;
    report({.rule = RuleId::use_of_freed_memory,
            .message = who + ": " + check::name_of(touch) + ", lies at " + address_text(touch.begin) +
                       " in a region of the program's pool that has been given back",
            .others = {{"given back", region.ended, false}, {"region", region.made, false}}});
    return true;
  }
  if (touch.begin >= region.begin && touch.end <= region.end) return true;
  const std::size_t size = region.end - region.begin;
  report({.rule = RuleId::tensor_outside_its_allocation,
          .message = who + ": " + check::name_of(touch) + ", needs " +
                     std::to_string(touch.end - std::min(touch.begin, region.begin)) + " bytes at " +
                     address_text(touch.begin) + ", but its region of the program's pool has " +
                     std::to_string(size),
          .others = {{"region", region.made, false}},
          .fix = "give out at least " + std::to_string(touch.end - region.begin) + " bytes",
          .level = touch.access == Access::kUnused ? Level::kWarning : Level::kError});
  // The call itself is not wrong: it stays in the block.
  return true;
}

void Model::region_registered(const Region& region) {
  const auto begin = reinterpret_cast<std::uintptr_t>(region.begin);
  if (begin == 0 || region.bytes == 0) return;
  const std::uintptr_t end = begin + region.bytes;
  auto next = before(regions_, begin);
  if (next == regions_.end() || next->second.end <= begin) next = regions_.upper_bound(begin);
  while (next != regions_.end() && next->first < end) next = regions_.erase(next);
  const Piece& added = regions_[begin] = {begin, end, here(), nullptr, region.handle, region.heap};
  if (begin % kAlignment != 0) {
    return report({.rule = RuleId::region_too_tight,
                   .message = "the region of " + std::to_string(region.bytes) + " bytes at " +
                              address_text(begin) + " does not begin at a multiple of 64 bytes"});
  }
  const auto place = regions_.find(begin);
  if (place != regions_.begin()) check_distance(std::prev(place)->second, added);
  if (std::next(place) != regions_.end()) check_distance(added, std::next(place)->second);
}

void Model::check_distance(const Piece& lower, const Piece& upper) {
  if (lower.ended != nullptr || upper.ended != nullptr || lower.heap != upper.heap) return;
  if (upper.begin - lower.begin >= least_distance(lower)) return;
  report({.rule = RuleId::region_too_tight,
          .message = "the regions at " + address_text(lower.begin) + " and " + address_text(upper.begin) +
                     " are " + std::to_string(upper.begin - lower.begin) + " bytes apart, and " +
                     std::to_string(lower.end - lower.begin) + " bytes take " +
                     std::to_string(least_distance(lower)),
          .others = {{"other region", lower.made == here() ? nullptr : lower.made, false}}});
}

void Model::region_unregistered(const void* handle, const void* begin) {
  for (auto& [at, region] : regions_) {
    const bool meant =
        handle != nullptr ? region.handle == handle : reinterpret_cast<std::uintptr_t>(begin) == region.begin;
    if (!meant || region.ended != nullptr) continue;
    region.ended = here();
    return;
  }
}

void Model::heap_unregistered(const void* heap) {
  if (heap == nullptr) return;
  std::erase_if(regions_, [&](const auto& entry) { return entry.second.heap == heap; });
}

// Tensors in one block that begin at different places divide it, where they do not overlap.
void Model::note_piece(const Footprint& touch, Block& block, const CallPtr& call) {
  if (block.kind != MemoryKind::kDevice || block.is_divided_badly || block.pieces.size() == kMostPieces)
    return;
  if (!regions_.empty() || touch.base < block.begin || touch.base >= block.end()) return;
  Piece& piece = block.pieces.try_emplace(touch.base, Piece{touch.base, touch.end, call}).first->second;
  piece.end = std::max(piece.end, touch.end);
  const auto place = block.pieces.find(touch.base);
  const auto check_pair = [&](const Piece& lower, const Piece& upper) {
    const bool overlap = lower.end > upper.begin;
    const bool aligned = upper.begin % kAlignment == 0;
    if (overlap || (aligned && upper.begin - lower.begin >= least_distance(lower))) return;
    block.is_divided_badly = true;
    report({.rule = RuleId::region_too_tight,
            .message = "tensors begin at offsets " + std::to_string(lower.begin - block.begin) + " and " +
                       std::to_string(upper.begin - block.begin) + " of one block, of which the first has " +
                       std::to_string(lower.end - lower.begin) + " bytes" +
                       (aligned ? "" : ", and the second is no multiple of 64"),
            .others = {{"memory", block.made}},
            .at = call});
  };
  if (place != block.pieces.begin()) check_pair(std::prev(place)->second, piece);
  if (!block.is_divided_badly && std::next(place) != block.pieces.end())
    check_pair(piece, std::next(place)->second);
}

}  // namespace cairn::check
