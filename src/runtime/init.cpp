
#include "acl/acl_rt.h"
#include "observe/watch.h"
#include "product/product.h"
#include "runtime/config.h"
#include "runtime/state.h"

namespace cairn {
namespace {

constexpr const char* kNoConfig = "{}";

Status read_config(const Call& call, const char* path, std::string& config) {
  config = kNoConfig;
  if (path == nullptr || *path == '\0') return ACL_SUCCESS;
  std::string text;
  if (const char* reason = read_small_file(path, text)) {
    return call.fail(ACL_ERROR_INVALID_FILE, "configPath \"%s\" %s", path, reason);
  }
  const std::optional<std::string> normal = normalise_config(text);
  if (!normal) return call.fail(ACL_ERROR_PARSE_FILE, "configPath \"%s\" is not a JSON object", path);
  config = *normal;
  return ACL_SUCCESS;
}

}  // namespace

Status State::initialise(const Call& call, const char* config_path) {
  const std::lock_guard lock(init_mutex_);
  if (references_ > 0) {
    ++references_;
    return call.fail(ACL_ERROR_REPEAT_INITIALIZE, "already initialised; %llu calls are to be paired now",
                     static_cast<unsigned long long>(references_));
  }
  std::string config;
  if (const Status status = read_config(call, config_path, config)) return status;
  if (first_config_ && *first_config_ != config) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "the configuration differs from the first one of this process");
  }
  if (const ProductChoice product = current_product(); product) {
    log(LogLevel::kInfo, "product: " + std::string(product.product->name));
  } else {
    return call.fail(ACL_ERROR_INVALID_PARAM, "%s", product.error.c_str());
  }
  {
    const std::lock_guard device_lock(device_mutex_);
    const BackendChoice& choice = choose_again();
    if (choice.backend == nullptr) return call.fail(choice.status, "%s", choice.message.c_str());
  }
  {
    const std::lock_guard text_lock(text_mutex_);
    process_wide_text_ = wants_process_wide_text(config);
  }
  first_config_ = std::move(config);
  references_ = 1;
  finalised_ = false;
  return ACL_SUCCESS;
}

// Devices, streams and memory stay: programs end them after this as often as before.
Status State::finalise(const Call& call) {
  const std::lock_guard lock(init_mutex_);
  if (finalised_) return call.fail(ACL_ERROR_REPEAT_FINALIZE, "already finalised");
  references_ = 0;
  finalised_ = true;
  return ACL_SUCCESS;
}

Status State::finalise_reference(const Call& call, std::uint64_t* references) {
  const std::lock_guard lock(init_mutex_);
  if (references_ == 0) return call.fail(ACL_ERROR_REPEAT_FINALIZE, "there is no aclInit left to pair with");
  finalised_ = --references_ == 0;
  if (references != nullptr) *references = references_;
  return ACL_SUCCESS;
}

}  // namespace cairn

using cairn::Call;
using cairn::entry;
using cairn::State;
using cairn::Status;

aclError aclInit(const char* configPath) {
  CAIRN_WATCH(configPath);
  return entry(__func__, [&](const Call& call) { return State::get().initialise(call, configPath); });
}

aclError aclFinalize() {
  CAIRN_WATCH();
  return cairn::entry_at_any_time(__func__, [&](const Call& call) { return State::get().finalise(call); });
}

aclError aclFinalizeReference(uint64_t* refCount) {
  CAIRN_WATCH(refCount);
  return entry(__func__, [&](const Call& call) { return State::get().finalise_reference(call, refCount); });
}

const char* aclGetRecentErrMsg() {
  CAIRN_WATCH();
  const char* message = nullptr;
  cairn::entry_at_any_time(__func__, [&](const Call&) -> Status {
    std::string text = State::get().take_error_text();
    cairn::ThreadTexts* texts = cairn::thread_texts();
    if (text.empty() || texts == nullptr) return ACL_SUCCESS;
    texts->handed_out = std::move(text);
    message = texts->handed_out.c_str();
    return ACL_SUCCESS;
  });
  return message;
}

namespace {

aclError last_error(const char* function, aclrtLastErrLevel level, bool clear) {
  return cairn::entry_at_any_time(function, [&](const Call& call) -> Status {
    if (level != ACL_RT_THREAD_LEVEL) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "level is %d, expected ACL_RT_THREAD_LEVEL (0)",
                       static_cast<int>(level));
    }
    Status& last = cairn::thread_state().last_error;
    const Status answer = last;
    if (clear) last = ACL_SUCCESS;
    return answer;
  });
}

}  // namespace

aclError aclrtGetLastError(aclrtLastErrLevel level) {
  CAIRN_WATCH(level);
  return last_error(__func__, level, true);
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  CAIRN_WATCH(level);
  return last_error(__func__, level, false);
}
