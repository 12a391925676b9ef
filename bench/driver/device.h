#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contender.h"
#include "workload.h"

namespace cairn::bench {

// Where ours runs: how time is told there, and what its memory can do.
class Device {
 public:
  virtual ~Device() = default;
  virtual const char* name() const = 0;  // as CAIRN_DEVICE has it
  virtual std::string machine() const = 0;
  virtual bool has_peers() const = 0;  // libraries that compute on the same device

  // The planes that are made up and checked: the rest of the row's are copies of them.
  virtual Case sample(const Case& row) const = 0;
  // How many sets of tensors to take in turn, so that no cache holds what the next call reads.
  virtual int sets(std::int64_t bytes) const = 0;
  virtual std::int64_t line() const = 0;  // bytes that memory moves at least

  // Milliseconds of one call, and of the copy that everything is measured by.
  virtual double time(const std::vector<std::unique_ptr<OurContender>>& sets) = 0;
  virtual double time_copy() = 0;
  virtual double copy_bytes() const = 0;  // read and written
};

std::unique_ptr<Device> make_cpu(std::size_t copy_bytes, int threads);
std::unique_ptr<Device> make_cuda(std::size_t copy_bytes);

}  // namespace cairn::bench
