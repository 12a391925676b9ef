// open_close WAY: a program that links nothing of ours, opens libopapi.so, uses it and closes it again, many
// times over. WAY is what is still to come when it closes: "work" (an operator and a host function queued),
// "last-call" (cairnGetLastCall, which names the operator). Exits with 0 when all went well.
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "cairn/cairn.h"

namespace {

#define REQUIRE(condition)                                             \
  do {                                                                 \
    if (!(condition)) {                                                \
      std::fprintf(stderr, "line %d: not %s\n", __LINE__, #condition); \
      return 1;                                                        \
    }                                                                  \
  } while (false)

// The function of this name in the library, which is not linked.
#define FIND(library, name) reinterpret_cast<decltype(&(name))>(dlsym(library, #name))

constexpr std::array<std::int64_t, 5> kIn = {1, 64, 8, 8, 8};
constexpr std::array<std::int64_t, 5> kOut = {1, 64, 16, 16, 16};
constexpr std::size_t kInBytes = sizeof(float) * 64 * 512;
constexpr std::size_t kOutBytes = 8 * kInBytes;

int queue_upsample(void* library) {
  const auto create_tensor = FIND(library, aclCreateTensor);
  const auto create_array = FIND(library, aclCreateIntArray);
  const auto phase1 = FIND(library, aclnnUpsampleNearest3dGetWorkspaceSize);
  const auto phase2 = FIND(library, aclnnUpsampleNearest3d);
  const auto allocate = FIND(library, aclrtMalloc);
  REQUIRE(create_tensor && create_array && phase1 && phase2 && allocate);
  void* in = nullptr;
  void* out = nullptr;
  REQUIRE(allocate(&in, kInBytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  REQUIRE(allocate(&out, kOutBytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  const auto tensor = [&](const std::array<std::int64_t, 5>& dims, void* memory) {
    return create_tensor(dims.data(), 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, memory);
  };
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  REQUIRE(phase1(tensor(kIn, in), create_array(&kOut[2], 3), 0, 0, 0, tensor(kOut, out), &size, &executor) ==
          0);
  REQUIRE(phase2(nullptr, size, executor, nullptr) == 0);
  return 0;
}

int use_and_close(bool synchronise) {
  void* library = dlopen("libopapi.so", RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  const auto init = FIND(library, aclInit);
  const auto set_device = FIND(library, aclrtSetDevice);
  const auto launch = FIND(library, aclrtLaunchHostFunc);
  const auto wait = FIND(library, aclrtSynchronizeStream);
  REQUIRE(init && set_device && launch && wait);
  init(nullptr);
  REQUIRE(set_device(0) == 0);
  for (int i = 0; i < 4; ++i) {
    if (const int code = queue_upsample(library)) return code;
  }
  REQUIRE(launch(
              nullptr, [](void*) {}, nullptr) == 0);
  if (synchronise) REQUIRE(wait(nullptr) == 0);
  REQUIRE(dlclose(library) == 0);
  return 0;
}

int ask_for_the_last_call() {
  void* runtime = dlopen("libacl_rt.so", RTLD_NOW);
  REQUIRE(runtime != nullptr);
  const auto last_call = FIND(runtime, cairnGetLastCall);
  REQUIRE(last_call != nullptr);
  cairnCallInfo info{};
  REQUIRE(last_call(&info) == 0);
  REQUIRE(std::strcmp(info.operatorName, "aclnnUpsampleNearest3d") == 0);
  REQUIRE(std::strcmp(info.product, "portable") == 0 && std::strcmp(info.backend, "cpu") == 0);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  // Kept open, so that closing the operators is not closing everything.
  void* runtime = way == "last-call" ? dlopen("libacl_rt.so", RTLD_NOW) : nullptr;
  REQUIRE(way == "work" || runtime != nullptr);
  for (int round = 0; round < 20; ++round) {
    if (const int code = use_and_close(way == "last-call")) return code;
    if (way != "last-call") continue;
    if (const int code = ask_for_the_last_call()) return code;
  }
  return 0;
}
