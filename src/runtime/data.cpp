#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <string>

#include "acl/acl_rt.h"
#include "common/fp_mode.h"
#include "observe/watch.h"
#include "runtime/state.h"

namespace cairn {
namespace {

constexpr std::size_t kLongestLog = 1024;

struct DataBuffer {
  void* address;
  std::size_t size;
};

std::optional<DataBuffer> find_buffer(const aclDataBuffer* handle) {
  const auto found = State::get().handles().find<DataBuffer>(handle, HandleKind::kDataBuffer);
  return found == nullptr ? std::nullopt : std::optional<DataBuffer>(*found);
}

LogLevel level_of(aclLogLevel level) {
  switch (level) {
    case ACL_ERROR:
      return LogLevel::kError;
    case ACL_WARNING:
      return LogLevel::kWarn;
    default:
      return LogLevel::kInfo;
  }
}

}  // namespace
}  // namespace cairn

using cairn::Call;
using cairn::entry;
using cairn::HandleKind;
using cairn::State;
using cairn::Status;

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
  CAIRN_WATCH(data, size);
  void* handle = nullptr;
  entry(__func__, [&](const Call&) {
    handle = State::get().handles().insert(
        HandleKind::kDataBuffer, std::make_shared<cairn::DataBuffer>(cairn::DataBuffer{data, size}));
    return ACL_SUCCESS;
  });
  return static_cast<aclDataBuffer*>(handle);
}

aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  CAIRN_WATCH(dataBuffer);
  return entry(__func__, [&](const Call& call) {
    if (dataBuffer == nullptr) return call.null("dataBuffer");
    if (State::get().handles().remove(dataBuffer, HandleKind::kDataBuffer) != nullptr) return ACL_SUCCESS;
    return call.fail(ACL_ERROR_INVALID_PARAM, "dataBuffer %p is not a live data buffer",
                     static_cast<const void*>(dataBuffer));
  });
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
  CAIRN_WATCH(dataBuffer, data, size);
  return entry(__func__, [&](const Call& call) {
    if (dataBuffer == nullptr) return call.null("dataBuffer");
    auto replacement = std::make_shared<cairn::DataBuffer>(cairn::DataBuffer{data, size});
    if (State::get().handles().replace(dataBuffer, HandleKind::kDataBuffer, std::move(replacement))) {
      return ACL_SUCCESS;
    }
    return call.fail(ACL_ERROR_INVALID_PARAM, "dataBuffer %p is not a live data buffer",
                     static_cast<const void*>(dataBuffer));
  });
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
  CAIRN_WATCH(dataBuffer);
  const auto buffer = cairn::find_buffer(dataBuffer);
  return buffer ? buffer->address : nullptr;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer) {
  return static_cast<uint32_t>(aclGetDataBufferSizeV2(dataBuffer));
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
  CAIRN_WATCH(dataBuffer);
  const auto buffer = cairn::find_buffer(dataBuffer);
  return buffer ? buffer->size : 0;
}

size_t aclDataTypeSize(aclDataType dataType) {
  switch (dataType) {
    case ACL_DT_UNDEFINED:
    case ACL_STRING:
      return 0;
    case ACL_INT4:
    case ACL_UINT1:
    case ACL_BOOL:
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0:
      return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16:
      return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32:
      return 4;
    case ACL_COMPLEX128:
      return 16;
    default:
      return 8;
  }
}

// CANN's own conversions know neither Inf nor NaN: exponent 31 is one more binade.
float aclFloat16ToFloat(aclFloat16 value) {
  const int exponent = (value >> 10) & 0x1F;
  const int fraction = value & 0x3FF;
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                        : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return (value & 0x8000) != 0 ? -magnitude : magnitude;
}

aclFloat16 aclFloatToFloat16(float value) {
  constexpr aclFloat16 kLargest = 0x7BFF;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<aclFloat16>(bits >> 16 & 0x8000);
  const auto magnitude = std::bit_cast<float>(bits & 0x7FFFFFFF);
  if (!(magnitude < 65504.0F)) return sign | kLargest;
  return cairn::in_default_fp_mode([&]() -> aclFloat16 {
    // Scaled so that a unit is the last place of the result; nearbyint rounds to nearest even.
    const int exponent = magnitude < 0x1p-14F ? -14 : std::ilogb(magnitude);
    const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    // A carry out of the fraction goes into the exponent, as it should.
    const std::uint32_t half = (static_cast<std::uint32_t>(exponent + 14) << 10) + units;
    return sign | static_cast<aclFloat16>(std::min<std::uint32_t>(half, kLargest));
  });
}

void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line, const char* fmt,
               ...) {
  const cairn::LogLevel level = cairn::level_of(logLevel);
  if (fmt == nullptr || !cairn::log_enabled(level)) return;
  std::array<char, cairn::kLongestLog> text{};
  std::va_list arguments;
  va_start(arguments, fmt);
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start has just been called
  std::vsnprintf(text.data(), text.size(), fmt, arguments);
  va_end(arguments);
  entry(__func__, [&](const Call&) {
    const std::string place =
        std::string(func == nullptr ? "?" : func) + " " + (file == nullptr ? "?" : file);
    cairn::log(level, place + ":" + std::to_string(line) + ": " + text.data());
    return ACL_SUCCESS;
  });
}
