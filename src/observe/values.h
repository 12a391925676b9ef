#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "common/handle_table.h"
#include "common/status.h"

namespace cairn {

enum class MemoryKind : std::uint8_t {
  kDevice,      // of aclrtMalloc and its sisters
  kHost,        // of aclrtMallocHost
  kRegistered,  // the program's own, made known with aclrtHostRegister
};

// How work uses memory that it is given.
enum class Access : std::uint8_t {
  kRead,
  kGather,  // reads some of it; which, the data decides
  kWrite,
  kUpdate,  // reads what it has written itself: workspace
  kUnused,
};

constexpr bool writes(Access access) { return access == Access::kWrite || access == Access::kUpdate; }

// One argument of an API call.
struct ApiValue {
  enum class Kind : std::uint8_t { kInt, kUnsigned, kReal, kFlag, kAddress, kHandle, kText, kOut };

  Kind kind;
  HandleKind handle;  // of kHandle: what it must be, where the type says so
  std::uint64_t bits;
};

// A call of the program's. Good for the length of the event it comes with.
struct ApiCall {
  const char* function;  // lives as long as the process, as does `names`
  const char* names;     // "dst, destMax, src": split when printed
  std::span<const ApiValue> values;
};

struct Memory {
  const std::byte* begin;
  std::size_t requested;
  std::size_t usable;
  MemoryKind kind;
  std::int32_t device;
  bool shared = false;   // code that we do not see may write it: a GPU's
  bool watched = false;  // lies in watched memory
};

// A tensor as its descriptor has it; strides and offset in elements.
struct ViewShape {
  std::span<const std::int64_t> dims;
  std::span<const std::int64_t> strides;
  std::int64_t element_size;
  std::int32_t type;  // an aclDataType
};

// Where memory lies that no block of ours holds.
enum class Place : std::uint8_t { kOurs, kHost, kDevice };

// Bytes that work touches.
struct Footprint {
  const char* argument;  // "gradOutput", "dst", "workspace"; lives as long as the process
  Access access;
  Place place;
  std::uintptr_t base;   // what the program gave: a tensor's storage, a copy's pointer
  std::uintptr_t begin;  // of the bytes
  std::uintptr_t end;
  const ViewShape* view = nullptr;  // null: every byte between
};

enum class WorkKind : std::uint8_t { kOperator, kCopy, kFill, kHostFunction, kRecord, kWait, kReset };

// Work in a stream.
struct Work {
  WorkKind kind;
  const char* name;  // "aclnnMaxUnpool3d"; lives as long as the process
  std::int32_t stream;
  const void* event = nullptr;  // of kRecord, kWait, kReset
  std::span<const Footprint> touches = {};
};

enum class StreamKind : std::uint8_t {
  kOwn,      // of aclrtCreateStream
  kDefault,  // a context's
  kCpu,      // of cairnCreateCpuStream: takes any memory of the program
  kInline,   // of cairnCreateInlineCpuStream: computes within the call
  kWrapped,  // another library's, which may order it behind our back
};

struct StreamInfo {
  std::int32_t id;
  const void* handle;
  const void* context;  // null: it belongs to none
  StreamKind kind;
};

// When the CPU device begins with queued work.
struct QueueTiming {
  bool late = false;                  // only when somebody waits for it
  std::optional<std::uint64_t> seed;  // after delays drawn from it
};

// What the program says of its own course.
struct Annotation {
  enum class Kind : std::uint8_t { kPoint, kRangeBegin, kRangeEnd, kDomain };

  Kind kind;
  const char* message = nullptr;
  const void* domain = nullptr;
  const void* stream = nullptr;  // that it belongs to, too
  std::uint64_t id = 0;          // of a range
};

// A block that the program divides itself, or a part of one that it has given out.
struct Region {
  const void* handle;
  const void* heap = nullptr;  // of a part: its block
  const void* begin;
  std::uint64_t bytes;
};

// What phase 1 leaves for phase 2.
struct Planned {
  const void* executor;
  const char* name;  // the operator's
  std::span<const void* const> tensors;
};

// The workspace that phase 2 was given.
struct GivenWorkspace {
  const char* name;     // the operator's
  std::uint64_t asked;  // what phase 1 asked for
  const void* address;
  std::uint64_t size;
  const void* stream;
};

}  // namespace cairn
