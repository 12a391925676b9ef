#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/random.h"

// Feeds a fuzz target the same inputs on every run and every machine, with any compiler and without
// libFuzzer:
//   fuzz_…_replay [--runs=N] [--seed=N] CORPUS…   every line of the corpus files, then N changed ones
//   fuzz_…_replay --input=BASE64                  one input, in this process, for a debugger
// libFuzzer cannot promise that: what it tries next depends on what it counted, and so on how threads took
// turns.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace {

using Input = std::vector<unsigned char>;
using reference::Random;

constexpr std::size_t kLongest = 512;
constexpr unsigned kMostSeconds = 120;  // for one input, under any sanitizer
constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(2);
}

Input from_base64(std::string_view text) {
  Input bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char digit : text.substr(0, text.find('='))) {
    const std::size_t value = kDigits.find(digit);
    if (value == std::string_view::npos) refuse("not base64: " + std::string(text));
    bits = (bits << 6U | static_cast<unsigned>(value)) & 0xFFFFU;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<unsigned char>(bits >> static_cast<unsigned>(count)));
  }
  if (bytes.size() > kLongest)
    refuse("longer than " + std::to_string(kLongest) + " bytes: " + std::string(text));
  return bytes;
}

std::string to_base64(const unsigned char* bytes, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; i += 3) {
    const auto byte = [&](std::size_t at) { return at < size ? unsigned{bytes[at]} : 0U; };
    const unsigned three = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    for (unsigned digit = 0; digit < 4; ++digit)
      text += i + digit > size ? '=' : kDigits[three >> (18U - 6U * digit) & 63U];
  }
  return text;
}

// One input a line; the rest of a line from a blank on, and lines that begin with #, are for people.
void read_corpus(const char* path, std::vector<Input>& inputs) {
  std::ifstream file(path);
  if (!file) refuse(std::string("cannot read ") + path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    inputs.push_back(from_base64(std::string_view(line).substr(0, line.find(' '))));
  }
}

std::size_t somewhere(Random& random, std::size_t size) {
  return static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(size)));
}

void change(Random& random, const std::vector<Input>& inputs, Input& input) {
  const auto byte = [&] { return static_cast<unsigned char>(random.bits()); };
  const auto at = [&] {
    return input.begin() + static_cast<std::ptrdiff_t>(somewhere(random, input.size()));
  };
  switch (random.between(0, 4)) {
    case 0:
      if (!input.empty()) input[somewhere(random, input.size() - 1)] = byte();
      return;
    case 1:
      if (!input.empty()) ++input[somewhere(random, input.size() - 1)];
      return;
    case 2: {
      // One decision a statement: compilers differ in which argument they compute first.
      const auto count = static_cast<std::size_t>(random.between(1, 4));
      const unsigned char value = byte();
      input.insert(at(), count, value);
      return;
    }
    case 3: {
      const auto first = at();
      input.erase(first, first + std::min<std::ptrdiff_t>(random.between(1, 4), input.end() - first));
      return;
    }
    default: {
      const Input& other = inputs[somewhere(random, inputs.size() - 1)];
      const std::size_t from = somewhere(random, other.size());
      input.resize(std::min(input.size(), somewhere(random, input.size()) + 1));
      input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
    }
  }
}

Input changed(Random& random, const std::vector<Input>& inputs) {
  Input input = inputs[somewhere(random, inputs.size() - 1)];
  for (std::int64_t changes = random.between(1, 4); changes > 0; --changes) change(random, inputs, input);
  if (input.size() > kLongest) input.resize(kLongest);
  return input;
}

// The target gets a block of exactly this size, so that a sanitizer sees it read past the end.
void run(const Input& input) {
  const auto exact = std::make_unique<unsigned char[]>(input.size());
  std::copy(input.begin(), input.end(), exact.get());
  LLVMFuzzerTestOneInput(exact.get(), input.size());
}

// What the child is at, where the parent still finds it when the child is gone.
struct Progress {
  std::uint64_t done;
  std::size_t size;
  unsigned char bytes[kLongest];
};

void run_noted(const Input& input, Progress& progress) {
  progress.size = input.size();
  std::copy(input.begin(), input.end(), progress.bytes);
  alarm(kMostSeconds);
  run(input);
  ++progress.done;
}

void run_all(const std::vector<Input>& inputs, std::uint64_t runs, std::uint64_t seed, Progress& progress) {
  for (const Input& input : inputs) run_noted(input, progress);
  Random random(seed);
  for (std::uint64_t i = 0; i < runs; ++i) run_noted(changed(random, inputs), progress);
  alarm(0);
}

std::optional<std::string> value_of(std::string_view argument, std::string_view name) {
  if (argument.substr(0, name.size()) != name) return std::nullopt;
  return std::string(argument.substr(name.size()));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Input> inputs;
  std::optional<Input> single;
  std::uint64_t runs = 0;
  std::uint64_t seed = 1;
  for (int i = 1; i < argc; ++i) {
    if (const auto number = value_of(argv[i], "--runs=")) {
      runs = std::stoull(*number);
    } else if (const auto start = value_of(argv[i], "--seed=")) {
      seed = std::stoull(*start);
    } else if (const auto text = value_of(argv[i], "--input=")) {
      single = from_base64(*text);
    } else {
      read_corpus(argv[i], inputs);
    }
  }
  const auto initialise = [&] {
    if (LLVMFuzzerInitialize != nullptr) LLVMFuzzerInitialize(&argc, &argv);
  };
  if (single) {
    initialise();
    run(*single);
    return 0;
  }
  if (inputs.empty()) refuse("no corpus");

  void* shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) refuse("no memory");
  auto& progress = *new (shared) Progress{};
  const pid_t child = fork();
  if (child < 0) refuse("cannot fork");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    initialise();
    run_all(inputs, runs, seed, progress);
    std::exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) refuse("lost the child");
  std::printf("%s inputs of %s, seed %s\n", std::to_string(progress.done).c_str(),
              std::to_string(inputs.size() + runs).c_str(), std::to_string(seed).c_str());
  if (status == 0) return 0;
  if (WIFSIGNALED(status))
    std::printf("ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
  if (progress.done < inputs.size() + runs) {
    std::printf("to repeat: %s --input=%s\n", argv[0], to_base64(progress.bytes, progress.size).c_str());
  } else {
    std::printf("every input passed, what came after them did not: a leak?\n");
  }
  return 1;
}
