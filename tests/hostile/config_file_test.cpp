#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "hostile/support.h"

// Files that are no configuration: aclInit answers at once, and works afterwards.
namespace hostile_test {
namespace {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cairn-hostile-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// The time limit is far above what the answer takes, and far below a hang.
void expect_refused(const std::string& path) {
  SCOPED_TRACE(path);
  expect_in_child([&] {
    alarm(20);
    const auto begin = std::chrono::steady_clock::now();
    CHILD_EXPECT(aclInit(path.c_str()) != 0, true);
    const std::string message = api_test::recent_message();
    CHILD_TRUE(contains(message, path.substr(0, 200)), message);
    const auto took = std::chrono::steady_clock::now() - begin;
    CHILD_EXPECT(took < std::chrono::seconds(kSanitized ? 15 : 5), true);
    CHILD_TRUE(resident_bytes() < (std::size_t{kSanitized ? 2000 : 400} << 20), "it was read whole");
    CHILD_TRUE(start(), "no device");
    return 0;
  });
}

TEST(AConfiguration, ThatIsAFifoIsRefusedAtOnce) {
  const Folder folder;
  ASSERT_EQ(mkfifo(folder.file("fifo").c_str(), 0600), 0);
  expect_refused(folder.file("fifo"));
}

TEST(AConfiguration, ThatIsAFolderIsRefused) { expect_refused(Folder().file(".")); }

TEST(AConfiguration, ThatNeverEndsIsRefusedAtOnce) {
  expect_refused("/dev/zero");
  expect_refused("/dev/urandom");
}

TEST(AConfiguration, ThatIsTheProcessItselfIsRefused) { expect_refused("/proc/self/mem"); }

TEST(AConfiguration, ThatIsHugeIsRefusedAtOnce) {
  const Folder folder;
  for (const char fill : {'{', ' ', '\0'}) {
    std::ofstream file(folder.file("huge"));
    const std::string chunk(1 << 20, fill);
    for (int i = 0; i < 100; ++i) file << chunk;
    file.close();
    expect_refused(folder.file("huge"));
  }
}

TEST(AConfiguration, ThatIsNoObjectIsRefused) {
  const Folder folder;
  for (const char* text : {"", "{", "[]", "{}{}", "null", R"({"a": ")", "\xff\xfe"}) {
    std::ofstream(folder.file("config")) << text;
    expect_refused(folder.file("config"));
  }
  expect_refused(folder.file("missing"));
  expect_refused(folder.file(std::string(5000, 'x').c_str()));
}

TEST(AConfiguration, ThatIsAnObjectIsTaken) {
  const Folder folder;
  std::ofstream(folder.file("config")) << "{ \"dump\": {} }\n";
  expect_in_child([&] {
    CHILD_EXPECT(aclInit(folder.file("config").c_str()), 0);
    return 0;
  });
}

}  // namespace
}  // namespace hostile_test
