#include "golden/golden_file.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace golden {
namespace {

class Reader {
 public:
  explicit Reader(std::vector<unsigned char> bytes) : bytes_(std::move(bytes)) {}

  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }
  std::vector<std::int64_t> integers(std::size_t count) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(number<std::int64_t>());
    return values;
  }
  std::vector<unsigned char> raw(std::size_t count) {
    const unsigned char* begin = take(count);
    return {begin, begin + count};
  }
  bool at_end() const { return position_ == bytes_.size(); }

 private:
  const unsigned char* take(std::size_t count) {
    if (count > bytes_.size() - position_) throw std::runtime_error("the golden file is cut short");
    position_ += count;
    return bytes_.data() + position_ - count;
  }

  std::vector<unsigned char> bytes_;
  std::size_t position_ = 0;
};

std::size_t size_of_acl_type(std::uint32_t type) {
  switch (type) {
    case 2:
    case 4:
    case 12:
      return 1;
    case 1:
    case 6:
    case 27:
      return 2;
    case 0:
    case 3:
      return 4;
    case 9:
    case 11:
      return 8;
    default:
      throw std::runtime_error("the golden file has a tensor of unknown type " + std::to_string(type));
  }
}

GoldenTensor read_tensor(Reader& reader) {
  GoldenTensor tensor;
  tensor.type = reader.number<std::uint32_t>();
  tensor.dims = reader.integers(reader.number<std::uint32_t>());
  std::size_t bytes = size_of_acl_type(tensor.type);
  for (const std::int64_t dim : tensor.dims) bytes *= static_cast<std::size_t>(dim);
  tensor.bytes = reader.raw(bytes);
  return tensor;
}

Case read_case(Reader& reader) {
  Case it;
  const std::vector<unsigned char> name = reader.raw(reader.number<std::uint32_t>());
  it.name.assign(name.begin(), name.end());
  it.op = static_cast<Operator>(reader.number<std::uint32_t>());
  const auto flags = reader.number<std::uint32_t>();
  it.ceil_mode = (flags & 1) != 0;
  it.channels_last = (flags & 2) != 0;
  it.differs = (flags & 4) != 0;
  for (auto left = reader.number<std::uint32_t>(); left > 0; --left)
    it.arrays.push_back(reader.integers(reader.number<std::uint32_t>()));
  for (double& scale : it.scales) scale = reader.number<double>();
  for (auto left = reader.number<std::uint32_t>(); left > 0; --left)
    it.tensors.push_back(read_tensor(reader));
  return it;
}

}  // namespace

std::vector<Case> read_cases(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("there is no golden file " + path + "; tests/golden/make_golden.py writes it");
  Reader reader({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
  const std::vector<unsigned char> magic = reader.raw(8);
  if (std::memcmp(magic.data(), "CAIRNGLD", 8) != 0 || reader.number<std::uint32_t>() != 1)
    throw std::runtime_error(path + " is not a golden file of version 1");
  std::vector<Case> cases;
  for (auto left = reader.number<std::uint32_t>(); left > 0; --left) cases.push_back(read_case(reader));
  if (!reader.at_end()) throw std::runtime_error(path + " goes on after its last case");
  return cases;
}

}  // namespace golden
