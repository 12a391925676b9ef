#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "backend/backend.h"
#include "backend/choose.h"
#include "common/handle_table.h"
#include "runtime/errors.h"
#include "runtime/memory_map.h"
#include "runtime/quarantine.h"
#include "runtime/thread_state.h"

namespace cairn {

inline constexpr std::size_t kOptionCount = 4;       // of aclSysParamOpt
inline constexpr std::size_t kStreamAttributes = 6;  // of aclrtStreamAttr, by value

struct Context;

struct Stream {
  std::shared_ptr<DeviceStream> queue;
  std::shared_ptr<Backend> backend;
  std::int32_t device = 0;
  bool free_standing = false;  // belongs to no context: any thread may use it
  bool is_inline = false;      // computes on the thread that calls
  std::weak_ptr<Context> context;
  std::int32_t id = 0;
  std::uint32_t flags = 0;
  void* handle = nullptr;
  // Held by whoever queues while a tool watches, so that it sees the stream's order.
  std::recursive_mutex order;
  std::mutex mutex;
  std::array<aclrtStreamAttrValue, kStreamAttributes> attributes{};
};

struct Event {
  std::shared_ptr<DeviceEvent> event;
  std::shared_ptr<Backend> backend;
  std::uint32_t flags;
  bool reusable;  // of aclrtCreateEventExWithFlag
};

struct Context : std::enable_shared_from_this<Context> {
  std::shared_ptr<Backend> backend;
  std::int32_t device = 0;
  bool primary = false;  // the one aclrtSetDevice makes
  void* handle = nullptr;
  std::shared_ptr<Stream> default_stream;

  std::mutex mutex;
  bool ended = false;
  std::vector<std::shared_ptr<Stream>> streams;  // the default stream among them
  std::array<std::optional<std::int64_t>, kOptionCount> options;
};

// Everything the process shares. Never destroyed: threads and destructors of the program may outlive any
// order we could choose. A child of fork() gets a new one and forgets the parent's.
class State {  // NOLINT(clang-analyzer-optin.performance.Padding): there is only one
 public:
  static State& get();

  HandleTable& handles() { return handles_; }
  MemoryMap& memory() { return memory_; }
  Quarantine& quarantine() { return quarantine_; }

  // aclInit and its pair.
  Status initialise(const Call& call, const char* config_path);
  Status finalise(const Call& call);
  Status finalise_reference(const Call& call, std::uint64_t* references);

  LogLevel log_level() const { return log_level_.load(std::memory_order_relaxed); }
  void add_error_text(std::string text);
  std::string take_error_text();

  // The choice of aclInit, or of the first call that needs a device.
  BackendChoice backend();
  // The same once it is made, else null.
  std::shared_ptr<Backend> devices();
  // The CPU's, whatever was chosen.
  std::shared_ptr<Backend> cpu_backend();

  // Null, with the reason reported, when there is no such device.
  std::shared_ptr<Backend> find_device(const Call& call, std::int64_t device);
  Status set_device(const Call& call, std::int32_t device);
  Status reset_device(const Call& call, std::int32_t device, bool all_references);

  std::shared_ptr<Context> create_context(const std::shared_ptr<Backend>& backend, std::int32_t device,
                                          bool primary);
  // Waits for the work of its streams, then ends them; false when another thread has ended it.
  bool end_context(const std::shared_ptr<Context>& context);
  // The calling thread's; null when there is none or it is stale.
  std::shared_ptr<Context> current_context();
  // Null when the context has ended meanwhile.
  std::shared_ptr<Stream> create_stream(Context& context, std::uint32_t priority, std::uint32_t flags);
  // One that belongs to no context.
  std::shared_ptr<Stream> add_stream(const std::shared_ptr<Backend>& backend, std::int32_t device,
                                     std::shared_ptr<DeviceStream> queue, StreamKind kind);
  // Drops what is queued on it; false when another thread has ended it.
  bool end_stream(const std::shared_ptr<Stream>& stream);
  // In the order they were made.
  std::vector<std::shared_ptr<Stream>> streams_of_device(const std::shared_ptr<Backend>& backend,
                                                         std::int32_t device);

  // For the process's end: streams finish what they are at, and calls that need a driver are over.
  static void retire_streams_at_exit();

  // The process's aclSysParamOpt values.
  std::array<std::atomic<std::int64_t>, kOptionCount> options{};

 private:
  struct Device {
    std::uint64_t references = 0;
    std::shared_ptr<Context> primary;
  };

  State(State* parent, HandleTable::Origin handles);
  std::shared_ptr<Context> make_context(const std::shared_ptr<Backend>& backend, std::int32_t device,
                                        bool primary);
  std::shared_ptr<Stream> make_stream(const std::shared_ptr<Backend>& backend, std::int32_t device,
                                      std::shared_ptr<DeviceStream> queue);
  // Of every context and of none.
  std::vector<std::shared_ptr<Stream>> all_streams();
  static void start_afresh_in_child();
  // Reads the environment; keeps the backend there is when nothing changed.
  const BackendChoice& choose_again();

  State* const parent_;  // of the process that forked us: kept in reach, never used
  HandleTable handles_;
  MemoryMap memory_;
  Quarantine quarantine_;
  std::atomic<LogLevel> log_level_;
  std::atomic<std::int32_t> next_stream_id_{0};

  std::mutex init_mutex_;
  std::uint64_t references_ = 0;
  bool finalised_ = false;
  std::optional<std::string> first_config_;

  std::mutex text_mutex_;
  bool process_wide_text_ = false;
  PendingText text_;

  std::mutex device_mutex_;
  std::optional<BackendChoice> choice_;
  std::string choice_made_for_;           // the environment it was made for
  std::shared_ptr<Backend> cpu_backend_;  // beside a choice that is another one
  std::vector<Device> devices_;

  std::mutex contexts_mutex_;
  std::vector<std::shared_ptr<Context>> contexts_;
  std::vector<std::shared_ptr<Stream>> free_standing_;
};

}  // namespace cairn
