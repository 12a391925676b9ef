#include <algorithm>
#include <optional>

#include "acl/acl_rt.h"
#include "runtime/reach.h"
#include "runtime/state.h"
#include "runtime/synchronise.h"

namespace cairn {
namespace {

std::byte* bytes(void* pointer) { return static_cast<std::byte*>(pointer); }
const std::byte* bytes(const void* pointer) { return static_cast<const std::byte*>(pointer); }

// Memory the API did not hand out is the program's own care; of ours, no byte past the end is touched.
Status check_room(const Call& call, const char* argument, const void* pointer, std::size_t count) {
  const std::optional<Block> block = State::get().memory().find(pointer);
  if (!block || count <= block->room(pointer)) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID,
                   "%s %p: %zu bytes run %zu bytes past the end of the allocation", argument, pointer, count,
                   count - block->room(pointer));
}

bool pageable(const Backend& backend, const void* pointer) {
  return !State::get().memory().find(pointer) && backend.locate(pointer).place == Location::Place::kPageable;
}

Status check_reach(const Call& call, const Stream& stream, const char* argument, const void* pointer) {
  const std::string reason = unreachable_by_copies(stream, pointer);
  if (reason.empty()) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "%s %p is %s", argument, pointer, reason.c_str());
}

// The bytes from the first row's start to the last row's end; none when they overflow.
std::optional<std::size_t> extent(std::size_t pitch, std::size_t width, std::size_t height) {
  std::size_t span = 0;
  if (__builtin_mul_overflow(pitch, height - 1, &span) || __builtin_add_overflow(span, width, &span))
    return {};
  return span;
}

Status check_rows(const Call& call, const RowCopy& rows) {
  const auto to = extent(rows.to_pitch, rows.width, rows.height);
  const auto from = extent(rows.from_pitch, rows.width, rows.height);
  if (!to || !from) return call.fail(ACL_ERROR_RT_PARAM_INVALID, "pitch times height overflows");
  if (const Status status = check_room(call, "dst", rows.to, *to)) return status;
  return check_room(call, "src", rows.from, *from);
}

Status copy_now(const Call& call, const RowCopy& rows) {
  const std::shared_ptr<Context> context = State::get().current_context();
  if (context == nullptr) return call.no_context();
  if (const Status status = check_rows(call, rows)) return status;
  return context->backend->copy(context->device, rows);
}

Status copy_in_stream(const Call& call, const RowCopy& rows, aclrtStream handle) {
  std::shared_ptr<Stream> stream;
  if (const Status status = begin_work(call, handle, stream)) return status;
  if (const Status status = check_rows(call, rows)) return status;
  if (const Status status = check_reach(call, *stream, "dst", rows.to)) return status;
  if (const Status status = check_reach(call, *stream, "src", rows.from)) return status;
  if (const Status status = stream->queue->copy(rows)) return status;
  // Pageable memory may go away as soon as we return.
  if (!pageable(*stream->backend, rows.to) && !pageable(*stream->backend, rows.from)) return ACL_SUCCESS;
  return outcome(call, {stream->queue->wait()}, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, kForever);
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
  if (count > room) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "count is %zu, which exceeds maxCount %zu", count, room);
  }
  return check_room(call, "devPtr", pointer, count);
}

Status check_fill_words(const Call& call, const void* pointer, std::size_t room, std::size_t count) {
  if (pointer == nullptr) return call.null("devPtr");
  if (reinterpret_cast<std::uintptr_t>(pointer) % sizeof(std::uint32_t) != 0) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "devPtr %p is not aligned to 4 bytes", pointer);
  }
  if (count > room / sizeof(std::uint32_t)) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "num is %zu words, which exceeds memSize %zu bytes", count,
                     room);
  }
  if (!State::get().memory().find(pointer)) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "devPtr %p is not memory of aclrtMalloc or aclrtMallocHost",
                     pointer);
  }
  return check_room(call, "devPtr", pointer, count * sizeof(std::uint32_t));
}

Status fill_now(const Call& call, const Fill& fill) {
  const std::shared_ptr<Context> context = State::get().current_context();
  if (context == nullptr) return call.no_context();
  return context->backend->fill(context->device, fill);
}

Status fill_in_stream(const Call& call, const Fill& fill, aclrtStream handle) {
  std::shared_ptr<Stream> stream;
  if (const Status status = begin_work(call, handle, stream)) return status;
  if (const Status status = check_reach(call, *stream, "devPtr", fill.to)) return status;
  if (const Status status = stream->queue->fill(fill)) return status;
  if (!pageable(*stream->backend, fill.to)) return ACL_SUCCESS;
  return outcome(call, {stream->queue->wait()}, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, kForever);
}

}  // namespace
}  // namespace cairn

using cairn::bytes;
using cairn::Call;
using cairn::entry;
using cairn::RowCopy;
using cairn::Status;

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
  return entry(__func__, [&](const Call& call) -> Status {
    if (count == 0) return ACL_SUCCESS;
    if (const Status refused = cairn::check_copy(call, dst, destMax, src, count, kind)) return refused;
    return cairn::copy_now(call, {bytes(dst), count, bytes(src), count, count, 1});
  });
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  return entry(__func__, [&](const Call& call) -> Status {
    if (count == 0) return ACL_SUCCESS;
    if (const Status refused = cairn::check_copy(call, dst, destMax, src, count, kind)) return refused;
    if (kind == ACL_MEMCPY_HOST_TO_HOST) {
      return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                       "kind is ACL_MEMCPY_HOST_TO_HOST, which streams do not copy");
    }
    return cairn::copy_in_stream(call, {bytes(dst), count, bytes(src), count, count, 1}, stream);
  });
}

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
  return entry(__func__, [&](const Call& call) -> Status {
    if (width == 0 || height == 0) return ACL_SUCCESS;
    const RowCopy rows{bytes(dst), dpitch, bytes(src), spitch, width, height};
    if (const Status refused = cairn::check_copy_2d(call, rows, kind)) return refused;
    return cairn::copy_now(call, rows);
  });
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) -> Status {
    if (width == 0 || height == 0) return ACL_SUCCESS;
    const RowCopy rows{bytes(dst), dpitch, bytes(src), spitch, width, height};
    if (const Status refused = cairn::check_copy_2d(call, rows, kind)) return refused;
    return cairn::copy_in_stream(call, rows, stream);
  });
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return entry(__func__, [&](const Call& call) -> Status {
    if (count == 0) return ACL_SUCCESS;
    if (const Status refused = cairn::check_fill(call, devPtr, maxCount, count)) return refused;
    return cairn::fill_now(call, {bytes(devPtr), count, static_cast<uint32_t>(value), 1});
  });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) -> Status {
    if (count == 0) return ACL_SUCCESS;
    if (const Status refused = cairn::check_fill(call, devPtr, maxCount, count)) return refused;
    return cairn::fill_in_stream(call, {bytes(devPtr), count, static_cast<uint32_t>(value), 1}, stream);
  });
}

aclError aclrtMemsetD32(void* devPtr, size_t memSize, uint32_t value, size_t num) {
  return entry(__func__, [&](const Call& call) -> Status {
    if (num == 0) return ACL_SUCCESS;
    if (const Status refused = cairn::check_fill_words(call, devPtr, memSize, num)) return refused;
    return cairn::fill_now(call, {bytes(devPtr), num * sizeof(value), value, sizeof(value)});
  });
}

aclError aclrtMemsetD32Async(void* devPtr, size_t memSize, uint32_t value, size_t num, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) -> Status {
    if (num == 0) return ACL_SUCCESS;
    if (const Status refused = cairn::check_fill_words(call, devPtr, memSize, num)) return refused;
    return cairn::fill_in_stream(call, {bytes(devPtr), num * sizeof(value), value, sizeof(value)}, stream);
  });
}
