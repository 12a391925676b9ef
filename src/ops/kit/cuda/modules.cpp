#include "backend/cuda/launch.h"

namespace cairn::cuda {
namespace {

constinit const ModuleNote* g_latest = nullptr;

}  // namespace

ModuleNote::ModuleNote(const void* known_kernel) : kernel(known_kernel), next(g_latest) { g_latest = this; }

const ModuleNote* modules() { return g_latest; }

}  // namespace cairn::cuda
