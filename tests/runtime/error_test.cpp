#include <unistd.h>

#include <cstdio>

#include "runtime/support.h"

namespace cairn::test {
namespace {

// Each test on a thread of its own: texts and last errors are kept per thread.
template <typename Body>
void on_new_thread(Body body) {
  std::thread(body).join();
}

TEST(ErrorText, HasTheForm) {
  on_new_thread([] {
    EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
    const std::string text = pending_text();
    int pid = 0;
    int date[8] = {};
    int length = 0;
    ASSERT_EQ(std::sscanf(text.c_str(), "[PID: %d] %4d-%2d-%2d-%2d:%2d:%2d.%3d.%3d %n", &pid, &date[0],
                          &date[1], &date[2], &date[3], &date[4], &date[5], &date[6], &date[7], &length),
              9)
        << text;
    EXPECT_EQ(pid, getpid());
    EXPECT_GE(date[0], 2024);
    EXPECT_EQ(text.substr(static_cast<std::size_t>(length)),
              "Invalid_Argument(EH0001): aclrtFree: devPtr is null\n");
  });
}

TEST(ErrorText, TitlesOfTheFamilies) {
  on_new_thread([] {
    const struct {
      Status status;
      const char* title;
    } cases[] = {
        {161001, "AclNN_Parameter_Error(EZ1001): why\n"}, {161002, "AclNN_Parameter_Error(EZ1001): why\n"},
        {361001, "AclNN_Runtime_Error(EZ9903): why\n"},   {561103, "AclNN_Inner_Error(EZ9999): why\n"},
        {107000, "Invalid_Argument(EH0001): why\n"},      {207001, "Runtime_Error(EE9999): why\n"},
        {507035, "Runtime_Error(EE9999): why\n"}};
    for (const auto& [status, title] : cases) {
      cairn_runtime_bridge().report_error(status, "why");
      EXPECT_NE(pending_text().find(title), std::string::npos) << status;
    }
  });
}

TEST(ErrorText, IsClearedByReading) {
  on_new_thread([] {
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    aclrtFree(nullptr);
    EXPECT_NE(aclGetRecentErrMsg(), nullptr);
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  });
}

TEST(ErrorText, SeveralAreKeptNewestFirst) {
  on_new_thread([] {
    aclrtFree(nullptr);
    aclrtFreeHost(nullptr);
    const std::string text = pending_text();
    const std::size_t newest = text.find("aclrtFreeHost");
    const std::size_t oldest = text.find("aclrtFree:");
    ASSERT_NE(newest, std::string::npos);
    ASSERT_NE(oldest, std::string::npos);
    EXPECT_LT(newest, oldest);
  });
}

TEST(ErrorText, DoesNotGrowWithoutBound) {
  on_new_thread([] {
    for (int i = 0; i < 10000; ++i) aclrtFree(nullptr);
    EXPECT_LT(pending_text().size(), 10000U);
  });
}

TEST(ErrorText, BelongsToItsThread) {
  on_new_thread([] {
    aclrtFree(nullptr);
    on_new_thread([] { EXPECT_EQ(aclGetRecentErrMsg(), nullptr); });
    EXPECT_NE(aclGetRecentErrMsg(), nullptr);
  });
}

TEST(LastError, GetClearsAndPeekDoesNot) {
  on_new_thread([] {
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    aclrtFree(nullptr);
    uint32_t count = 0;
    EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);  // a success does not hide it
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetLastError(static_cast<aclrtLastErrLevel>(1)), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtPeekAtLastError(static_cast<aclrtLastErrLevel>(-1)), ACL_ERROR_INVALID_PARAM);
  });
}

TEST(LastError, OperatorErrorsLeaveTheRuntimesAlone) {
  on_new_thread([] {
    cairn_runtime_bridge().report_error(161002, "not the runtime's");
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  });
}

// A destructor that runs after the library's own per-thread data is gone.
struct LateCaller {
  ~LateCaller() {
    aclrtFree(nullptr);
    *answer = aclGetRecentErrMsg();
  }
  const char** answer = nullptr;
};

TEST(ErrorText, CallsFromTheEndOfAThreadAreSafe) {
  const char* answer = "untouched";
  on_new_thread([&] {
    thread_local LateCaller late;
    late.answer = &answer;
    aclrtFree(nullptr);
  });
  EXPECT_EQ(answer, nullptr);
}

}  // namespace
}  // namespace cairn::test
