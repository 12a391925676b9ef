// Checks and times the CUDA kernels where there is a GPU:
//   kernel_harness check [seed [cases]]   random geometry against the oracle
//   kernel_harness large                  tensors of more than 2^31 elements
//   kernel_harness speed [filter [fetch]] every workload beside the copy bandwidth; fetch: bytes the L2 reads
//   at a time

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "cuda/compare.h"
#include "cuda/compare_large.h"
#include "cuda/speed.h"

namespace {

int check(std::uint64_t seed, std::uint64_t cases) {
  const auto start = std::chrono::steady_clock::now();
  const int threads = cases < 64 ? 1 : static_cast<int>(std::thread::hardware_concurrency());
  const int failed = cuda_test::compare_with_oracle(seed, cases, threads);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::printf("%llu cases, %d failed, %.1f s\n", static_cast<unsigned long long>(cases), failed,
              taken.count());
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "check") {
    return check(argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 1,
                 argc > 3 ? std::strtoull(argv[3], nullptr, 0) : 4000);
  }
  if (verb == "large") return cuda_test::check_large() == 0 ? 0 : 1;
  if (verb == "speed") {
    cuda_test::time_workloads(argc > 2 ? argv[2] : "", argc > 3 ? std::strtoull(argv[3], nullptr, 0) : 0);
    return 0;
  }
  std::fprintf(stderr, "usage: kernel_harness check [seed [cases]] | large | speed [filter [fetch]]\n");
  return 2;
}
