#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "callsite/stack.h"
#include "check/clocks.h"
#include "check/defined.h"
#include "check/view.h"
#include "observe/values.h"

namespace cairn::check {

// A call of the program's, remembered.
struct CallRecord {
  const char* function = "";
  std::string arguments;  // "size = 322"
  Stack stack;
  std::uint64_t number = 0;  // among queued work; 0: it queued none

  std::string with_number() const {
    return number == 0 ? function : std::string(function) + " (call " + std::to_string(number) + ")";
  }
  std::string with_arguments() const { return std::string(function) + "(" + arguments + ")"; }
};
using CallPtr = std::shared_ptr<const CallRecord>;

// A part of a block: a region of mstx, or what a tensor's address begins.
struct Piece {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  CallPtr made;
  CallPtr ended = nullptr;  // of a region: null while it is registered
  const void* handle = nullptr;
  const void* heap = nullptr;
};

// Queued work that touches a block.
struct Use {
  Epoch epoch;
  Access access;
  View view;
  const char* argument;
  CallPtr call;
};

// A block of memory with its history; freed ones stay until their addresses are given out again.
struct Block {
  Block(const Memory& memory, CallPtr maker);

  bool holds(std::uintptr_t address) const { return address - begin < usable; }
  std::uintptr_t end() const { return begin + usable; }
  bool tracks_writes() const { return kind == MemoryKind::kDevice; }

  std::uintptr_t begin;
  std::size_t requested;
  std::size_t usable;
  MemoryKind kind;
  std::int32_t device;
  CallPtr made;
  CallPtr freed;            // null while it lives
  bool watched;             // its pages can be closed to the program
  bool given_back = false;  // freed, and its addresses may be anybody's
  bool written_by_others;   // code that we do not see may have written it
  bool device_has_ended = false;
  bool touched = false;
  CallPtr last_written;
  Defined defined;
  std::vector<Use> uses;  // of which the host does not know that they are done

  // For element_size_doubt.
  std::uint64_t writes = 0;  // copies and fills into it
  bool filled_by_copy = false;
  std::uint64_t tensors = 0;  // different views over it
  View tensor;
  CallPtr tensor_user;
  const char* tensor_argument = "";

  std::map<std::uintptr_t, Piece> pieces;  // of tensors, for region_too_tight
  bool is_divided_badly = false;           // and it has been said
};

class Blocks {
 public:
  Block& add(const Memory& memory, const CallPtr& maker);
  // That holds the address, alive or freed and not given back; null when there is none.
  Block* find(std::uintptr_t address);
  // The same, or what was there last.
  Block* find_last(std::uintptr_t address);
  // The one that begins last at or before the address.
  Block* before(std::uintptr_t address);
  std::map<std::uintptr_t, Block>& all() { return blocks_; }

 private:
  std::map<std::uintptr_t, Block> blocks_;
};

// An object behind a handle.
struct Object {
  HandleKind kind{};
  CallPtr made;
  CallPtr ended = nullptr;  // null while it lives
  const void* owner = nullptr;
  std::uint64_t owns = 0;

  // Of a tensor: when it was last changed. Of an executor: its phase 1.
  std::uint64_t changed = 0;
  CallPtr changed_by = nullptr;
  const char* planned_for = nullptr;
  std::vector<const void*> tensors = {};
  bool repeatable = false;
  bool ran = false;
};

struct StreamRecord {
  StreamInfo info{};
  bool alive = false;
  CallPtr made;
  CallPtr last_work;  // an operator, copy or fill
  std::uint64_t last_number = 0;
};

const char* name_of(HandleKind kind);  // "aclTensor"
std::string address_text(std::uintptr_t address);

}  // namespace cairn::check
