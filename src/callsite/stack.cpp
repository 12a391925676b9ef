#include "callsite/stack.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unwind.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#if defined(CAIRN_HAS_BACKTRACE)
#include <backtrace.h>
#endif

namespace cairn {
namespace {

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* into) {
  auto& stack = *static_cast<Stack*>(into);
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (address == 0 || stack.depth == Stack::kDeepest) return _URC_END_OF_STACK;
  stack.frames[stack.depth++] = address;
  return _URC_NO_REASON;
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

// "int make<float>(std::vector<int> const&) const" becomes "make<float>".
std::string without_types(const std::string& name) {
  if (name.find("{lambda") != std::string::npos) {
    const std::size_t outer = name.find("::{lambda");
    return without_types(name.substr(0, outer)) + "::lambda";
  }
  int depth = 0;
  std::size_t begin = 0;
  std::size_t end = name.size();
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<') ++depth;
    if (c == '>' && (i == 0 || name[i - 1] != '-')) --depth;
    if (depth != 0) continue;
    if (name.compare(i, 21, "(anonymous namespace)") == 0) {
      i += 20;
    } else if (name.compare(0, i, "operator") == 0 && name.compare(i, 2, "()") == 0) {
      ++i;  // a call operator, such as a lambda's that was inlined
    } else if (c == '(') {
      end = i;
      break;
    } else if (c == ' ' && name.compare(0, 8, "operator") != 0) {
      begin = i + 1;
    }
  }
  return begin < end ? name.substr(begin, end - begin) : name;
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_ours(std::string_view module) {
  const std::string_view name = file_name(module);
  constexpr std::array<std::string_view, 5> kOurs = {"libacl_rt.so", "libascendcl.so", "libnnopbase.so",
                                                     "libopapi", "libcairn_"};
  return std::ranges::any_of(kOurs, [&](std::string_view ours) { return name.starts_with(ours); });
}

bool is_start_up(std::string_view function) {
  constexpr std::array<std::string_view, 8> kStart = {
      "_start", "__libc_start_main", "__libc_start_call_main", "start_thread",
      "clone3", "__clone3",          "__libc_start_main_impl", "__restore_rt"};
  return std::ranges::any_of(kStart, [&](std::string_view start) { return function.starts_with(start); });
}

#if defined(CAIRN_HAS_BACKTRACE)

void ignore_error(void* /*data*/, const char* /*message*/, int /*number*/) {}

backtrace_state* symbols() {
  static backtrace_state* const state = backtrace_create_state(nullptr, 1, ignore_error, nullptr);
  return state;
}

int add_resolved(void* into, std::uintptr_t /*address*/, const char* file, int line, const char* function) {
  if (function == nullptr && file == nullptr) return 0;
  Frame frame;
  if (function != nullptr) frame.function = without_types(demangled(function));
  if (file != nullptr) frame.file = file;
  frame.line = line;
  static_cast<std::vector<Frame>*>(into)->push_back(std::move(frame));
  return 0;
}

void add_lines(std::uintptr_t address, std::vector<Frame>& frames) {
  backtrace_pcinfo(symbols(), address, add_resolved, ignore_error, &frames);
}

// Functions that are not exported have a name in the symbol table only.
void add_symbol(std::uintptr_t address, Frame& frame) {
  const auto found = [](void* into, std::uintptr_t at, const char* name, std::uintptr_t begin,
                        std::uintptr_t) {
    if (name == nullptr) return;
    auto& named = *static_cast<Frame*>(into);
    named.function = without_types(demangled(name));
    named.offset = at - begin;
  };
  backtrace_syminfo(symbols(), address, found, ignore_error, &frame);
}

#else

void add_lines(std::uintptr_t /*address*/, std::vector<Frame>& /*frames*/) {}
void add_symbol(std::uintptr_t /*address*/, Frame& /*frame*/) {}

#endif

// What the dynamic linker knows, where there is no debugging information.
Frame by_symbol(std::uintptr_t address, const Dl_info& info) {
  Frame frame;
  if (info.dli_sname != nullptr) {
    frame.function = without_types(demangled(info.dli_sname));
    frame.offset = address - reinterpret_cast<std::uintptr_t>(info.dli_saddr);
    return frame;
  }
  add_symbol(address, frame);
  return frame;
}

std::vector<Frame> resolve_to_main(const Stack& stack) {
  std::vector<Frame> frames;
  for (const std::uintptr_t returned_to : stack.all()) {
    const std::uintptr_t address = returned_to - 1;  // inside the call, not behind it
    Dl_info info{};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of code
    const bool known = dladdr(reinterpret_cast<const void*>(address), &info) != 0;
    const std::string_view module = known && info.dli_fname != nullptr ? info.dli_fname : "";
    if (is_ours(module)) continue;
    std::vector<Frame> here;
    add_lines(address, here);
    if (here.empty()) here.push_back(by_symbol(address, info));
    for (Frame& frame : here) {
      if (is_start_up(frame.function)) return frames;
      frame.module = module;
      if (frame.function.empty()) frame.function = file_name(module);
      if (frame.function.empty()) continue;
      const bool is_main = frame.function == "main";
      frames.push_back(std::move(frame));
      if (is_main) return frames;
    }
  }
  return frames;
}

// What called a thread's function.
bool is_library_of_threads(const Frame& frame) {
  const std::string_view name = file_name(frame.module);
  if (frame.file.find("/include/c++/") != std::string::npos) return true;
  return name.starts_with("libstdc++.so") || name.starts_with("libc.so") || name.starts_with("libpthread.so");
}

}  // namespace

Stack capture_stack() {
  Stack stack;
  _Unwind_Backtrace(add_frame, &stack);
  return stack;
}

Stack faulting_stack(std::uintptr_t instruction, const Stack& handler) {
  // The unwinder goes through the signal's frame: what comes before the instruction is the handler.
  Stack stack;
  const auto frames = handler.all();
  const auto at = std::ranges::find(frames, instruction);
  stack.frames[stack.depth++] = instruction + 1;  // as a return address would be
  for (auto frame = at == frames.end() ? frames.end() : at + 1;
       frame != frames.end() && stack.depth < Stack::kDeepest; ++frame)
    stack.frames[stack.depth++] = *frame;
  return stack;
}

std::vector<Frame> resolve(const Stack& stack) {
  std::vector<Frame> frames = resolve_to_main(stack);
  while (frames.size() > 1 && is_library_of_threads(frames.back())) frames.pop_back();
  return frames;
}

std::string short_text(const Frame& frame) {
  std::string text = frame.function;
  if (!frame.file.empty()) {
    text.append(" ").append(file_name(frame.file)).append(":").append(std::to_string(frame.line));
  } else {
    std::array<char, 32> offset{};
    std::snprintf(offset.data(), offset.size(), "+0x%zx", static_cast<std::size_t>(frame.offset));
    text += offset.data();
  }
  return text;
}

std::string short_text(const std::vector<Frame>& frames) {
  std::string text;
  for (const Frame& frame : frames) text += (text.empty() ? "" : " < ") + short_text(frame);
  return text.empty() ? "(no stack)" : text;
}

std::string place_text(const std::vector<Frame>& frames) {
  if (frames.empty()) return "(no stack)";
  const Frame& frame = frames.front();
  if (frame.file.empty()) return short_text(frame);
  return std::string(file_name(frame.file)) + ":" + std::to_string(frame.line);
}

}  // namespace cairn
