#include "hostile/fp_mode.h"

#include <algorithm>
#include <cstring>

#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "hostile/calls.h"
#include "hostile/support.h"

// Whatever mode the threads of the program are in, kernels round to nearest and keep subnormals, and those
// threads find their mode as it was.
namespace hostile_test {
namespace {

enum class When { kBeforeInit, kAfterInit };
enum class Wait { kAtOnce, kLate };

// One after the other, so that a parent and its children agree on the places.
std::size_t total_output(const std::vector<Recipe>& recipes) {
  std::size_t total = 0;
  for (const Recipe& recipe : recipes) total += recipe.output_bytes;
  return total;
}

// A thread that waits may run the kernel itself; one that comes late finds it run by the stream's thread.
aclError wait_for(aclrtStream stream, Wait wait) {
  if (wait == Wait::kLate) {
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    const bool done = becomes_true(
        [&] { return aclrtStreamQuery(stream, &status) == 0 && status == ACL_STREAM_STATUS_COMPLETE; });
    if (!done) return -1;
  }
  return aclrtSynchronizeStream(stream);
}

// The call that changed the calling thread's mode, if one did.
class ModeWatch {
 public:
  void look(const char* after) {
    if (changed_by_.empty() && fp_state() != before_) changed_by_ = after;
  }
  std::string changed_by() const { return changed_by_; }

 private:
  const FpState before_ = fp_state();
  std::string changed_by_;
};

int check_call(const Recipe& recipe, Call& call, Wait wait, std::span<const unsigned char> expected) {
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  call.spoil();
  ModeWatch watch;
  CHILD_EXPECT(call.phase1(&size, &executor), 0);
  watch.look("phase 1");
  const api_test::Buffer workspace(size);
  watch.look("aclrtMalloc");
  CHILD_EXPECT(call.phase2(workspace.address(), size, executor, nullptr), 0);
  watch.look("phase 2");
  CHILD_EXPECT(wait_for(nullptr, wait), 0);
  watch.look("synchronise");
  const Bytes result = call.result();
  watch.look("aclrtMemcpy");
  const auto differing = std::mismatch(result.begin(), result.end(), expected.begin(), expected.end()).first;
  const std::string waited = wait == Wait::kLate ? ", waited late" : ", waited at once";
  CHILD_TRUE(differing == result.end(),
             recipe.name + " differs at byte " + std::to_string(differing - result.begin()) + waited);
  CHILD_TRUE(watch.changed_by().empty(), recipe.name + ": by " + watch.changed_by() + waited);
  return 0;
}

int check_all(const std::vector<Recipe>& recipes, const FpMode& mode, When when,
              std::span<const unsigned char> expected) {
  if (when == When::kBeforeInit) mode.enter();
  const FpState before = fp_state();
  CHILD_TRUE(start(), "no device");
  CHILD_TRUE(fp_state() == before, "aclInit or aclrtSetDevice has changed the mode");
  if (when == When::kAfterInit) mode.enter();
  std::size_t offset = 0;
  for (const Recipe& recipe : recipes) {
    Call call(recipe);
    const auto part = expected.subspan(offset, recipe.output_bytes);
    offset += recipe.output_bytes;
    for (const Wait wait : {Wait::kAtOnce, Wait::kLate}) {
      if (const int code = check_call(recipe, call, wait, part); code != 0) return code;
    }
  }
  enter_default_mode();
  return 0;
}

class FpModes : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    recipes = new std::vector<Recipe>(recipes_for_sums());
    expected = new SharedBytes(total_output(*recipes));
    expect_in_child({{"CAIRN_THREADS", "1"}}, note_expected);
  }
  static void TearDownTestSuite() {
    delete recipes;
    delete expected;
  }

  static int note_expected() {
    CHILD_TRUE(start(), "no device");
    std::size_t offset = 0;
    for (const Recipe& recipe : *recipes) {
      Call call(recipe);
      call.spoil();  // a mask has bytes that stay as they are
      CHILD_EXPECT(call.queue(nullptr), 0);
      CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
      const Bytes result = call.result();
      std::copy(result.begin(), result.end(), &expected->get()[offset]);
      offset += result.size();
    }
    return 0;
  }

  static void check_threads(const char* threads) {
    bool turn = false;
    for (const FpMode& mode : fp_modes()) {
      turn = !turn;
      for (const When when : {When::kBeforeInit, When::kAfterInit}) {
        // The bits are those of the release build; a sanitizer, ten times as slow, sees one half of it.
        if (kSanitized && (when == When::kBeforeInit) == turn) continue;
        SCOPED_TRACE(mode.name + (when == When::kBeforeInit ? " before aclInit" : " after aclInit"));
        expect_in_child({{"CAIRN_THREADS", threads}},
                        [&] { return check_all(*recipes, mode, when, expected->get()); });
      }
    }
  }

  static std::vector<Recipe>* recipes;
  static SharedBytes* expected;
};

std::vector<Recipe>* FpModes::recipes = nullptr;
SharedBytes* FpModes::expected = nullptr;

TEST_F(FpModes, ChangeNoBitOnOneThread) {
  if (kSanitized) GTEST_SKIP() << "two threads and seven are enough for a sanitizer";
  check_threads("1");
}
TEST_F(FpModes, ChangeNoBitOnTwoThreads) {
  if (kThreadSanitizer) GTEST_SKIP() << "seven threads are enough for a sanitizer of races";
  check_threads("2");
}
TEST_F(FpModes, ChangeNoBitOnSevenThreads) { check_threads("7"); }

// Subnormals must be there to be lost: else the tests above would pass for nothing.
TEST_F(FpModes, AreTestedWithSubnormalResults) {
  std::size_t offset = 0;
  for (const Recipe& recipe : *recipes) {
    if (recipe.type == reference::Type::kFloat) {
      int subnormal = 0;
      for (std::size_t i = 0; i < recipe.value_bytes; i += 4) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &expected->get()[offset + i], sizeof(bits));
        subnormal += (bits & 0x7F800000U) == 0 && (bits & 0x007FFFFFU) != 0 ? 1 : 0;
      }
      EXPECT_GT(subnormal, 100) << recipe.name;
    }
    offset += recipe.output_bytes;
  }
}

// Scales whose product with a position, or whose inverse, lies on the edge of the next position: one rounding
// the other way takes another cell.
constexpr double kScales[] = {1.1, 1.3,     1.7,     2.1,       3.3,       0.7,
                              0.3, 1.0 / 3, 2.0 / 3, 2.9999999, 3.0000001, 1e-7};

constexpr std::int64_t kIn = 61;
constexpr std::int64_t kOut = 97;

int upsample_maps(const FpMode& mode, std::span<float> maps) {
  std::vector<float> places(kOut);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<float>(i + 1);
  const api_test::Buffer self(kIn * 4, places.data());
  const api_test::Buffer grad(kOut * 4, places.data());
  const api_test::Buffer out(kOut * 4);
  const api_test::Buffer grad_input(kIn * 4);
  const api_test::Tensor self_tensor({{1, 1, 1, 1, kIn}}, self.address());
  const api_test::Tensor grad_tensor({{1, 1, 1, 1, kOut}}, grad.address());
  const api_test::Tensor out_tensor({{1, 1, 1, 1, kOut}}, out.address());
  const api_test::Tensor grad_input_tensor({{1, 1, 1, 1, kIn}}, grad_input.address());
  const api_test::IntArray out_size({1, 1, kOut});
  const api_test::IntArray in_size({1, 1, 1, 1, kIn});
  std::size_t at = 0;
  std::string changed;
  for (const double scale : kScales) {
    mode.enter();
    ModeWatch watch;
    const auto forward = api_test::run(
        [&](std::uint64_t* size, aclOpExecutor** executor) {
          return aclnnUpsampleNearest3dGetWorkspaceSize(self_tensor, out_size, 1, 1, scale, out_tensor, size,
                                                        executor);
        },
        aclnnUpsampleNearest3d, nullptr);
    watch.look("forward");
    const auto backward = api_test::run(
        [&](std::uint64_t* size, aclOpExecutor** executor) {
          return aclnnUpsampleNearest3dBackwardGetWorkspaceSize(grad_tensor, out_size, in_size, 1, 1, scale,
                                                                grad_input_tensor, size, executor);
        },
        aclnnUpsampleNearest3dBackward, nullptr);
    watch.look("backward");
    enter_default_mode();
    CHILD_TRUE(forward.succeeded() && backward.succeeded(), forward.message + backward.message);
    out.download(&maps[at]);
    grad_input.download(&maps[at + kOut]);
    at += kOut + kIn;
    changed += watch.changed_by();
  }
  CHILD_TRUE(changed.empty(), "the mode was changed by " + changed);
  return 0;
}

TEST(PhaseOne, PlansTheSameScalesInEveryMode) {
  const std::vector<FpMode> modes = fp_modes();
  constexpr std::size_t kFloats = std::size(kScales) * (kIn + kOut);
  const SharedBytes shared(modes.size() * kFloats * sizeof(float));
  auto* floats = reinterpret_cast<float*>(shared.get().data());
  for (std::size_t i = 0; i < modes.size(); ++i) {
    SCOPED_TRACE(modes[i].name);
    const std::span<float> maps(floats + i * kFloats, kFloats);
    expect_in_child([&] { return start() ? upsample_maps(modes[i], maps) : 1; });
    EXPECT_NE(maps[0], 0.0F);
    EXPECT_TRUE(std::equal(maps.begin(), maps.end(), floats));
  }
}

int use_what_computes(const FpMode& mode) {
  mode.enter();
  ModeWatch watch;
  CHILD_TRUE(start(), "no device");
  watch.look("aclInit or aclrtSetDevice");
  aclrtEvent first = nullptr;
  aclrtEvent last = nullptr;
  float milliseconds = 0;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  CHILD_EXPECT(aclrtCreateEvent(&first), 0);
  CHILD_EXPECT(aclrtCreateEvent(&last), 0);
  CHILD_EXPECT(aclrtRecordEvent(first, nullptr), 0);
  CHILD_EXPECT(aclrtRecordEvent(last, nullptr), 0);
  CHILD_EXPECT(aclrtSynchronizeEvent(last), 0);
  watch.look("an event");
  CHILD_EXPECT(aclrtEventElapsedTime(&milliseconds, first, last), 0);
  watch.look("aclrtEventElapsedTime");
  CHILD_EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total_bytes), 0);
  watch.look("aclrtGetMemInfo");
  CHILD_EXPECT(aclFloatToFloat16(0.1F), 0x2E66);
  watch.look("aclFloatToFloat16");
  CHILD_EXPECT(aclrtFree(nullptr) != 0, true);
  CHILD_EXPECT(api_test::recent_message().empty(), false);
  watch.look("a failing call");
  enter_default_mode();
  CHILD_TRUE(watch.changed_by().empty(), "by " + watch.changed_by());
  return 0;
}

// The arithmetic around the kernels: sizes of memory, times, conversions, messages.
TEST(OtherCalls, KeepTheModeAndSurviveTraps) {
  for (const FpMode& mode : fp_modes()) {
    SCOPED_TRACE(mode.name);
    expect_in_child([&] { return use_what_computes(mode); });
  }
}

}  // namespace
}  // namespace hostile_test
