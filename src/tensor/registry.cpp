#include "tensor/registry.h"

#include <pthread.h>

#include <array>

#include "runtime/bridge.h"

namespace cairn {
namespace {

struct KindName {
  HandleKind kind;
  const char* name;
};

constexpr std::array<KindName, 8> kKindNames = {{
    {HandleKind::kTensor, "an aclTensor"},
    {HandleKind::kTensorList, "an aclTensorList"},
    {HandleKind::kScalar, "an aclScalar"},
    {HandleKind::kScalarList, "an aclScalarList"},
    {HandleKind::kIntArray, "an aclIntArray"},
    {HandleKind::kFloatArray, "an aclFloatArray"},
    {HandleKind::kBoolArray, "an aclBoolArray"},
    {HandleKind::kExecutor, "an aclOpExecutor"},
}};

const char* name_of(HandleKind kind) {
  for (const auto& [named, name] : kKindNames) {
    if (named == kind) return name;
  }
  return "an object";
}

HandleTable* make_objects() {
  pthread_atfork([] { objects().lock_all(); }, [] { objects().unlock_all(); },
                 [] { objects().unlock_all(); });
  return new HandleTable;
}

}  // namespace

HandleTable& objects() {
  // Never destroyed: threads may still hold handles while the process exits.
  static HandleTable& table = *make_objects();
  return table;
}

const char* describe(const void* handle) {
  for (const auto& [kind, name] : kKindNames) {
    if (objects().find(handle, kind) != nullptr) return name;
  }
  return "no live object";
}

Status fail(const char* function, Status status, std::string_view message) {
  cairn_runtime_bridge().report_error(status, text(function, ": ", message));
  return status;
}

Status null_argument(const char* function, const char* argument) {
  return fail(function, ACLNN_ERR_PARAM_NULLPTR, text(argument, " is null"));
}

Status wrong_handle(const char* function, const char* argument, const void* handle, HandleKind expected) {
  if (Observer* watcher = observer()) watcher->wrong_handle(argument, handle, expected);
  return fail(function, ACLNN_ERR_PARAM_INVALID,
              text(argument, " (", handle, ") is ", describe(handle), ", but must be ", name_of(expected),
                   " that was created and not yet destroyed"));
}

Status destroy(const char* function, HandleKind kind, const char* argument, const void* handle) {
  if (handle == nullptr) return OK;
  if (objects().remove(handle, kind) == nullptr) return wrong_handle(function, argument, handle, kind);
  if (Observer* watcher = observer()) watcher->ended(kind, handle);
  return OK;
}

}  // namespace cairn
