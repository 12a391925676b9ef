#include "process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cairn::tool {
namespace {

sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD}) sigaddset(&set, number);
  return set;
}

// What this process was started with, and what it starts others with.
const sigset_t& inherited_mask() {
  static const sigset_t mask = [] {
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    return now;
  }();
  return mask;
}

bool put_in_place(const char* file, int flags, int place) {
  const int opened = open(file, flags | O_CLOEXEC, 0600);
  return opened >= 0 && dup2(opened, place) >= 0;
}

bool prepare(const How& how, pid_t parent) {
  if (how.apart && setpgid(0, 0) != 0) return false;
  // A parent that is killed cannot pass that on; one that is gone already never will.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) return false;
  if (!how.output.empty() && !put_in_place(how.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO)) {
    return false;
  }
  // In a group of its own, a read from the terminal would stop it.
  if (how.apart && !put_in_place("/dev/null", O_RDONLY, STDIN_FILENO)) return false;
  if (!how.temporary.empty() && setenv("TMPDIR", how.temporary.c_str(), 1) != 0) return false;
  return pthread_sigmask(SIG_SETMASK, &inherited_mask(), nullptr) == 0;
}

[[noreturn]] void become(char** arguments, const How& how, pid_t parent, int problem_end) {
  if (prepare(how, parent)) execvp(arguments[0], arguments);
  const int error = errno;
  if (write(problem_end, &error, sizeof error) != sizeof error) _exit(126);
  _exit(127);
}

// What kept the child from becoming the program, or 0: the pipe closes when it has become it.
int problem_of(int pipe_end) {
  int error = 0;
  ssize_t count = 0;
  do count = read(pipe_end, &error, sizeof error);
  while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(sizeof error) ? error : 0;
}

// The child's process id, or -1 with errno set.
pid_t start(const std::vector<std::string>& command, const How& how) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return -1;
  const pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) become(arguments.data(), how, parent, ends[1]);
  int error = child < 0 ? errno : 0;
  close(ends[1]);
  if (child > 0) {
    if (how.apart) setpgid(child, child);  // both do it, so that neither has to wait for the other
    error = problem_of(ends[0]);
    if (error != 0) waitpid(child, nullptr, 0);
  }
  close(ends[0]);
  errno = error;
  return error == 0 ? child : -1;
}

int status_of(int ended, const std::string& name) {
  if (WIFEXITED(ended)) return WEXITSTATUS(ended);
  const int number = WTERMSIG(ended);
  // A reader that has seen enough, such as head, is nothing to talk about.
  if (number == SIGPIPE) return 128 + number;
  std::fprintf(stderr, "cairn: %s was ended by signal %d (%s)\n", name.c_str(), number, strsignal(number));
  return 128 + number;
}

void pass_on(const siginfo_t& signal, pid_t child, const How& how) {
  if (how.apart) {
    kill(-child, signal.si_signo);
  } else if (signal.si_code <= 0) {  // from a process; the terminal's go to the child as well
    kill(child, signal.si_signo);
  }
}

int wait_for(pid_t child, const std::string& name, const How& how) {
  const sigset_t signals = handled_signals();
  for (;;) {
    int ended = 0;
    const pid_t found = waitpid(child, &ended, WNOHANG);
    if (found == child) return status_of(ended, name);
    if (found < 0 && errno != EINTR) {
      std::fprintf(stderr, "cairn: lost sight of %s: %s\n", name.c_str(), std::strerror(errno));
      return 127;
    }
    siginfo_t signal{};
    if (sigwaitinfo(&signals, &signal) > 0 && signal.si_signo != SIGCHLD) pass_on(signal, child, how);
  }
}

}  // namespace

HeldSignals::HeldSignals() {
  inherited_mask();
  const sigset_t signals = handled_signals();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

HeldSignals::~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

int run(const std::vector<std::string>& command, const How& how) {
  const HeldSignals held;
  std::signal(SIGCHLD, SIG_DFL);  // where it is ignored, nobody learns how a child ended
  const pid_t child = start(command, how);
  if (child < 0) {
    std::fprintf(stderr, "cairn: cannot start %s: %s\n", command.front().c_str(), std::strerror(errno));
    return 127;
  }
  return wait_for(child, how.name.empty() ? command.front() : how.name, how);
}

}  // namespace cairn::tool
