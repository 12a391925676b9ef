#include <algorithm>
#include <clocale>
#include <locale>

#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "hostile/small_call.h"
#include "hostile/support.h"

// A program that writes numbers as its users do: the library's own texts do not change with it.
namespace hostile_test {
namespace {

// 1.048.576,5
class Dotted : public std::numpunct<char> {
 protected:
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
  char do_decimal_point() const override { return ','; }
  std::string do_truename() const override { return "wahr"; }
};

void set_the_locale() {
  std::locale::global(std::locale(std::locale(), new Dotted));
  // Whichever is installed; it matters to the C functions.
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
}

int describe_failures(std::string& texts) {
  void* block = nullptr;
  void* too_much = nullptr;
  CHILD_EXPECT(aclrtMalloc(&block, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  const std::int64_t one = 1;
  CHILD_EXPECT(
      aclCreateTensor(&one, 123456789, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr) == nullptr,
      true);
  const api_test::Tensor self({{1, 1, 1000, 1000, 1000}}, block);
  const api_test::Tensor out({{1, 1, 1000, 1000, 1000}}, block);
  const api_test::IntArray right({1000, 1000, 1000});
  const api_test::IntArray wrong({1000000, 1000, 1000});
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  CHILD_EXPECT(aclnnUpsampleNearest3dGetWorkspaceSize(self, wrong, 1.5, 0, 0, out, &size, &executor),
               kInvalidParameter);
  CHILD_EXPECT(aclnnUpsampleNearest3dGetWorkspaceSize(self, right, 0, 0, 0, out, &size, &executor), 0);
  CHILD_EXPECT(aclnnUpsampleNearest3d(nullptr, size, executor, nullptr), kInvalidParameter);
  CHILD_EXPECT(aclrtMalloc(&too_much, std::size_t{1} << 50, ACL_MEM_MALLOC_HUGE_FIRST) != 0, true);
  CHILD_EXPECT(aclrtMemset(block, 123456789, 0, 12345678), kInvalidArgument);
  CHILD_EXPECT(aclrtMemset(block, 1234, 0, 12345), kInvalidArgument);
  SmallCall call;
  CHILD_TRUE(call.make(), "no operands");
  CHILD_EXPECT(call.break_index(true), 0);
  CHILD_EXPECT(call.run(nullptr), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  texts = api_test::recent_message();
  return 0;
}

// The text after "Title(CODE): " in each line: what stands before is a time, which has dots.
std::string without_times(const std::string& texts) {
  std::string result;
  for (std::size_t at = 0; at < texts.size();) {
    const std::size_t end = std::min(texts.find('\n', at), texts.size());
    const std::string line = texts.substr(at, end - at);
    const std::size_t begin = line.find("): ");
    result += (begin == std::string::npos ? line : line.substr(begin + 3)) + "\n";
    at = end + 1;
  }
  return result;
}

bool has_grouped_number(const std::string& text) {
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    const bool between_digits = std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0 &&
                                std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
    if (between_digits && text[i] == '.' && !contains(text.substr(i - 1, 3), "1.5")) return true;
  }
  return false;
}

int write_plain_numbers() {
  CHILD_TRUE(start(), "no device");
  std::string texts;
  if (const int code = describe_failures(texts)) return code;
  const std::string plain = without_times(texts);
  CHILD_TRUE(!has_grouped_number(plain), plain);
  for (const char* number : {"123456789", "1000000", "1125899906842624"})
    CHILD_TRUE(contains(plain, number), plain);
  return 0;
}

TEST(ALocale, LeavesTheNumbersInMessagesAlone) {
  expect_in_child([] {
    set_the_locale();
    return write_plain_numbers();
  });
}

TEST(ALocale, ThatIsSetAfterAclInitLeavesTheNumbersAloneToo) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    set_the_locale();
    aclFinalize();
    return write_plain_numbers();
  });
}

TEST(ALocale, LeavesTheSizesOfMemoryAlone) {
  const SharedBytes shared(sizeof(std::size_t) * 4);
  auto* sizes = reinterpret_cast<std::size_t*>(shared.get().data());
  for (const bool foreign : {false, true}) {
    expect_in_child([&] {
      if (foreign) set_the_locale();
      CHILD_TRUE(start(), "no device");
      std::size_t* at = foreign ? sizes + 2 : sizes;
      CHILD_EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &at[0], &at[1]), 0);
      return 0;
    });
  }
  EXPECT_EQ(sizes[1], sizes[3]);
  // Free memory comes and goes, but does not fall to what MemAvailable's first digits are.
  EXPECT_GT(sizes[2], sizes[0] / 4);
  EXPECT_LE(sizes[2], sizes[3]);
}

TEST(ALocale, LeavesTheEnvironmentsNumbersAlone) {
  expect_in_child({{"CAIRN_THREADS", "12"}}, [] {
    set_the_locale();
    CHILD_TRUE(start(), api_test::recent_message());
    SmallCall call;
    CHILD_TRUE(call.make(), "no operands");
    CHILD_EXPECT(call.run(nullptr), 0);
    CHILD_EXPECT(call.right(), true);
    return 0;
  });
}

}  // namespace
}  // namespace hostile_test
