#include <fstream>

#include "device.h"
#include "measure.h"

namespace cairn::bench {
namespace {

class Cpu final : public Device {
 public:
  Cpu(std::size_t bytes, int threads) : copy_(bytes, threads), threads_(threads) {}

  const char* name() const override { return "cpu"; }
  bool has_peers() const override { return true; }
  Case sample(const Case& row) const override { return row; }
  int sets(std::int64_t) const override { return 1; }
  std::int64_t line() const override { return 64; }

  std::string machine() const override {
    const std::string threads = ", " + std::to_string(threads_) + " threads";
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
      if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2) + threads;
    }
    return "this machine" + threads;
  }

  double time(const std::vector<std::unique_ptr<OurContender>>& sets) override {
    return wall_milliseconds([&] { sets.front()->run(); });
  }
  double time_copy() override {
    return wall_milliseconds([&] { copy_.run(); });
  }
  double copy_bytes() const override { return copy_.bytes_moved(); }

 private:
  CopyProbe copy_;
  int threads_;
};

}  // namespace

std::unique_ptr<Device> make_cpu(std::size_t copy_bytes, int threads) {
  return std::make_unique<Cpu>(copy_bytes, threads);
}

}  // namespace cairn::bench
