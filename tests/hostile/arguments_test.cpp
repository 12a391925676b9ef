#include <algorithm>
#include <climits>
#include <thread>

#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_max_unpool3d.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "hostile/small_call.h"
#include "hostile/support.h"

// Arguments that are no value of their type, names that name nothing, and objects without end.
namespace hostile_test {
namespace {

int product_is(const char* name, bool accepted) {
  setenv("CAIRN_PRODUCT", name, 1);
  aclFinalize();
  aclGetRecentErrMsg();
  const aclError status = aclInit(nullptr);
  const std::string message = api_test::recent_message();
  CHILD_TRUE((status == 0) == accepted, std::string(name) + ": " + std::to_string(status) + " " + message);
  CHILD_TRUE((aclrtGetSocName() != nullptr) == accepted, name);
  if (accepted) return 0;
  CHILD_EXPECT(status, ACL_ERROR_INVALID_PARAM);
  CHILD_TRUE(contains(message, std::string("\"") + name + "\"") && contains(message, "Ascend910B1"), message);
  return 0;
}

int products_are(std::initializer_list<const char*> names, bool accepted) {
  int wrong = 0;
  for (const char* name : names) wrong += product_is(name, accepted);
  return wrong;
}

TEST(AProductName, ThatExistsIsAccepted) {
  expect_in_child([] {
    return products_are({"",
                         "portable",
                         "PORTABLE",
                         "atlas-a2",
                         "Ascend910B1",
                         "Ascend910B2",
                         "Ascend910B3",
                         "Ascend910B4",
                         "Ascend910B1C",
                         "Ascend910B2C",
                         "ascend910b2c",
                         "ASCEND910B3",
                         "Ascend910B4-1",
                         "Ascend910B1-1",
                         "atlas-a3",
                         "Ascend910_93",
                         "Ascend910_9391",
                         "ascend910_9362",
                         "Ascend950",
                         "ascend950",
                         "Ascend950PR",
                         "Ascend950DT",
                         "Ascend950PR_9589",
                         "Ascend950DT_9582",
                         "ascend950pr_9579a",
                         "Ascend950DT_9582X",
                         "Ascend910_95",
                         "Ascend910_9599",
                         "atlas-training",
                         "Ascend910",
                         "Ascend910A",
                         "Ascend910ProA",
                         "Ascend910ProB",
                         "Ascend910PremiumA",
                         "atlas-inference",
                         "Ascend310P",
                         "Ascend310P3",
                         "Ascend310P1",
                         "atlas-200i-500-a2",
                         "Ascend310B",
                         "Ascend310B1",
                         "Ascend310B4",
                         "atlas-200-300-500",
                         "Ascend310"},
                        true);
  });
}

TEST(AProductName, ThatIsAlmostRightIsRefused) {
  expect_in_child([] {
    return products_are({"Ascend910B",
                         "Ascend910B0",
                         "Ascend910B5",
                         "Ascend910B9",
                         "Ascend910B1xyz",
                         "Ascend910B1D",
                         "Ascend910B1-2",
                         "Ascend910B1-",
                         "Ascend910B1C-1",
                         "Ascend910B12",
                         "Ascend910B4-11",
                         "Ascend910_9",
                         "Ascend910_931",
                         "Ascend910_93911",
                         "Ascend910_93AB",
                         "Ascend910_93xx",
                         "Ascend950XYZ",
                         "Ascend950P",
                         "Ascend950_",
                         "Ascend950PR_95",
                         "Ascend950PR_958",
                         "Ascend950PR_9689",
                         "Ascend950PR_9589AB",
                         "Ascend950PR_95899",
                         "Ascend9501",
                         "Ascend910_951",
                         "Ascend910_95AB",
                         "Ascend910_95999",
                         "Ascend310P33",
                         "Ascend310PX",
                         "Ascend310P3 ",
                         " Ascend310P3",
                         "Ascend310B12",
                         "Ascend310BX",
                         "Ascend310A",
                         "Ascend910AB",
                         "Ascend910C",
                         "atlas-a22",
                         "portable ",
                         "x",
                         "\xff"},
                        false);
  });
}

TEST(AProductName, OfAnyLengthIsAnsweredInAFewWords) {
  expect_in_child({{"CAIRN_PRODUCT", std::string(100000, 'a')}}, [] {
    CHILD_EXPECT(aclInit(nullptr), ACL_ERROR_INVALID_PARAM);
    const std::string message = api_test::recent_message();
    CHILD_TRUE(contains(message, "CAIRN_PRODUCT") && message.size() < 20000, std::to_string(message.size()));
    return 0;
  });
}

template <typename Create>
int null_with_a_message(Create create, const char* function) {
  aclGetRecentErrMsg();
  CHILD_TRUE(create() == nullptr, function);
  const std::string message = api_test::recent_message();
  CHILD_TRUE(contains(message, function) && contains(message, "null") && contains(message, "3"), message);
  return 0;
}

TEST(AnArray, OfNothingWithASizeIsRefused) {
  expect_in_child([] {
    int wrong = null_with_a_message([] { return aclCreateIntArray(nullptr, 3); }, "aclCreateIntArray");
    wrong += null_with_a_message([] { return aclCreateFloatArray(nullptr, 3); }, "aclCreateFloatArray");
    wrong += null_with_a_message([] { return aclCreateBoolArray(nullptr, 3); }, "aclCreateBoolArray");
    wrong += null_with_a_message([] { return aclCreateTensorList(nullptr, 3); }, "aclCreateTensorList");
    wrong += null_with_a_message([] { return aclCreateScalarList(nullptr, 3); }, "aclCreateScalarList");
    return wrong;
  });
}

TEST(AnArray, OfNothingIsEmpty) {
  expect_in_child([] {
    std::uint64_t size = 9;
    aclIntArray* ints = aclCreateIntArray(nullptr, 0);
    CHILD_EXPECT(aclGetIntArraySize(ints, &size), 0);
    CHILD_EXPECT(size, 0U);
    CHILD_EXPECT(aclDestroyIntArray(ints), 0);
    CHILD_EXPECT(aclDestroyFloatArray(aclCreateFloatArray(nullptr, 0)), 0);
    CHILD_EXPECT(aclDestroyBoolArray(aclCreateBoolArray(nullptr, 0)), 0);
    aclTensorList* tensors = aclCreateTensorList(nullptr, 0);
    size = 9;
    CHILD_EXPECT(aclGetTensorListSize(tensors, &size), 0);
    CHILD_EXPECT(size, 0U);
    CHILD_EXPECT(aclDestroyTensorList(tensors), 0);
    CHILD_EXPECT(aclDestroyScalarList(aclCreateScalarList(nullptr, 0)), 0);
    return 0;
  });
}

constexpr int kFormats[] = {-1, 0, 1, 2, 3, 4, 12, 16, 27, 29, 30, 32, 33, 35, 47, 50, 51, 52, 53, 54};
constexpr int kNoFormats[] = {INT_MIN, -1000, -2, 5,  11, 13, 15,  17,  26,     28,
                              31,      34,    36, 48, 49, 55, 100, 999, INT_MAX};

// Every operator on tensors of one flag each, whose memory no phase 1 looks at.
struct Flagged {
  explicit Flagged(int flag) : format(static_cast<aclFormat>(flag)) {}

  aclFormat format;
  api_test::Tensor large{{{1, 2, 4, 4, 4}, ACL_FLOAT, format}, nullptr};
  api_test::Tensor small{{{1, 2, 2, 2, 2}, ACL_FLOAT, format}, nullptr};
  api_test::Tensor indices{{{1, 2, 2, 2, 2}, ACL_INT32, format}, nullptr};
  api_test::Tensor long_indices{{{1, 2, 2, 2, 2}, ACL_INT64, format}, nullptr};
  api_test::Tensor flat_large{{{1, 2, 4, 4}, ACL_FLOAT, format}, nullptr};
  api_test::Tensor flat_small{{{1, 2, 2, 2}, ACL_FLOAT, format}, nullptr};
  api_test::Tensor flat_indices{{{1, 2, 2, 2}, ACL_INT32, format}, nullptr};
  api_test::IntArray two{{2}};
  api_test::IntArray twos{{2, 2, 2}};
  api_test::IntArray zero{{0}};
  api_test::IntArray zeros{{0, 0, 0}};
  api_test::IntArray one{{1}};
  api_test::IntArray size{{4, 4, 4}};
  api_test::IntArray in_size{{1, 2, 2, 2, 2}};

  // All eight phases 1.
  std::vector<api_test::Phase1> calls() const {
    return {
        [this](auto* w, auto** e) {
          return aclnnMaxPool3dWithArgmaxGetWorkspaceSize(large, two, two, zero, one, false, small, indices,
                                                          w, e);
        },
        [this](auto* w, auto** e) {
          return aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(small, large, indices, two, two, zero, one,
                                                                  false, large, w, e);
        },
        [this](auto* w, auto** e) {
          return aclnnMaxPool2dWithIndicesGetWorkspaceSize(flat_large, two, two, zero, one, false, flat_small,
                                                           flat_indices, w, e);
        },
        [this](auto* w, auto** e) {
          return aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(flat_small, flat_large, flat_indices, two,
                                                                   two, zero, one, false, flat_large, w, e);
        },
        [this](auto* w, auto** e) {
          return aclnnMaxUnpool3dGetWorkspaceSize(small, long_indices, size, twos, zeros, large, w, e);
        },
        [this](auto* w, auto** e) {
          return aclnnMaxUnpool3dBackwardGetWorkspaceSize(large, small, long_indices, size, twos, zeros,
                                                          small, w, e);
        },
        [this](auto* w, auto** e) {
          return aclnnUpsampleNearest3dGetWorkspaceSize(small, size, 0, 0, 0, large, w, e);
        },
        [this](auto* w, auto** e) {
          return aclnnUpsampleNearest3dBackwardGetWorkspaceSize(large, size, in_size, 0, 0, 0, small, w, e);
        },
    };
  }
};

int no_operator_takes(int format) {
  const Flagged flagged(format);
  int number = 0;
  for (const api_test::Phase1& phase1 : flagged.calls()) {
    std::uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    aclGetRecentErrMsg();
    const aclnnStatus status = phase1(&size, &executor);
    const std::string message = api_test::recent_message();
    const std::string which = "operator " + std::to_string(number++) + ", format " + std::to_string(format);
    CHILD_TRUE(status == kInvalidParameter, which + ": " + std::to_string(status));
    CHILD_TRUE(contains(message, "format") && contains(message, std::to_string(format)), which + message);
  }
  return 0;
}

TEST(AFormat, ThatIsNoneIsRefusedByEveryOperator) {
  for (const char* product : {"portable", "atlas-a2"}) {
    expect_in_child({{"CAIRN_PRODUCT", product}}, [] {
      int wrong = 0;
      for (const int format : kNoFormats) wrong += no_operator_takes(format);
      return wrong;
    });
  }
}

// The two lists are all there is to know of aclFormat; the flags that change no axes are taken.
TEST(AFormat, ThatIsPlainIsTakenByEveryOperator) {
  expect_in_child([] {
    for (const int format : {0, 2, 16, 30, 35, 47}) {
      CHILD_EXPECT(std::find(std::begin(kFormats), std::end(kFormats), format) != std::end(kFormats), true);
      const Flagged flagged(format);
      for (const api_test::Phase1& phase1 : flagged.calls()) {
        std::uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        const aclnnStatus status = phase1(&size, &executor);
        CHILD_TRUE(status == 0, std::to_string(format) + ": " + api_test::recent_message());
      }
    }
    return 0;
  });
}

// A thread that leaks its objects spoils nothing for the others, whichever they are.
TEST(AMillionObjects, OfOneThreadLeaveRoomForTheOthers) {
  expect_in_child(
      [] {
        CHILD_TRUE(start(), "no device");
        constexpr int kLeaked = 1 << 20;
        for (int i = 0; i < kLeaked; ++i) {
          if (aclCreateIntArray(nullptr, 0) == nullptr) break;
        }
        aclGetRecentErrMsg();
        std::atomic<int> refused{0};
        for (int i = 0; i < 16; ++i) {
          std::thread([&] {
            SmallCall call;
            if (aclrtSetDevice(0) != 0 || !call.make() || call.run(nullptr) != 0 || !call.right()) ++refused;
          }).join();
        }
        CHILD_TRUE(refused == 0,
                   std::to_string(refused.load()) + " threads of 16: " + api_test::recent_message());
        return 0;
      },
      // What was leaked on purpose is not to be reported.
      Ending::kQuickExit);
}

}  // namespace
}  // namespace hostile_test
