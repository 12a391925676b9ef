#include "tensor/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace cairn {
namespace {

struct Name {
  int value;
  const char* text;
};

constexpr Name kTypes[] = {
    {ACL_DT_UNDEFINED, "UNDEFINED"},
    {ACL_FLOAT, "FLOAT"},
    {ACL_FLOAT16, "FLOAT16"},
    {ACL_INT8, "INT8"},
    {ACL_INT32, "INT32"},
    {ACL_UINT8, "UINT8"},
    {ACL_INT16, "INT16"},
    {ACL_UINT16, "UINT16"},
    {ACL_UINT32, "UINT32"},
    {ACL_INT64, "INT64"},
    {ACL_UINT64, "UINT64"},
    {ACL_DOUBLE, "DOUBLE"},
    {ACL_BOOL, "BOOL"},
    {ACL_STRING, "STRING"},
    {ACL_COMPLEX64, "COMPLEX64"},
    {ACL_COMPLEX128, "COMPLEX128"},
    {ACL_BF16, "BF16"},
    {ACL_INT4, "INT4"},
    {ACL_UINT1, "UINT1"},
    {ACL_COMPLEX32, "COMPLEX32"},
    {ACL_HIFLOAT8, "HIFLOAT8"},
    {ACL_FLOAT8_E5M2, "FLOAT8_E5M2"},
    {ACL_FLOAT8_E4M3FN, "FLOAT8_E4M3FN"},
    {ACL_FLOAT8_E8M0, "FLOAT8_E8M0"},
    {ACL_FLOAT6_E3M2, "FLOAT6_E3M2"},
    {ACL_FLOAT6_E2M3, "FLOAT6_E2M3"},
    {ACL_FLOAT4_E2M1, "FLOAT4_E2M1"},
    {ACL_FLOAT4_E1M2, "FLOAT4_E1M2"},
};

constexpr Name kFormats[] = {
    {ACL_FORMAT_UNDEFINED, "UNDEFINED"},
    {ACL_FORMAT_NCHW, "NCHW"},
    {ACL_FORMAT_NHWC, "NHWC"},
    {ACL_FORMAT_ND, "ND"},
    {ACL_FORMAT_NC1HWC0, "NC1HWC0"},
    {ACL_FORMAT_FRACTAL_Z, "FRACTAL_Z"},
    {ACL_FORMAT_NC1HWC0_C04, "NC1HWC0_C04"},
    {ACL_FORMAT_HWCN, "HWCN"},
    {ACL_FORMAT_NDHWC, "NDHWC"},
    {ACL_FORMAT_FRACTAL_NZ, "FRACTAL_NZ"},
    {ACL_FORMAT_NCDHW, "NCDHW"},
    {ACL_FORMAT_NDC1HWC0, "NDC1HWC0"},
    {ACL_FRACTAL_Z_3D, "FRACTAL_Z_3D"},
    {ACL_FORMAT_NC, "NC"},
    {ACL_FORMAT_NCL, "NCL"},
    {ACL_FORMAT_FRACTAL_NZ_C0_16, "FRACTAL_NZ_C0_16"},
    {ACL_FORMAT_FRACTAL_NZ_C0_32, "FRACTAL_NZ_C0_32"},
    {ACL_FORMAT_FRACTAL_NZ_C0_2, "FRACTAL_NZ_C0_2"},
    {ACL_FORMAT_FRACTAL_NZ_C0_4, "FRACTAL_NZ_C0_4"},
    {ACL_FORMAT_FRACTAL_NZ_C0_8, "FRACTAL_NZ_C0_8"},
};

// A program may pass any number as an enum; one without a name is printed.
std::string name_or_number(std::span<const Name> names, int value) {
  for (const Name& name : names) {
    if (name.value == value) return name.text;
  }
  return "number " + std::to_string(value);
}

}  // namespace

std::string text_of(std::span<const std::int64_t> values) {
  std::string result = "[";
  for (const std::int64_t value : values) {
    if (result.size() > 1) result += ',';
    result += std::to_string(value);
  }
  return result + ']';
}

std::string text_of(std::string_view text) { return std::string(text); }

std::string text_of(aclDataType type) { return name_or_number(kTypes, type); }

std::string text_of(aclFormat format) { return name_or_number(kFormats, format); }

std::string address_text(const void* address) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%p", address);
  return digits.data();
}

// Not printf: a locale of the program's may write a comma for the point.
std::string text_of(double value) {
  std::array<char, 32> digits{};
  const std::to_chars_result end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 9);
  return {digits.data(), end.ptr};
}

bool is_format(aclFormat format) {
  if (format == ACL_FORMAT_ND || format == ACL_FORMAT_NCHW || format == ACL_FORMAT_NCDHW) return true;
  return std::ranges::any_of(kFormats, [&](const Name& name) { return name.value == format; });
}

}  // namespace cairn
