#include "conformance/subjects.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace conformance {
namespace {

TEST(Subjects, AreTheOperatorsThatTheLibraryExports) {
  std::ifstream file(CAIRN_EXPORTS);
  ASSERT_TRUE(file) << CAIRN_EXPORTS;
  std::set<std::string> exported;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("aclnn") && !line.ends_with("GetWorkspaceSize")) exported.insert(line);
  std::set<std::string> listed;
  for (const Subject* subject : subjects()) listed.insert(subject->name);
  EXPECT_EQ(listed, exported);
}

TEST(Subjects, AreOfTheFamilyThatListsThem) {
  for (const FamilySubjects& family : families())
    for (const Subject& subject : family.subjects)
      EXPECT_EQ(subject.cases->family, family.family) << subject.name;
}

}  // namespace
}  // namespace conformance
