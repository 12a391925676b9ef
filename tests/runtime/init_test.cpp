#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "acl/acl.h"
#include "runtime/child.h"

namespace cairn::test {
namespace {

// The file lives as long as this.
class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text) {
    static int counter = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("cairn-config-" + std::to_string(getpid()) + "-" + std::to_string(counter++));
    std::ofstream(path_) << text;
  }
  ~ConfigFile() { std::filesystem::remove(path_); }
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;
  const char* path() const { return path_.c_str(); }

 private:
  std::filesystem::path path_;
};

#define EXPECT_CHILD(...)                                        \
  do {                                                           \
    const ChildResult child_result = in_child(__VA_ARGS__);      \
    EXPECT_EQ(child_result.code, 0) << child_result.stderr_text; \
  } while (false)

TEST(Init, RepeatedInitCountsAndOneFinalizeEndsAll) {
  EXPECT_CHILD({}, [] {
    CHILD_EXPECT(aclInit(nullptr), ACL_SUCCESS);
    CHILD_EXPECT(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
    CHILD_EXPECT(aclFinalize(), ACL_SUCCESS);
    CHILD_EXPECT(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    CHILD_EXPECT(aclInit(""), ACL_SUCCESS);
    CHILD_EXPECT(aclFinalize(), ACL_SUCCESS);
    return 0;
  });
}

TEST(Init, FinalizeWithoutInitSucceedsOnce) {
  EXPECT_CHILD({}, [] {
    CHILD_EXPECT(aclFinalize(), ACL_SUCCESS);
    CHILD_EXPECT(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    return 0;
  });
}

TEST(Init, FinalizeReferencePairsWithInit) {
  EXPECT_CHILD({}, [] {
    uint64_t left = 99;
    CHILD_EXPECT(aclFinalizeReference(&left), ACL_ERROR_REPEAT_FINALIZE);
    CHILD_EXPECT(aclInit(nullptr), ACL_SUCCESS);
    CHILD_EXPECT(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
    CHILD_EXPECT(aclFinalizeReference(&left), ACL_SUCCESS);
    CHILD_EXPECT(left, 1U);
    CHILD_EXPECT(aclFinalizeReference(nullptr), ACL_SUCCESS);
    CHILD_EXPECT(aclFinalizeReference(&left), ACL_ERROR_REPEAT_FINALIZE);
    CHILD_EXPECT(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    CHILD_EXPECT(aclInit(nullptr), ACL_SUCCESS);
    return 0;
  });
}

TEST(Init, IsNotNeeded) {
  EXPECT_CHILD({}, [] {
    void* device = nullptr;
    CHILD_EXPECT(aclrtSetDevice(0), ACL_SUCCESS);
    CHILD_EXPECT(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    CHILD_EXPECT(aclrtFree(device), ACL_SUCCESS);
    CHILD_EXPECT(aclrtResetDevice(0), ACL_SUCCESS);
    return 0;
  });
}

TEST(Init, FinalizeAndResetWithLiveObjects) {
  EXPECT_CHILD({}, [] {
    void* device = nullptr;
    aclrtStream stream = nullptr;
    CHILD_EXPECT(aclInit(nullptr), ACL_SUCCESS);
    CHILD_EXPECT(aclrtSetDevice(0), ACL_SUCCESS);
    CHILD_EXPECT(aclrtCreateStream(&stream), ACL_SUCCESS);
    CHILD_EXPECT(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    CHILD_EXPECT(aclrtMemsetAsync(device, 64, 1, 64, stream), ACL_SUCCESS);
    CHILD_EXPECT(aclrtResetDevice(0), ACL_SUCCESS);
    CHILD_EXPECT(aclFinalize(), ACL_SUCCESS);
    CHILD_EXPECT(aclrtFree(device), ACL_SUCCESS);
    CHILD_EXPECT(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHILD_EXPECT(aclInit(nullptr), ACL_SUCCESS);
    CHILD_EXPECT(aclrtSetDevice(0), ACL_SUCCESS);
    CHILD_EXPECT(aclrtCreateStream(&stream), ACL_SUCCESS);
    CHILD_EXPECT(aclFinalize(), ACL_SUCCESS);
    return 0;
  });
}

TEST(Init, ConfigFileMustExistAndHoldAnObject) {
  const ConfigFile empty_object(" { } \n");
  const ConfigFile nested(R"({"dump": {"list": [1, "}\"{"]}})");
  EXPECT_CHILD({}, [&] {
    CHILD_EXPECT(aclInit("/nowhere/acl.json"), ACL_ERROR_INVALID_FILE);
    CHILD_EXPECT(aclInit("/"), ACL_ERROR_INVALID_FILE);
    CHILD_EXPECT(aclInit(empty_object.path()), ACL_SUCCESS);
    CHILD_EXPECT(aclFinalize(), ACL_SUCCESS);
    CHILD_EXPECT(aclInit(nullptr), ACL_SUCCESS);
    return 0;
  });
  EXPECT_CHILD({}, [&] {
    CHILD_EXPECT(aclInit(nested.path()), ACL_SUCCESS);
    return 0;
  });
  for (const char* text : {"", "  \n", "[]", "{", "{}}", "{]", "{\"a", "hello", "{} {}"}) {
    const ConfigFile bad(text);
    EXPECT_CHILD({}, [&] {
      CHILD_EXPECT(aclInit(bad.path()), ACL_ERROR_PARSE_FILE);
      CHILD_EXPECT(aclInit(nullptr), ACL_SUCCESS);
      return 0;
    });
  }
}

TEST(Init, AnotherConfigurationLaterIsRefused) {
  const ConfigFile first(R"({"a": 1})");
  const ConfigFile same(R"({ "a" : 1 })");
  const ConfigFile other(R"({"a": 2})");
  EXPECT_CHILD({}, [&] {
    CHILD_EXPECT(aclInit(first.path()), ACL_SUCCESS);
    CHILD_EXPECT(aclFinalize(), ACL_SUCCESS);
    CHILD_EXPECT(aclInit(other.path()), ACL_ERROR_INVALID_PARAM);
    CHILD_EXPECT(aclInit(same.path()), ACL_SUCCESS);
    return 0;
  });
}

TEST(Init, ErrorTextIsTheProcessesOnRequest) {
  const ConfigFile process_wide(R"({"err_msg_mode": "1"})");
  EXPECT_CHILD({}, [&] {
    CHILD_EXPECT(aclInit(process_wide.path()), ACL_SUCCESS);
    std::thread([] { aclrtFree(nullptr); }).join();
    CHILD_EXPECT(aclGetRecentErrMsg() != nullptr, true);
    CHILD_EXPECT(aclGetRecentErrMsg() == nullptr, true);
    return 0;
  });
}

}  // namespace
}  // namespace cairn::test
