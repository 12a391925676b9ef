// Libraries of different builds refuse each other. Each folder below CAIRN_MIXED_BUILDS has copies of ours
// beside one that is not of this build.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "acl/acl.h"
#include "build_stamp.h"
#include "runtime/child.h"

namespace cairn::test {
namespace {

const std::string kFolder = CAIRN_MIXED_BUILDS;

// What aclInit of the libacl_rt.so in `folder` has against CUDA.
std::string refusal_in(const std::string& folder) {
  return in_child({{"CAIRN_DEVICE", "cuda"}},
                  [&] {
                    void* library =
                        dlopen((kFolder + "/" + folder + "/libacl_rt.so").c_str(), RTLD_NOW | RTLD_LOCAL);
                    if (library == nullptr) return 1;
                    const auto init = reinterpret_cast<decltype(&aclInit)>(dlsym(library, "aclInit"));
                    const auto text =
                        reinterpret_cast<decltype(&aclGetRecentErrMsg)>(dlsym(library, "aclGetRecentErrMsg"));
                    CHILD_EXPECT(init(nullptr), ACL_ERROR_RT_NO_DEVICE);
                    std::fputs(text(), stderr);
                    return 0;
                  })
      .stderr_text;
}

TEST(OneBuild, AStaleCudaLibraryIsRefusedWithWhatToDo) {
  const std::string text = refusal_in("stale");
  EXPECT_NE(text.find("/stale/libcairn_cuda.so is of another build than libacl_rt.so beside it (its stamp is "
                      "another, expected " CAIRN_STAMP "): build all of Cairn again"),
            std::string::npos)
      << text;
}

TEST(OneBuild, ACudaLibraryWithoutAStampIsRefused) {
  const std::string text = refusal_in("no_stamp");
  EXPECT_NE(text.find("(its stamp is missing, expected " CAIRN_STAMP ")"), std::string::npos) << text;
}

TEST(OneBuild, ACudaLibraryOfTheSameBuildIsOpened) {
  const std::string text = refusal_in("same");
  EXPECT_NE(text.find("no GPU can be used: this one was opened"), std::string::npos) << text;
}

TEST(OneBuild, TheLoaderRefusesARuntimeOfAnotherBuild) {
  const ChildResult result = in_child({}, [] {
    void* library = dlopen((kFolder + "/runtime/libnnopbase.so").c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library != nullptr) return 1;
    std::fputs(dlerror(), stderr);  // NOLINT(concurrency-mt-unsafe): a child has one thread
    return 0;
  });
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.stderr_text.find("undefined symbol: cairn_libraries_must_be_of_one_build_" CAIRN_STAMP),
            std::string::npos)
      << result.stderr_text;
}

}  // namespace
}  // namespace cairn::test
