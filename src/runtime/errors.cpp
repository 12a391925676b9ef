#include "runtime/errors.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "observe/observer.h"
#include "runtime/state.h"
#include "runtime/thread_state.h"

namespace cairn {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames = {"off", "error", "warn", "info"};

void print_line(LogLevel level, std::string_view message) {
  std::string line = "[cairn] ";
  line.append(kLevelNames[static_cast<std::size_t>(level)]).append(" ").append(message).append("\n");
  // One write, so that lines of several threads do not mix; a closed stderr is nobody's error.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

const char* title(Status status) {
  switch (status / 1000) {
    case 161:
      return "AclNN_Parameter_Error(EZ1001)";
    case 361:
      return "AclNN_Runtime_Error(EZ9903)";
    case 561:
      return "AclNN_Inner_Error(EZ9999)";
    default:
      return status / 100000 == 1 ? "Invalid_Argument(EH0001)" : "Runtime_Error(EE9999)";
  }
}

// [PID: 42] 2026-01-31-23:59:59.123.456 Title(CODE): message
// The time is UTC: localtime_r takes a lock that a fork() may leave locked in the child for ever.
std::string pending_line(Status status, std::string_view message) {
  using namespace std::chrono;
  const auto now = floor<microseconds>(system_clock::now());
  const auto day = floor<days>(now);
  const year_month_day date(day);
  const hh_mm_ss time(now - day);
  const auto micros = static_cast<int>(time.subseconds().count());
  std::array<char, 128> head{};
  std::snprintf(head.data(), head.size(), "[PID: %d] %04d-%02u-%02u-%02d:%02d:%02d.%03d.%03d ",
                static_cast<int>(getpid()), static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()), micros / 1000, micros % 1000);
  std::string line = head.data();
  return line.append(title(status)).append(": ").append(message).append("\n");
}

}  // namespace

LogLevel log_level_from_environment() {
  const char* value = std::getenv("CAIRN_LOG");  // NOLINT(concurrency-mt-unsafe): the program's own care
  const std::string_view name = value == nullptr || *value == '\0' ? kLevelNames.front() : value;
  for (std::size_t i = 0; i < kLevelNames.size(); ++i) {
    if (name == kLevelNames[i]) return static_cast<LogLevel>(i);
  }
  print_line(LogLevel::kWarn,
             "CAIRN_LOG is \"" + std::string(name) + "\", expected off, error, warn or info");
  return LogLevel::kWarn;
}

bool log_enabled(LogLevel level) { return level <= State::get().log_level(); }

void log(LogLevel level, std::string_view message) {
  if (log_enabled(level)) print_line(level, message);
}

void report(Status status, std::string_view message) {
  if (Observer* watcher = observer()) watcher->said(status, message);
  try {
    log(LogLevel::kError, message);
    State::get().add_error_text(pending_line(status, message));
  } catch (const std::bad_alloc&) {
    // Without memory for its text the status alone must do.
  }
}

Status Call::fail(Status status, const char* format, ...) const {
  std::array<char, 1024> text{};
  const int prefix = std::snprintf(text.data(), text.size(), "%s: ", function_);
  std::va_list arguments;
  va_start(arguments, format);
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start has just been called
  std::vsnprintf(text.data() + prefix, text.size() - static_cast<std::size_t>(prefix), format, arguments);
  va_end(arguments);
  try {
    thread_state().last_error = status;
    report(status, text.data());
  } catch (const std::bad_alloc&) {
    // The very first call of a process without memory: the status alone must do.
  }
  return status;
}

Status Call::null(const char* argument) const {
  return fail(ACL_ERROR_INVALID_PARAM, "%s is null", argument);
}

Status Call::no_context() const {
  return fail(ACL_ERROR_RT_CONTEXT_NULL, "this thread has no current context; call aclrtSetDevice first");
}

}  // namespace cairn
