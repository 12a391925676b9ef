#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

namespace cairn::test {

inline constexpr int kHung = -1000;

struct ChildResult {
  int code;  // the exit code, the negative signal, or kHung
  std::string stderr_text;
};

enum class Ending { kExit, kQuickExit };

// Runs `body` in a child process and ends it with its result. The parent must never have used the library.
inline ChildResult in_child(const std::map<std::string, std::string>& environment,
                            const std::function<int()>& body, Ending ending = Ending::kExit,
                            std::chrono::seconds limit = std::chrono::seconds(60)) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return {kHung, "no pipe"};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);  // so that children of its own end with it
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(pipe_ends[1], STDERR_FILENO);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    const int code = body();
    if (ending == Ending::kQuickExit) _exit(code);
    std::exit(code);
  }
  close(pipe_ends[1]);
  ChildResult result{kHung, ""};
  const auto deadline = std::chrono::steady_clock::now() + limit;
  pollfd reader{pipe_ends[0], POLLIN, 0};
  char chunk[4096];
  bool open = true;
  while (open && std::chrono::steady_clock::now() < deadline) {
    if (poll(&reader, 1, 100) <= 0) continue;
    const ssize_t size = read(pipe_ends[0], chunk, sizeof(chunk));
    if (size > 0) result.stderr_text.append(chunk, static_cast<std::size_t>(size));
    open = size > 0;
  }
  close(pipe_ends[0]);
  if (open) {
    kill(-child, SIGKILL);
    kill(child, SIGKILL);  // one that hangs before it has a group of its own
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!open) result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return result;
}

// In the body of a child: anything but the expected value ends it with a line that says where.
#define CHILD_EXPECT(actual, expected)                                 \
  do {                                                                 \
    const auto child_actual = (actual);                                \
    if (child_actual != (expected)) {                                  \
      std::fprintf(stderr, "line %d: %s is %lld\n", __LINE__, #actual, \
                   static_cast<long long>(child_actual));              \
      return 1;                                                        \
    }                                                                  \
  } while (false)

}  // namespace cairn::test
