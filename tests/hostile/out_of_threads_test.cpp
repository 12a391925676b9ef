#include <algorithm>
#include <atomic>

#include "hostile/calls.h"
#include "hostile/shortage.h"
#include "hostile/small_call.h"
#include "hostile/support.h"

// pthread_create fails at its n-th call, or always: everything computes all the same, or says what it could
// not do.
namespace hostile_test {
namespace {

// A status that is not 0 comes with a sentence about threads, not only with the system's "Resource
// temporarily unavailable".
int said_why(int status) {
  if (status == 0) return 0;
  const std::string message = api_test::recent_message();
  CHILD_TRUE(contains(message, "thread"), std::to_string(status) + ": " + message);
  return 0;
}

int use_streams_and_pool(const Bytes& expected) {
  Call large(plain_recipe("aclnnMaxPool3dWithArgmaxBackward"));
  for (int i = 0; i < 4; ++i) {
    aclrtStream stream = nullptr;
    CHILD_EXPECT(aclrtCreateStream(&stream), 0);
    large.spoil();
    int status = large.queue(stream);
    if (status == 0) status = aclrtSynchronizeStream(stream);
    if (const int code = said_why(status)) return code;
    if (status == 0) CHILD_TRUE(large.result() == expected, "another result");
    std::atomic<int> calls{0};
    status = aclrtLaunchHostFunc(
        stream, [](void* counter) { ++*static_cast<std::atomic<int>*>(counter); }, &calls);
    if (const int code = said_why(status)) return code;
    if (status == 0) {
      CHILD_EXPECT(aclrtSynchronizeStreamWithTimeout(stream, 30000), 0);
      CHILD_EXPECT(calls.load(), 1);
    }
    CHILD_EXPECT(aclrtDestroyStream(stream), 0);
  }
  return 0;
}

class OutOfThreads : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    expected = new SharedBytes(plain_recipe("aclnnMaxPool3dWithArgmaxBackward").output_bytes);
    expect_in_child([] {
      CHILD_TRUE(start(), "no device");
      Call call(plain_recipe("aclnnMaxPool3dWithArgmaxBackward"));
      CHILD_EXPECT(call.queue(nullptr), 0);
      CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
      const Bytes result = call.result();
      std::copy(result.begin(), result.end(), expected->get().begin());
      return 0;
    });
  }
  static void TearDownTestSuite() { delete expected; }

  static Bytes wanted() { return {expected->get().begin(), expected->get().end()}; }

  static SharedBytes* expected;
};
SharedBytes* OutOfThreads::expected = nullptr;

void expect_survival(const Bytes& expected, long failures) {
  for (const char* threads : {"1", "2", "7"}) {
    for (long point = 0; point < 10; ++point) {
      SCOPED_TRACE(std::string(threads) + " threads, point " + std::to_string(point));
      expect_in_child({{"CAIRN_THREADS", threads}}, [&] {
        thread_shortage().begin(point, failures);
        CHILD_TRUE(start(), api_test::recent_message());
        const int code = use_streams_and_pool(expected);
        thread_shortage().end();
        if (code != 0) return code;
        // And when there are threads again.
        return use_streams_and_pool(expected);
      });
    }
  }
}

TEST_F(OutOfThreads, OnceAtAnyTime) { expect_survival(wanted(), 1); }

TEST_F(OutOfThreads, ForGoodFromAnyTimeOn) { expect_survival(wanted(), kForGood); }

// The tests above would pass for nothing if the library got its threads elsewhere.
TEST_F(OutOfThreads, IsTestedWithThreadsThatAreAskedFor) {
  expect_in_child({{"CAIRN_THREADS", "2"}}, [] {
    thread_shortage().begin(0, kForGood);
    CHILD_TRUE(start(), api_test::recent_message());
    const int code = use_streams_and_pool(wanted());
    CHILD_EXPECT(thread_shortage().end() > 0, true);
    return code;
  });
}

}  // namespace
}  // namespace hostile_test
