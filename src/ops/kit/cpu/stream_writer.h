#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace cairn {

// A call that reads and writes more than this leaves nothing useful of its output in the cache: then lines
// are better written past it, which also saves reading them first. Tests lower it, so that small calls go
// the way of large ones.
inline constinit std::atomic<std::int64_t> g_most_bytes_kept_in_cache{std::int64_t{24} << 20};
inline bool streams_past_cache(std::int64_t bytes_touched) {
  return bytes_touched > g_most_bytes_kept_in_cache.load(std::memory_order_relaxed);
}

// Moves bytes to memory past the cache and leaves zeros. `to` and `from` lie alike in their cache lines. The
// caller ends the task with hwy::FlushStream().
void stream_and_clear(std::byte* to, std::byte* from, std::size_t bytes);
template <typename T>
void stream_and_clear(T* to, T* from, std::int64_t count) {
  stream_and_clear(reinterpret_cast<std::byte*>(to), reinterpret_cast<std::byte*>(from),
                   static_cast<std::size_t>(count) * sizeof(T));
}

// Takes an output that is written once, front to back, and when streaming hands it to memory in whole cache
// lines with non-temporal stores. Rows need no alignment: a line shared by two rows is still written once.
class StreamWriter {
 public:
  static constexpr std::size_t kRoom = 4096;

  explicit StreamWriter(bool streaming) : streaming_(streaming) {}
  ~StreamWriter();
  StreamWriter(const StreamWriter&) = delete;
  StreamWriter& operator=(const StreamWriter&) = delete;

  // Where to put the next `count` elements meant for `to`: all of them, before room is asked again.
  // At most kRoom bytes. Calls whose `to` follows the one before share lines.
  template <typename T>
  T* room(T* to, std::int64_t count) {
    if (!streaming_) return to;
    return reinterpret_cast<T*>(
        stage(reinterpret_cast<std::byte*>(to), static_cast<std::size_t>(count) * sizeof(T)));
  }

  // Whether these are whole cache lines that go past the cache: they may be streamed to `to` straight away,
  // which goes on while more is read.
  template <typename T>
  bool takes_lines(const T* to, std::int64_t count) const {
    return streaming_ && reinterpret_cast<std::uintptr_t>(to) % kLine == 0 &&
           static_cast<std::size_t>(count) * sizeof(T) % kLine == 0;
  }

  // Copies any number of elements; whole lines go straight from `from` to memory.
  template <typename T>
  void write(T* to, const T* from, std::int64_t count) {
    copy(reinterpret_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(from),
         static_cast<std::size_t>(count) * sizeof(T));
  }

  template <typename T>
  void write_zeros(T* to, std::int64_t count) {
    clear(reinterpret_cast<std::byte*>(to), static_cast<std::size_t>(count) * sizeof(T));
  }

 private:
  static constexpr std::size_t kLine = 64;

  std::byte* stage(std::byte* to, std::size_t bytes) {
    if (to != next_ || end_ + bytes > sizeof(stage_)) make_room(to);
    std::byte* place = stage_ + end_;
    end_ += bytes;
    next_ = to + bytes;
    return place;
  }
  void copy(std::byte* to, const std::byte* from, std::size_t bytes);
  void clear(std::byte* to, std::size_t bytes);
  void make_room(std::byte* to);
  void flush(std::size_t end);

  const bool streaming_;
  std::byte* next_ = nullptr;  // address that follows the last byte staged
  std::size_t begin_ = 0;      // stage_[begin_, end_) waits to be written; stage_ mirrors an aligned address
  std::size_t end_ = 0;
  alignas(kLine) std::byte stage_[2 * kRoom];
};

}  // namespace cairn
