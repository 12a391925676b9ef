#include "runtime/state.h"

#include <pthread.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "backend/ending.h"
#include "observe/observer.h"

namespace cairn {
namespace {

constinit std::atomic<State*> g_state{nullptr};

// Of the handles of this process; changes in a child of fork() only.
constinit HandleTable::Origin g_origin{};

// How long a program that ends waits for kernels under way.
constexpr std::chrono::seconds kExitPatience{5};

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): the program's own care
  return value == nullptr ? "" : value;
}

}  // namespace

State::State(State* parent, HandleTable::Origin handles)
    : parent_(parent), handles_(handles), log_level_(log_level_from_environment()) {}

State& State::get() {
  State* state = g_state.load(std::memory_order_acquire);
  if (state != nullptr) return *state;
  // No lock and no static initialiser: a fork() in the middle of either would leave it locked in the child.
  auto* made = new State(nullptr, g_origin);
  if (!g_state.compare_exchange_strong(state, made, std::memory_order_acq_rel)) {
    delete made;
    return *state;
  }
  pthread_atfork(nullptr, nullptr, &State::start_afresh_in_child);
  std::atexit(&State::retire_streams_at_exit);
  return *made;
}

void State::start_afresh_in_child() {
  State* parent = g_state.load(std::memory_order_acquire);
  if (parent == nullptr) return;
  g_origin = parent->handles_.beyond();
  // Without memory for it now, the next call tries again.
  g_state.store(new (std::nothrow) State(parent, g_origin), std::memory_order_release);
  if (Observer* watcher = observer()) watcher->forked();
}

void State::retire_streams_at_exit() {
  if (g_process_is_ending.exchange(true, std::memory_order_seq_cst)) return;
  try {
    const std::vector<std::shared_ptr<Stream>> streams = get().all_streams();
    // First all stop, then each may finish the kernel it is in; together no longer than the time limit.
    const auto deadline = std::chrono::steady_clock::now() + kExitPatience;
    for (const bool patient : {false, true}) {
      for (const std::shared_ptr<Stream>& stream : streams) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        stream->queue->retire(patient ? std::max<std::int64_t>(0, left.count()) : 0);
      }
    }
    while (g_calls_under_way.load(std::memory_order_seq_cst) > 0 &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  } catch (const std::exception&) {
    // Out of memory at the very end: threads that still work end with the process.
  }
}

void keep_end_handler_last() {
  static constinit std::atomic<std::uint32_t> calls{0};
  const std::uint32_t number = calls.fetch_add(1, std::memory_order_relaxed) + 1;
  if (std::has_single_bit(number)) std::atexit(&State::retire_streams_at_exit);
}

void State::add_error_text(std::string text) {
  {
    const std::lock_guard lock(text_mutex_);
    if (process_wide_text_) {
      text_.add(std::move(text));
      return;
    }
  }
  if (ThreadTexts* texts = thread_texts()) texts->pending.add(std::move(text));
}

std::string State::take_error_text() {
  {
    const std::lock_guard lock(text_mutex_);
    if (process_wide_text_) return text_.take();
  }
  ThreadTexts* texts = thread_texts();
  return texts == nullptr ? std::string{} : texts->pending.take();
}

BackendChoice State::backend() {
  const std::lock_guard lock(device_mutex_);
  return choice_ ? *choice_ : choose_again();
}

std::shared_ptr<Backend> State::devices() {
  const std::lock_guard lock(device_mutex_);
  return choice_ ? choice_->backend : nullptr;
}

std::shared_ptr<Backend> State::cpu_backend() {
  const BackendChoice choice = backend();
  if (choice.backend != nullptr && !choice.backend->has_own_memory()) return choice.backend;
  const std::lock_guard lock(device_mutex_);
  if (cpu_backend_ == nullptr) {
    BackendChoice cpu = choose_cpu();
    if (cpu.backend == nullptr) throw DeviceError(cpu.status, cpu.message);
    cpu_backend_ = std::move(cpu.backend);
  }
  return cpu_backend_;
}

const BackendChoice& State::choose_again() {
  const std::string wanted =
      environment("CAIRN_DEVICE") + "/" + environment("CAIRN_THREADS") + "/" + environment("CAIRN_POOL");
  if (choice_ && wanted == choice_made_for_) return *choice_;
  choice_ = choose_backend();
  choice_made_for_ = wanted;
  if (choice_->backend == nullptr) return *choice_;
  if (!choice_->message.empty()) log(LogLevel::kWarn, choice_->message);
  log(LogLevel::kInfo, "device: " + choice_->backend->description());
  return *choice_;
}

std::shared_ptr<Context> State::current_context() {
  return handles_.find<Context>(thread_state().context, HandleKind::kContext);
}

std::shared_ptr<Context> State::create_context(const std::shared_ptr<Backend>& backend, std::int32_t device,
                                               bool primary) {
  std::shared_ptr<Context> context = make_context(backend, device, primary);
  if (backend->has_own_memory()) g_calls_are_counted.store(true, std::memory_order_relaxed);
  return context;
}

std::shared_ptr<Context> State::make_context(const std::shared_ptr<Backend>& backend, std::int32_t device,
                                             bool primary) {
  auto context = std::make_shared<Context>();
  context->backend = backend;
  context->device = device;
  context->primary = primary;
  context->default_stream = create_stream(*context, 0, 0);
  context->handle = handles_.insert(HandleKind::kContext, context);
  if (context->handle == nullptr) throw std::bad_alloc();
  // The device's own ends with it, and is nobody's to destroy.
  if (Observer* watcher = observer(); watcher != nullptr && !primary)
    watcher->made(HandleKind::kContext, context->handle);
  const std::lock_guard lock(contexts_mutex_);
  contexts_.push_back(context);
  return context;
}

bool State::end_context(const std::shared_ptr<Context>& context) {
  if (handles_.remove(context->handle, HandleKind::kContext) == nullptr) return false;
  if (Observer* watcher = observer(); watcher != nullptr && !context->primary)
    watcher->ended(HandleKind::kContext, context->handle);
  std::vector<std::shared_ptr<Stream>> streams;
  {
    const std::lock_guard lock(context->mutex);
    context->ended = true;
    streams = context->streams;
  }
  // A device that has failed must not keep its streams from ending.
  std::exception_ptr failure;
  for (const std::shared_ptr<Stream>& stream : streams) {
    try {
      stream->queue->wait();
    } catch (const DeviceError&) {
      failure = std::current_exception();
    }
    end_stream(stream);
  }
  {
    const std::lock_guard lock(contexts_mutex_);
    std::erase(contexts_, context);
  }
  if (failure) std::rethrow_exception(failure);
  return true;
}

std::shared_ptr<Stream> State::make_stream(const std::shared_ptr<Backend>& backend, std::int32_t device,
                                           std::shared_ptr<DeviceStream> queue) {
  auto stream = std::make_shared<Stream>();
  stream->queue = std::move(queue);
  stream->backend = backend;
  stream->device = device;
  stream->id = next_stream_id_.fetch_add(1, std::memory_order_relaxed);
  return stream;
}

std::shared_ptr<Stream> State::create_stream(Context& context, std::uint32_t priority, std::uint32_t flags) {
  std::shared_ptr<Stream> stream =
      make_stream(context.backend, context.device, context.backend->create_stream(context.device));
  stream->context = context.weak_from_this();
  stream->flags = flags;
  stream->attributes[ACL_STREAM_ATTR_PRIORITY].priority = priority;
  const std::lock_guard lock(context.mutex);
  if (context.ended) return nullptr;
  stream->handle = handles_.insert(HandleKind::kStream, stream);
  if (stream->handle == nullptr) throw std::bad_alloc();
  context.streams.push_back(stream);
  if (Observer* watcher = observer()) {
    const bool is_first = context.default_stream == nullptr;
    watcher->made_stream(
        {stream->id, stream->handle, &context, is_first ? StreamKind::kDefault : StreamKind::kOwn});
  }
  return stream;
}

std::shared_ptr<Stream> State::add_stream(const std::shared_ptr<Backend>& backend, std::int32_t device,
                                          std::shared_ptr<DeviceStream> queue, StreamKind kind) {
  std::shared_ptr<Stream> stream = make_stream(backend, device, std::move(queue));
  stream->free_standing = true;
  stream->is_inline = kind == StreamKind::kInline;
  stream->handle = handles_.insert(HandleKind::kStream, stream);
  if (stream->handle == nullptr) throw std::bad_alloc();
  if (Observer* watcher = observer()) watcher->made_stream({stream->id, stream->handle, nullptr, kind});
  const std::lock_guard lock(contexts_mutex_);
  free_standing_.push_back(stream);
  return stream;
}

bool State::end_stream(const std::shared_ptr<Stream>& stream) {
  if (handles_.remove(stream->handle, HandleKind::kStream) == nullptr) return false;
  stream->queue->abandon(kForever);
  if (Observer* watcher = observer()) {
    watcher->host_knows(stream->id, watcher->position(stream->id));
    watcher->ended(HandleKind::kStream, stream->handle);
  }
  if (stream->free_standing) {
    const std::lock_guard lock(contexts_mutex_);
    std::erase(free_standing_, stream);
  } else if (const std::shared_ptr<Context> context = stream->context.lock()) {
    const std::lock_guard lock(context->mutex);
    std::erase(context->streams, stream);
  }
  return true;
}

std::vector<std::shared_ptr<Stream>> State::all_streams() {
  const std::lock_guard lock(contexts_mutex_);
  std::vector<std::shared_ptr<Stream>> streams = free_standing_;
  for (const std::shared_ptr<Context>& context : contexts_) {
    const std::lock_guard context_lock(context->mutex);
    streams.insert(streams.end(), context->streams.begin(), context->streams.end());
  }
  return streams;
}

std::vector<std::shared_ptr<Stream>> State::streams_of_device(const std::shared_ptr<Backend>& backend,
                                                              std::int32_t device) {
  std::vector<std::shared_ptr<Stream>> streams = all_streams();
  std::erase_if(streams, [&](const std::shared_ptr<Stream>& stream) {
    return stream->backend != backend || stream->device != device;
  });
  std::ranges::sort(streams, {}, [](const std::shared_ptr<Stream>& stream) { return stream->id; });
  return streams;
}

}  // namespace cairn
