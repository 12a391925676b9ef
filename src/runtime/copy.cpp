#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "acl/acl_rt.h"
#include "observe/watch.h"
#include "runtime/in_order.h"
#include "runtime/reach.h"
#include "runtime/state.h"
#include "runtime/synchronise.h"

namespace cairn {
namespace {

std::byte* bytes(void* pointer) { return static_cast<std::byte*>(pointer); }
const std::byte* bytes(const void* pointer) { return static_cast<const std::byte*>(pointer); }

bool pageable(const Backend& backend, const void* pointer) { return !is_known(backend, pointer); }

struct Sides {
  Side to;
  Side from;
};

// What the kind says of both ends; where it has them the wrong way round, the addresses decide.
Sides sides_of(const Where& where, const RowCopy& rows, aclrtMemcpyKind kind) {
  if (where.takes_any_memory) return {Side::kAny, Side::kAny};
  const auto reversed = [&](const void* device_end, const void* host_end) {
    return !is_known(where.backend, device_end) && is_known(where.backend, host_end);
  };
  switch (kind) {
    case ACL_MEMCPY_DEVICE_TO_DEVICE:
      return {Side::kDevice, Side::kDevice};
    case ACL_MEMCPY_HOST_TO_DEVICE:
    case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
      if (reversed(rows.to, rows.from)) return {Side::kAny, Side::kDevice};
      return {Side::kDevice, Side::kAny};
    case ACL_MEMCPY_DEVICE_TO_HOST:
      if (reversed(rows.from, rows.to)) return {Side::kDevice, Side::kAny};
      return {Side::kAny, Side::kDevice};
    default:
      return {Side::kAny, Side::kAny};
  }
}

// The bytes from the first row's start to the last row's end; none when they overflow.
std::optional<std::size_t> extent(std::size_t pitch, std::size_t width, std::size_t height) {
  std::size_t span = 0;
  if (__builtin_mul_overflow(pitch, height - 1, &span) || __builtin_add_overflow(span, width, &span))
    return {};
  return span;
}

Status check_rows(const Call& call, const Where& where, const RowCopy& rows, aclrtMemcpyKind kind,
                  Leases& leases) {
  const auto to = extent(rows.to_pitch, rows.width, rows.height);
  const auto from = extent(rows.from_pitch, rows.width, rows.height);
  if (!to || !from) return call.fail(ACL_ERROR_RT_PARAM_INVALID, "pitch times height overflows");
  const Sides sides = sides_of(where, rows, kind);
  if (const Status status = check_touched(call, where, {"dst", rows.to, *to, sides.to}, leases))
    return status;
  return check_touched(call, where, {"src", rows.from, *from, sides.from}, leases);
}

// Pageable memory may go away as soon as we return, so such work is waited for, which a host function of the
// same stream cannot do.
Status check_waitable(const Call& call, const Stream& stream, bool waits) {
  if (!waits || !stream.queue->runs_here()) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID,
                   "a host function cannot copy or fill pageable memory in the stream it runs on, since that "
                   "waits for the stream; use memory of aclrtMallocHost, or another stream");
}

Status wait_if(const Call& call, const Stream& stream, bool waits) {
  if (!waits) return ACL_SUCCESS;
  return outcome(call, {wait_for_all(stream)}, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, kForever);
}

// The ends of a copy or fill as tools see them.
Footprint footprint(const Backend& backend, const char* argument, Access access, const void* begin,
                    std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  Place place = Place::kOurs;
  if (!State::get().memory().ask(begin, 1, [](const Block&) { return true; })) {
    const Location::Place found = backend.locate(begin).place;
    const bool device = found == Location::Place::kDevice || found == Location::Place::kManaged;
    place = device || backend.owns_address(begin) ? Place::kDevice : Place::kHost;
  }
  return {argument, access, place, address, address, address + bytes};
}

// Rows that are one byte row as often as there are rows: exact where a copy leaves gaps.
class Ends {
 public:
  Ends(const Backend& backend, const RowCopy& rows)
      : dims_{static_cast<std::int64_t>(rows.height), static_cast<std::int64_t>(rows.width)},
        to_strides_{static_cast<std::int64_t>(rows.to_pitch), 1},
        from_strides_{static_cast<std::int64_t>(rows.from_pitch), 1},
        to_{dims_, to_strides_, 1, ACL_UINT8},
        from_{dims_, from_strides_, 1, ACL_UINT8} {
    const auto span = [&](std::size_t pitch) { return pitch * (rows.height - 1) + rows.width; };
    ends_ = {footprint(backend, "dst", Access::kWrite, rows.to, span(rows.to_pitch)),
             footprint(backend, "src", Access::kRead, rows.from, span(rows.from_pitch))};
    if (rows.height == 1) return;
    ends_[0].view = &to_;
    ends_[1].view = &from_;
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  std::span<const Footprint> all() const { return ends_; }

 private:
  std::array<std::int64_t, 2> dims_;
  std::array<std::int64_t, 2> to_strides_;
  std::array<std::int64_t, 2> from_strides_;
  ViewShape to_;
  ViewShape from_;
  std::array<Footprint, 2> ends_{};
};

// Null when no tool watches: then this is all that it costs.
std::unique_ptr<const Ends> ends_for_tools(const Backend& backend, const RowCopy& rows) {
  Observer* const watcher = observer();
  if (watcher == nullptr) [[likely]]
    return nullptr;
  auto ends = std::make_unique<const Ends>(backend, rows);
  watcher->copying(ends->all());
  return ends;
}

Status copy_now(const Call& call, const RowCopy& rows, aclrtMemcpyKind kind) {
  const std::shared_ptr<Context> context = State::get().current_context();
  if (context == nullptr) return call.no_context();
  const std::unique_ptr<const Ends> ends = ends_for_tools(*context->backend, rows);
  Leases leases;
  if (const Status status = check_rows(call, {*context->backend, context->device}, rows, kind, leases))
    return status;
  if (ends != nullptr) [[unlikely]]
    observer()->touched_now(ends->all());
  return context->backend->copy(context->device, rows);
}

Status copy_in_stream(const Call& call, const RowCopy& rows, aclrtMemcpyKind kind, aclrtStream handle) {
  std::shared_ptr<Stream> stream;
  if (const Status status = begin_work(call, handle, stream)) return status;
  const std::unique_ptr<const Ends> ends = ends_for_tools(*stream->backend, rows);
  Leases leases;
  if (const Status status = check_rows(call, where_is(*stream), rows, kind, leases)) return status;
  const bool waits = pageable(*stream->backend, rows.to) || pageable(*stream->backend, rows.from);
  if (const Status status = check_waitable(call, *stream, waits)) return status;
  {
    const InOrder in_order(*stream, WorkKind::kCopy, "a copy",
                           ends != nullptr ? ends->all() : std::span<const Footprint>());
    if (const Status status = stream->queue->copy(rows, std::move(leases))) return status;
  }
  return wait_if(call, *stream, waits);
}

Status check_copy(const Call& call, const void* dst, std::size_t room, const void* src, std::size_t count,
                  aclrtMemcpyKind kind) {
  if (dst == nullptr) return call.null("dst");
  if (src == nullptr) return call.null("src");
  if (static_cast<int>(kind) < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "kind is %d, expected 0 to %d", static_cast<int>(kind),
                     static_cast<int>(ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE));
  }
  if (count <= room) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "count is %zu, which exceeds destMax %zu", count, room);
}

Status check_copy_2d(const Call& call, const RowCopy& rows, aclrtMemcpyKind kind) {
  if (rows.to == nullptr) return call.null("dst");
  if (rows.from == nullptr) return call.null("src");
  if (kind == ACL_MEMCPY_DEVICE_TO_DEVICE) {
    return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                     "kind is ACL_MEMCPY_DEVICE_TO_DEVICE, which 2D copies lack");
  }
  if (kind != ACL_MEMCPY_HOST_TO_DEVICE && kind != ACL_MEMCPY_DEVICE_TO_HOST && kind != ACL_MEMCPY_DEFAULT) {
    return call.fail(ACL_ERROR_INVALID_PARAM,
                     "kind is %d, expected host to device, device to host or default",
                     static_cast<int>(kind));
  }
  if (rows.width <= rows.to_pitch && rows.width <= rows.from_pitch) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_INVALID_PARAM, "width is %zu, which exceeds dpitch %zu or spitch %zu",
                   rows.width, rows.to_pitch, rows.from_pitch);
}

Status check_fill(const Call& call, const void* pointer, std::size_t room, std::size_t count) {
  if (pointer == nullptr) return call.null("devPtr");
  if (count <= room) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "count is %zu, which exceeds maxCount %zu", count, room);
}

Status check_fill_words(const Call& call, const void* pointer, std::size_t room, std::size_t count) {
  if (pointer == nullptr) return call.null("devPtr");
  if (reinterpret_cast<std::uintptr_t>(pointer) % sizeof(std::uint32_t) != 0) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "devPtr %p is not aligned to 4 bytes", pointer);
  }
  if (count <= room / sizeof(std::uint32_t)) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_INVALID_PARAM, "num is %zu words, which exceeds memSize %zu bytes", count, room);
}

Status check_filled(const Call& call, const Where& where, const Fill& fill, Leases& leases) {
  const Side side = where.takes_any_memory ? Side::kAny : Side::kDevice;
  return check_touched(call, where, {"devPtr", fill.to, fill.bytes, side}, leases);
}

Status fill_now(const Call& call, const Fill& fill) {
  const std::shared_ptr<Context> context = State::get().current_context();
  if (context == nullptr) return call.no_context();
  Observer* const watcher = observer();
  Footprint filled{};
  if (watcher != nullptr) {
    filled = footprint(*context->backend, "devPtr", Access::kWrite, fill.to, fill.bytes);
    watcher->copying({&filled, 1});
  }
  Leases leases;
  if (const Status status = check_filled(call, {*context->backend, context->device}, fill, leases))
    return status;
  if (watcher != nullptr) watcher->touched_now({&filled, 1});
  return context->backend->fill(context->device, fill);
}

Status fill_in_stream(const Call& call, const Fill& fill, aclrtStream handle) {
  std::shared_ptr<Stream> stream;
  if (const Status status = begin_work(call, handle, stream)) return status;
  Footprint filled{};
  if (Observer* watcher = observer()) {
    filled = footprint(*stream->backend, "devPtr", Access::kWrite, fill.to, fill.bytes);
    watcher->copying({&filled, 1});
  }
  Leases leases;
  if (const Status status = check_filled(call, where_is(*stream), fill, leases)) return status;
  const bool waits = pageable(*stream->backend, fill.to);
  if (const Status status = check_waitable(call, *stream, waits)) return status;
  {
    const InOrder in_order(*stream, WorkKind::kFill, "a fill", {&filled, 1});
    if (const Status status = stream->queue->fill(fill, std::move(leases))) return status;
  }
  return wait_if(call, *stream, waits);
}

}  // namespace
}  // namespace cairn

using cairn::bytes;
using cairn::Call;
using cairn::entry;
using cairn::RowCopy;
using cairn::Status;

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
  CAIRN_WATCH(dst, destMax, src, count, kind);
  return entry(__func__, [&](const Call& call) -> Status {
    if (count == 0) return ACL_SUCCESS;
    if (const Status refused = cairn::check_copy(call, dst, destMax, src, count, kind)) return refused;
    return cairn::copy_now(call, {bytes(dst), count, bytes(src), count, count, 1}, kind);
  });
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  CAIRN_WATCH(dst, destMax, src, count, kind, stream);
  return entry(__func__, [&](const Call& call) -> Status {
    if (count == 0) return ACL_SUCCESS;
    if (const Status refused = cairn::check_copy(call, dst, destMax, src, count, kind)) return refused;
    if (kind == ACL_MEMCPY_HOST_TO_HOST) {
      return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                       "kind is ACL_MEMCPY_HOST_TO_HOST, which streams do not copy");
    }
    return cairn::copy_in_stream(call, {bytes(dst), count, bytes(src), count, count, 1}, kind, stream);
  });
}

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
  CAIRN_WATCH(dst, dpitch, src, spitch, width, height, kind);
  return entry(__func__, [&](const Call& call) -> Status {
    if (width == 0 || height == 0) return ACL_SUCCESS;
    const RowCopy rows{bytes(dst), dpitch, bytes(src), spitch, width, height};
    if (const Status refused = cairn::check_copy_2d(call, rows, kind)) return refused;
    return cairn::copy_now(call, rows, kind);
  });
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream) {
  CAIRN_WATCH(dst, dpitch, src, spitch, width, height, kind, stream);
  return entry(__func__, [&](const Call& call) -> Status {
    if (width == 0 || height == 0) return ACL_SUCCESS;
    const RowCopy rows{bytes(dst), dpitch, bytes(src), spitch, width, height};
    if (const Status refused = cairn::check_copy_2d(call, rows, kind)) return refused;
    return cairn::copy_in_stream(call, rows, kind, stream);
  });
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  CAIRN_WATCH(devPtr, maxCount, value, count);
  return entry(__func__, [&](const Call& call) -> Status {
    if (count == 0) return ACL_SUCCESS;
    if (const Status refused = cairn::check_fill(call, devPtr, maxCount, count)) return refused;
    return cairn::fill_now(call, {bytes(devPtr), count, static_cast<uint32_t>(value), 1});
  });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
  CAIRN_WATCH(devPtr, maxCount, value, count, stream);
  return entry(__func__, [&](const Call& call) -> Status {
    if (count == 0) return ACL_SUCCESS;
    if (const Status refused = cairn::check_fill(call, devPtr, maxCount, count)) return refused;
    return cairn::fill_in_stream(call, {bytes(devPtr), count, static_cast<uint32_t>(value), 1}, stream);
  });
}

aclError aclrtMemsetD32(void* devPtr, size_t memSize, uint32_t value, size_t num) {
  CAIRN_WATCH(devPtr, memSize, value, num);
  return entry(__func__, [&](const Call& call) -> Status {
    if (num == 0) return ACL_SUCCESS;
    if (const Status refused = cairn::check_fill_words(call, devPtr, memSize, num)) return refused;
    return cairn::fill_now(call, {bytes(devPtr), num * sizeof(value), value, sizeof(value)});
  });
}

aclError aclrtMemsetD32Async(void* devPtr, size_t memSize, uint32_t value, size_t num, aclrtStream stream) {
  CAIRN_WATCH(devPtr, memSize, value, num, stream);
  return entry(__func__, [&](const Call& call) -> Status {
    if (num == 0) return ACL_SUCCESS;
    if (const Status refused = cairn::check_fill_words(call, devPtr, memSize, num)) return refused;
    return cairn::fill_in_stream(call, {bytes(devPtr), num * sizeof(value), value, sizeof(value)}, stream);
  });
}
