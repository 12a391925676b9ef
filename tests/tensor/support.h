#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

namespace cairn::test {

using Sizes = std::vector<std::int64_t>;

// The pending error text of this thread, which reading it clears.
inline std::string recent_error() {
  const char* message = aclGetRecentErrMsg();
  return message != nullptr ? message : "";
}

// The status, and a message that has the words in it.
inline void expect_refused(aclnnStatus actual, aclnnStatus expected, const std::string& words) {
  EXPECT_EQ(actual, expected);
  const std::string message = recent_error();
  EXPECT_NE(message.find(words), std::string::npos)
      << "message: \"" << message << "\", expected in it: " << words;
}

inline aclTensor* make_tensor(const Sizes& dims, void* data = nullptr, aclDataType type = ACL_FLOAT,
                              const std::int64_t* strides = nullptr, std::int64_t offset = 0) {
  return aclCreateTensor(dims.data(), dims.size(), type, strides, offset, ACL_FORMAT_ND, dims.data(),
                         dims.size(), data);
}

// An address nobody has to own: descriptors never look at what it points to.
inline void* address(std::uintptr_t value) {
  return reinterpret_cast<void*>(value);  // NOLINT(performance-no-int-to-ptr): made up on purpose
}

}  // namespace cairn::test
