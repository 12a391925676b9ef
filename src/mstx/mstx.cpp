#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "mstx/ms_tools_ext.h"
#include "observe/watch.h"

namespace cairn {
namespace {

// Handles and ids only have to differ: what they stand for, the tool knows.
constinit std::atomic<std::uint64_t> g_last{0};

template <typename Handle>
Handle make_handle() {
  return reinterpret_cast<Handle>(++g_last);  // NOLINT(performance-no-int-to-ptr): never followed
}

void tell(const Annotation& annotation) {
  if (Observer* watcher = observer()) watcher->annotated(annotation);
}

mstxRangeId start(mstxDomainHandle_t domain, const char* message, aclrtStream stream) {
  if (observer() == nullptr) return 0;
  const mstxRangeId id = ++g_last;
  tell({.kind = Annotation::Kind::kRangeBegin,
        .message = message,
        .domain = domain,
        .stream = stream,
        .id = id});
  return id;
}

std::span<const mstxMemVirtualRangeDesc_t> ranges_of(const mstxMemRegionsRegisterBatch_t* batch) {
  if (batch == nullptr || batch->regionType != MSTX_MEM_TYPE_VIRTUAL_ADDRESS ||
      batch->regionDescArray == nullptr)
    return {};
  return {static_cast<const mstxMemVirtualRangeDesc_t*>(batch->regionDescArray), batch->regionCount};
}

}  // namespace
}  // namespace cairn

using cairn::Annotation;
using cairn::tell;

void mstxMarkA(const char* message, aclrtStream stream) {
  tell({.kind = Annotation::Kind::kPoint, .message = message, .stream = stream});
}

mstxRangeId mstxRangeStartA(const char* message, aclrtStream stream) {
  return cairn::start(nullptr, message, stream);
}

void mstxRangeEnd(mstxRangeId id) { tell({.kind = Annotation::Kind::kRangeEnd, .id = id}); }

int mstxGetToolId(uint64_t* id) {
  cairn::Observer* const watcher = cairn::observer();
  if (id != nullptr) *id = watcher == nullptr ? 0 : watcher->mstx_tool();
  return 0;
}

mstxDomainHandle_t mstxDomainCreateA(const char* name) {
  if (cairn::observer() == nullptr) return nullptr;
  const auto domain = cairn::make_handle<mstxDomainHandle_t>();
  tell({.kind = Annotation::Kind::kDomain, .message = name, .domain = domain});
  return domain;
}

void mstxDomainDestroy(mstxDomainHandle_t) {}

void mstxDomainMarkA(mstxDomainHandle_t domain, const char* message, aclrtStream stream) {
  tell({.kind = Annotation::Kind::kPoint, .message = message, .domain = domain, .stream = stream});
}

mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char* message, aclrtStream stream) {
  return cairn::start(domain, message, stream);
}

void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId id) {
  tell({.kind = Annotation::Kind::kRangeEnd, .domain = domain, .id = id});
}

mstxMemHeapHandle_t mstxMemHeapRegister(mstxDomainHandle_t domain, const mstxMemHeapDesc_t* desc) {
  CAIRN_WATCH(domain, desc);
  cairn::Observer* const watcher = cairn::observer();
  if (watcher == nullptr || desc == nullptr || desc->type != MSTX_MEM_TYPE_VIRTUAL_ADDRESS ||
      desc->typeSpecificDesc == nullptr)
    return nullptr;
  const auto* range = static_cast<const mstxMemVirtualRangeDesc_t*>(desc->typeSpecificDesc);
  const auto heap = cairn::make_handle<mstxMemHeapHandle_t>();
  watcher->heap_registered({.handle = heap, .begin = range->ptr, .bytes = range->size});
  return heap;
}

void mstxMemHeapUnregister(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap) {
  CAIRN_WATCH(domain, heap);
  if (cairn::Observer* watcher = cairn::observer()) watcher->heap_unregistered(heap);
}

void mstxMemRegionsRegister(mstxDomainHandle_t domain, const mstxMemRegionsRegisterBatch_t* desc) {
  CAIRN_WATCH(domain, desc);
  cairn::Observer* const watcher = cairn::observer();
  if (watcher == nullptr) return;
  std::size_t i = 0;
  for (const mstxMemVirtualRangeDesc_t& range : cairn::ranges_of(desc)) {
    const auto region = cairn::make_handle<mstxMemRegionHandle_t>();
    if (desc->regionHandleArrayOut != nullptr) desc->regionHandleArrayOut[i] = region;
    watcher->region_registered(
        {.handle = region, .heap = desc->heap, .begin = range.ptr, .bytes = range.size});
    ++i;
  }
}

void mstxMemRegionsUnregister(mstxDomainHandle_t domain, const mstxMemRegionsUnregisterBatch_t* desc) {
  CAIRN_WATCH(domain, desc);
  cairn::Observer* const watcher = cairn::observer();
  if (watcher == nullptr || desc == nullptr || desc->refArray == nullptr) return;
  for (const mstxMemRegionRef_t& ref : std::span(desc->refArray, desc->refCount)) {
    const bool by_handle = ref.refType == MSTX_MEM_REGION_REF_TYPE_HANDLE;
    watcher->region_unregistered(by_handle ? ref.handle : nullptr, by_handle ? nullptr : ref.pointer);
  }
}

namespace {

using Function = void (*)();
using Table = Function**;  // places to put functions, from 1 on
using GetTable = int (*)(int module, Table* table, unsigned int* size);

template <std::size_t kCount>
void fill(GetTable get, int module, const std::array<Function, kCount>& functions) {
  Table table = nullptr;
  std::array<unsigned int, 2> size{};  // also for a program that counts in 64 bits
  get(module, &table, size.data());
  if (table == nullptr) return;
  for (std::size_t i = 0; i < kCount && i + 1 < size[0]; ++i) {
    if (table[i + 1] != nullptr) *table[i + 1] = functions[i];
  }
}

template <typename Pointer>
Function plain(Pointer pointer) {
  return reinterpret_cast<Function>(pointer);
}

}  // namespace

// A program that was built with the header whose functions are inline asks for them here; it finds this
// library by MSTX_INJECTION_PATH. Answers 0 when it has filled its tables.
extern "C" MSTX_API int InitInjectionMstx(GetTable get) {
  constexpr int kCore = 1;
  constexpr int kDomains = 2;
  constexpr int kMemory = 3;
  if (get == nullptr) return 1;
  fill<4>(get, kCore, {plain(mstxMarkA), plain(mstxRangeStartA), plain(mstxRangeEnd), plain(mstxGetToolId)});
  fill<5>(get, kDomains,
          {plain(mstxDomainCreateA), plain(mstxDomainDestroy), plain(mstxDomainMarkA),
           plain(mstxDomainRangeStartA), plain(mstxDomainRangeEnd)});
  fill<4>(get, kMemory,
          {plain(mstxMemHeapRegister), plain(mstxMemHeapUnregister), plain(mstxMemRegionsRegister),
           plain(mstxMemRegionsUnregister)});
  return 0;
}
