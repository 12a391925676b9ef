#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

#include "cuda/device.h"
#include "cuda/speed.h"
#include "cuda/speed_calls.h"

namespace cuda_test {
namespace {

using cairn::DataType;
using cairn::Size3;
using cairn::View5;

constexpr int kThreads = 256;
constexpr std::size_t kArena = std::size_t{12} << 30;
constexpr std::size_t kFootprint = std::size_t{2} << 30;  // far more than the L2 holds

__device__ std::uint32_t noise(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<std::uint32_t>(x ^ (x >> 31));
}

// Values in [-1, 1), or any bits for integers.
template <typename T>
__global__ void fill_noise(T* to, std::int64_t count, std::uint64_t seed) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    to[i] = T(static_cast<float>(noise(seed + i)) * 0x1p-31F - 1.0F);
}

struct Pooling {
  std::int64_t n, c;
  Size3 in, out, kernel, stride, padding;
};

// The index of the largest noise in each window.
template <typename Index>
__global__ void argmax(Index* to, View5 view, Pooling p, std::uint64_t seed) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= p.n * p.c * p.out.d * p.out.h * p.out.w) return;
  const std::int64_t w = i % p.out.w;
  const std::int64_t h = i / p.out.w % p.out.h;
  const std::int64_t d = i / p.out.w / p.out.h % p.out.d;
  const std::int64_t plane = i / p.out.w / p.out.h / p.out.d;
  std::int64_t best = -1;
  std::uint32_t best_key = 0;
  for (std::int64_t a = max(d * p.stride.d - p.padding.d, 0L);
       a < min(d * p.stride.d - p.padding.d + p.kernel.d, p.in.d); ++a)
    for (std::int64_t b = max(h * p.stride.h - p.padding.h, 0L);
         b < min(h * p.stride.h - p.padding.h + p.kernel.h, p.in.h); ++b)
      for (std::int64_t e = max(w * p.stride.w - p.padding.w, 0L);
           e < min(w * p.stride.w - p.padding.w + p.kernel.w, p.in.w); ++e) {
        const std::int64_t position = (a * p.in.h + b) * p.in.w + e;
        const std::uint32_t key = noise(seed + plane * p.in.d * p.in.h * p.in.w + position);
        if (best < 0 || key > best_key) {
          best = position;
          best_key = key;
        }
      }
  to[plane / p.c * view.n + plane % p.c * view.c + d * view.d + h * view.h + w * view.w] =
      static_cast<Index>(best);
}

// Marks the 32-byte sectors of gradOutput that an unpool touches.
__global__ void mark_sectors(unsigned char* marks, const std::int64_t* indices, std::int64_t count,
                             std::int64_t pooled, std::int64_t plane, int element) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) marks[(i / pooled * plane + indices[i]) * element / 32] = 1;
}
__global__ void count_marks(const unsigned char* marks, std::int64_t count, unsigned long long* total) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const unsigned found = __ballot_sync(0xffffffffU, i < count && marks[i] != 0);
  if (threadIdx.x % 32 == 0) atomicAdd(total, static_cast<unsigned long long>(__popc(found)));
}

unsigned blocks(std::int64_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

const Workload kWorkloads[] = {
    {"p3-unet", 'p', 2, 32, {128, 128, 128}, {64, 64, 64}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}, false},
    {"p3-video", 'p', 8, 64, {16, 112, 112}, {16, 56, 56}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}, false},
    {"p3-i3d", 'p', 8, 192, {8, 28, 28}, {8, 28, 28}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, false},
    {"p3-k3s2", 'p', 4, 64, {32, 112, 112}, {16, 56, 56}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}, false},
    {"p2-resnet", 'p', 64, 64, {1, 112, 112}, {1, 56, 56}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}, true},
    {"p2-vgg", 'p', 32, 64, {1, 224, 224}, {1, 112, 112}, {1, 2, 2}, {1, 2, 2}, {0, 0, 0}, false},
    {"p2-sppf", 'p', 32, 256, {1, 40, 40}, {1, 40, 40}, {1, 5, 5}, {1, 1, 1}, {0, 2, 2}, false},
    {"u3-segnet", 'u', 2, 32, {64, 64, 64}, {128, 128, 128}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}, false},
    {"n3-unet", 'n', 2, 64, {64, 64, 64}, {128, 128, 128}, {}, {}, {}, true},
    {"n3-vae", 'n', 1, 512, {8, 64, 64}, {8, 128, 128}, {}, {}, {}, false},
    {"n3-odd", 'n', 2, 32, {50, 60, 70}, {128, 128, 128}, {}, {}, {}, false},
};

const char* type_name(DataType type) {
  switch (type) {
    case DataType::kFloat:
      return "FLOAT";
    case DataType::kFloat16:
      return "FLOAT16";
    case DataType::kBf16:
      return "BF16";
    case DataType::kDouble:
      return "DOUBLE";
    case DataType::kInt8:
      return "INT8";
    case DataType::kInt32:
      return "INT32";
    case DataType::kInt64:
      return "INT64";
    default:
      return "-";
  }
}

class Bench {
 public:
  Bench() : arena_(kArena) {
    expect(cudaEventCreate(&begin_), "cudaEventCreate");
    expect(cudaEventCreate(&end_), "cudaEventCreate");
  }

  // The median over rounds of the mean time of a call, in milliseconds; call(i) queues the work on set i.
  double time(int sets, const std::function<void(int)>& call) {
    constexpr int kRounds = 11;
    const int calls = std::max(sets, 4);
    std::vector<float> taken;
    for (int round = -1; round < kRounds; ++round) {
      expect(cudaEventRecord(begin_, stream_.get()), "cudaEventRecord");
      for (int i = 0; i < calls; ++i) call(i % sets);
      expect(cudaEventRecord(end_, stream_.get()), "cudaEventRecord");
      expect(cudaEventSynchronize(end_), "cudaEventSynchronize");
      float ms = 0;
      expect(cudaEventElapsedTime(&ms, begin_, end_), "cudaEventElapsedTime");
      if (round >= 0) taken.push_back(ms / static_cast<float>(calls));
    }
    std::sort(taken.begin(), taken.end());
    return taken[taken.size() / 2];
  }

  double copy_bandwidth() {
    const std::size_t bytes = std::size_t{4} << 30;
    const double ms = time(1, [&](int) {
      expect(cudaMemcpyAsync(arena_.data() + bytes, arena_.data(), bytes, cudaMemcpyDeviceToDevice,
                             stream_.get()),
             "cudaMemcpyAsync");
    });
    return 2 * static_cast<double>(bytes) / ms / 1e6;
  }

  void run(const Workload& work, DataType type, DataType index_type, bool last, bool forward, double copy);

 private:
  unsigned char* take(std::int64_t bytes) {
    unsigned char* result = arena_.data() + used_;
    used_ += static_cast<std::size_t>((bytes + 511) / 512 * 512);
    if (used_ > kArena) expect(cudaErrorMemoryAllocation, "arena");
    return result;
  }
  View5 tensor(std::int64_t n, std::int64_t c, const Size3& size, DataType type, bool last) {
    const std::int64_t plane = size.count();
    View5 view{take(n * c * plane * cairn::size_of(type)), c * plane, plane, size.h * size.w, size.w, 1, 0};
    if (last) view = {view.data, c * plane, 1, size.h * size.w * c, size.w * c, c, 0};
    return view;
  }
  void fill(void* to, std::int64_t count, DataType type) {
    const auto seed = static_cast<std::uint64_t>(used_) * 77;
    switch (type) {
      case DataType::kFloat16:
        fill_noise<<<4096, kThreads, 0, stream_.get()>>>(static_cast<__half*>(to), count, seed);
        break;
      case DataType::kBf16:
        fill_noise<<<4096, kThreads, 0, stream_.get()>>>(static_cast<__nv_bfloat16*>(to), count, seed);
        break;
      default:
        fill_noise<<<4096, kThreads, 0, stream_.get()>>>(static_cast<float*>(to),
                                                         count * cairn::size_of(type) / 4, seed);
    }
  }
  void make_indices(const Workload& work, const View5& view, DataType type) {
    const bool unpool = work.kind == 'u';
    const Pooling p{
        work.n,      work.c,      unpool ? work.out : work.in, unpool ? work.in : work.out, work.kernel,
        work.stride, work.padding};
    const unsigned grid = blocks(p.n * p.c * p.out.count());
    if (type == DataType::kInt32) {
      argmax<<<grid, kThreads, 0, stream_.get()>>>(static_cast<std::int32_t*>(view.data), view, p, used_);
    } else {
      argmax<<<grid, kThreads, 0, stream_.get()>>>(static_cast<std::int64_t*>(view.data), view, p, used_);
    }
  }
  std::int64_t touched_sectors(const Workload& work, const void* indices, int element) {
    const std::int64_t planes = work.n * work.c;
    const std::int64_t sectors = planes * work.out.count() * element / 32;
    unsigned char* marks = take(sectors);
    auto* total = reinterpret_cast<unsigned long long*>(take(8));
    expect(cudaMemsetAsync(marks, 0, static_cast<std::size_t>(sectors), stream_.get()), "cudaMemsetAsync");
    expect(cudaMemsetAsync(total, 0, 8, stream_.get()), "cudaMemsetAsync");
    const std::int64_t count = planes * work.in.count();
    mark_sectors<<<blocks(count), kThreads, 0, stream_.get()>>>(
        marks, static_cast<const std::int64_t*>(indices), count, work.in.count(), work.out.count(), element);
    count_marks<<<blocks(sectors), kThreads, 0, stream_.get()>>>(marks, sectors, total);
    unsigned long long result = 0;
    stream_.synchronise();
    expect(cudaMemcpy(&result, total, 8, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return static_cast<std::int64_t>(result);
  }

  DeviceMemory arena_;
  std::size_t used_ = 0;
  Stream stream_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

void Bench::run(const Workload& work, DataType type, DataType index_type, bool last, bool forward,
                double copy) {
  used_ = 0;
  const std::int64_t planes = work.n * work.c;
  const int element = cairn::size_of(type);
  const int index_bytes = work.kind == 'n' ? 0 : cairn::size_of(index_type);
  const Size3& windows = work.kind == 'u' ? work.in : work.out;
  std::int64_t bytes =
      planes * (windows.count() * index_bytes + (work.in.count() + work.out.count()) * element);
  const int sets =
      static_cast<int>(std::clamp<std::int64_t>(static_cast<std::int64_t>(kFootprint) / bytes + 1, 3, 24));

  std::vector<std::function<void()>> calls;
  for (int set = 0; set < sets; ++set) {
    Tensors tensors{type, index_type, last, {}, {}, {}};
    tensors.out = tensor(work.n, work.c, work.out, type, last);
    tensors.in = tensor(work.n, work.c, work.in, type, last);
    fill(tensors.out.data, planes * work.out.count(), type);
    fill(tensors.in.data, planes * work.in.count(), type);
    if (work.kind != 'n') {
      tensors.indices = tensor(work.n, work.c, windows, index_type, last);
      make_indices(work, tensors.indices, index_type);
    }
    if (work.kind == 'u' && !forward && set == 0)
      bytes = planes * windows.count() * (index_bytes + element) +
              32 * touched_sectors(work, tensors.indices.data, element);
    calls.push_back(forward ? forward_call(stream_, work, tensors) : backward_call(stream_, work, tensors));
  }
  const double ms = time(sets, [&](int set) { calls[static_cast<std::size_t>(set)](); });
  if (stream_.take_fault()) std::printf("a fault was reported\n");
  const double rate = static_cast<double>(bytes) / ms / 1e6;
  std::printf("%-8s %-10s %-8s %-6s %-6s %8.4f ms %7.0f GB/s %5.1f %%\n", forward ? "forward" : "backward",
              work.id, type_name(type), last ? "last" : "first",
              work.kind == 'n' ? "-" : type_name(index_type), ms, rate, 100 * rate / copy);
}

}  // namespace

void time_workloads(const std::string& filter, std::size_t fetch_bytes) {
  if (fetch_bytes != 0)
    expect(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, fetch_bytes), "cudaDeviceSetLimit");
  Bench bench;
  const double copy = bench.copy_bandwidth();
  std::printf("copy %.0f GB/s\n", copy);
  for (const Workload& work : kWorkloads) {
    std::vector<DataType> types{DataType::kFloat, DataType::kFloat16, DataType::kBf16};
    if (work.kind == 'u')
      types = {DataType::kFloat, DataType::kFloat16, DataType::kInt8, DataType::kDouble, DataType::kInt64};
    std::vector<DataType> index_types{DataType::kInt32, DataType::kInt64};
    if (work.kind != 'p') index_types = {DataType::kInt64};
    const auto run_all = [&](bool forward, bool last) {
      for (const DataType index_type : index_types) {
        for (const DataType type : types) {
          const std::string row = std::string(forward ? "forward " : "backward ") + work.id + " " +
                                  type_name(type) + (last ? " last " : " first ") + type_name(index_type);
          if (row.find(filter) != std::string::npos) bench.run(work, type, index_type, last, forward, copy);
        }
      }
    };
    for (const bool forward : {true, false}) {
      run_all(forward, false);
      if (work.both_layouts) run_all(forward, true);
    }
  }
  std::printf("copy %.0f GB/s again\n", bench.copy_bandwidth());
}

}  // namespace cuda_test
