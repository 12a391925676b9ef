#include "process.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace cairn::tool {
namespace {

// A Ctrl-C is for the program that runs; we stay to report how it ended.
class IgnoreInterrupts {
 public:
  IgnoreInterrupts() : interrupt_(std::signal(SIGINT, SIG_IGN)), quit_(std::signal(SIGQUIT, SIG_IGN)) {}
  ~IgnoreInterrupts() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGQUIT, quit_);
  }
  IgnoreInterrupts(const IgnoreInterrupts&) = delete;
  IgnoreInterrupts& operator=(const IgnoreInterrupts&) = delete;

 private:
  void (*interrupt_)(int);
  void (*quit_)(int);
};

class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGQUIT);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

// The child's process id, or -1 after a word on stderr.
pid_t start(const std::vector<std::string>& command, const SpawnSettings& settings) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int error =
      posix_spawnp(&child, arguments[0], &settings.actions, &settings.attributes, arguments.data(), environ);
  if (error == 0) return child;
  std::fprintf(stderr, "cairn: cannot start %s: %s\n", arguments[0], std::strerror(error));
  return -1;
}

int wait_for(pid_t child, const std::string& name) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno == EINTR) continue;
    std::fprintf(stderr, "cairn: lost sight of %s: %s\n", name.c_str(), std::strerror(errno));
    return 127;
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int number = WTERMSIG(status);
  std::fprintf(stderr, "cairn: %s was ended by signal %d (%s)\n", name.c_str(), number, strsignal(number));
  return 128 + number;
}

}  // namespace

int run(const std::vector<std::string>& command, const std::string& name) {
  const IgnoreInterrupts guard;
  const SpawnSettings settings;
  const pid_t child = start(command, settings);
  return child < 0 ? 127 : wait_for(child, name);
}

Captured run_captured(const std::vector<std::string>& command) {
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) {
    std::fprintf(stderr, "cairn: no pipe: %s\n", std::strerror(errno));
    return {127, {}};
  }
  SpawnSettings settings;
  posix_spawn_file_actions_adddup2(&settings.actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&settings.actions, pipe_ends[0]);
  posix_spawn_file_actions_addclose(&settings.actions, pipe_ends[1]);
  const pid_t child = start(command, settings);
  close(pipe_ends[1]);
  Captured result{127, {}};
  std::array<char, 65536> buffer{};
  for (ssize_t count = 0; (count = read(pipe_ends[0], buffer.data(), buffer.size())) > 0;) {
    result.output.append(buffer.data(), static_cast<std::size_t>(count));
  }
  close(pipe_ends[0]);
  if (child >= 0) result.status = wait_for(child, command.front());
  return result;
}

}  // namespace cairn::tool
