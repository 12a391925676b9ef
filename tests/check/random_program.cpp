// random_program SEED: streams, events, waits, synchronises, copies, fills and operators on parts of buffers,
// drawn from the seed; prints what the buffers hold at the end. Some of these programs race, the others have
// one outcome.
#include <map>
#include <memory>
#include <random>

#include "program.h"

namespace {

const size_t kFloats = 1024;  // of a buffer

class Drawn {
 public:
  explicit Drawn(unsigned seed) : random_(seed) {
    const int streams = 1 + below(6), buffers = 2 + below(11);
    for (int i = 0; i < streams; ++i) streams_.emplace_back(new Stream);
    for (int i = 0; i < 4; ++i) events_.emplace_back(new Event);
    for (int i = 0; i < buffers; ++i) {
      buffers_.emplace_back(new Memory(kFloats * sizeof(float)));
      buffers_.back()->fill(i);
    }
  }

  void step() {
    const aclrtStream stream = *streams_[below(static_cast<int>(streams_.size()))];
    const aclrtEvent event = *events_[below(4)];
    switch (below(9)) {
      case 0:
        must(aclrtRecordEvent(event, stream));
        recorded_[event] = true;
        return;
      case 1:
      case 2:
        if (recorded_[event]) must(aclrtStreamWaitEvent(stream, event));
        return;
      case 3:
        if (below(2) == 0) must(aclrtSynchronizeStream(stream));
        return;
      case 4:
        if (recorded_[event] && below(2) == 0) must(aclrtSynchronizeEvent(event));
        return;
      case 5:
        must(aclrtMemsetAsync(part(0), kPart, below(100), kPart, stream));
        return;
      case 6:
        must(aclrtMemcpyAsync(part(0), kPart, part(1), kPart, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        return;
      default:
        run(stream);
    }
  }

  void finish() {
    must(aclrtSynchronizeDevice());
    unsigned long long hash = 1469598103934665603ULL;
    std::vector<unsigned char> host(kFloats * sizeof(float));
    for (const auto& buffer : buffers_) {
      must(aclrtMemcpy(host.data(), host.size(), buffer->data, host.size(), ACL_MEMCPY_DEVICE_TO_HOST));
      for (unsigned char byte : host) hash = (hash ^ byte) * 1099511628211ULL;
    }
    std::printf("%016llx\n", hash);
  }

 private:
  static const size_t kPart = 256;  // bytes

  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  // A part of a buffer, of which copies have the target in the first half and the source in the second.
  void* part(int half) {
    const int place = half * 8 + below(8);
    return static_cast<char*>(buffers_[below(static_cast<int>(buffers_.size()))]->data) + place * kPart;
  }

  // Every other element of a part, twice each, into the first half of a buffer.
  void run(aclrtStream stream) {
    Tensor self(row(part(1), 16, ACL_FLOAT, 5, below(2), 2));
    Tensor out(row(part(0), 32, ACL_FLOAT, 5, below(2), 2));
    calls_.emplace_back(new Twice(self, out, 16));
    calls_.back()->run(stream);
  }

  std::mt19937 random_;
  std::vector<std::unique_ptr<Memory>> buffers_;
  std::vector<std::unique_ptr<Twice>> calls_;
  std::map<aclrtEvent, bool> recorded_;
  std::vector<std::unique_ptr<Event>> events_;
  std::vector<std::unique_ptr<Stream>> streams_;
};

}  // namespace

int main(int, char** words) {
  Device device;
  Drawn program(static_cast<unsigned>(std::atoi(words[1])));
  for (int i = 0; i < 40; ++i) program.step();
  program.finish();
}
