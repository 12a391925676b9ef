#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "golden/golden_support.h"

// Mean pooling and its gradients against what PyTorch computed; make_golden_mean.py says which cases have the
// same bits and which are near.
namespace golden {
namespace {

using api_test::Outcome;

class GoldenMean : public api_test::DeviceTest {
 protected:
  static const std::vector<Case>& cases() {
    static const std::vector<Case> all = cases_of(CAIRN_GOLDEN_MEAN, "CAIRN_GOLDEN_MEAN_FILE");
    return all;
  }
};

bool is_adaptive(const Case& it) { return it.op == Operator::kAdaptiveMeanStep; }
bool is_near(const Case& it) { return it.tensors.size() == 6; }
bool has_doubles(const Case& it) { return it.tensors[0].type == ACL_DOUBLE; }

// One direction on the device; `to` has the result's shape and type.
Bytes compute(const Case& it, bool backward, const GoldenTensor& to, aclrtStream stream) {
  const bool images = it.arrays[0].size() == 2;
  const aclFormat format = format_of(it, images);
  const OnDevice self(it.tensors[0], format, it.tensors[0].bytes);
  const OnDevice gradient(it.tensors[1], format, it.tensors[1].bytes);
  const OnDevice result = OnDevice::to_be_written(to, format);
  std::string name = is_adaptive(it) ? "aclnnAdaptiveAvgPool" : "aclnnAvgPool";
  name += images ? "2d" : "3d";
  name += backward ? "Backward" : "";
  std::list<api_test::IntArray> arrays;
  std::vector<conformance::Value> values;
  if (backward) values.push_back(value_of(gradient, arrays));
  values.push_back(value_of(self, arrays));
  if (!is_adaptive(it)) {
    for (std::size_t i = 0; i < 3; ++i) values.push_back(value_of(it.arrays[i], arrays));
    values.emplace_back(it.ceil_mode);
    values.emplace_back(it.arrays[3][0] != 0);
    values.emplace_back(it.arrays[3][1]);
    if (images) values.emplace_back(std::int8_t{1});
  } else if (!backward) {
    values.push_back(value_of(it.arrays[0], arrays));
  }
  values.push_back(value_of(result, arrays));
  const conformance::Subject& subject = conformance::subject_named(name);
  const Outcome outcome = api_test::run(
      [&](std::uint64_t* size, aclOpExecutor** executor) { return subject.phase1(values, size, executor); },
      subject.phase2, stream);
  EXPECT_TRUE(outcome.succeeded()) << it.name << ": " << outcome;
  return result.content(to.bytes.size());
}

TEST_F(GoldenMean, HasThePyTorchBits) {
  int checked = 0;
  for (const Case& it : cases()) {
    if (is_near(it) || it.differs) continue;
    for (const bool backward : {false, true}) {
      const GoldenTensor& wanted = it.tensors[backward ? 3 : 2];
      EXPECT_EQ(first_difference(wanted, compute(it, backward, wanted, stream)), "")
          << it.name << (backward ? ", backward" : "");
    }
    ++checked;
  }
  EXPECT_GE(checked, 100);
}

TEST_F(GoldenMean, DividesAZeroToANegativeOne) {
  int checked = 0;
  for (const Case& it : cases()) {
    if (!it.differs) continue;
    const GoldenTensor& theirs = it.tensors[2];
    const Bytes ours = compute(it, false, theirs, stream);
    for (std::size_t i = 0; i < ours.size(); i += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, &ours[i], sizeof(float));
      EXPECT_TRUE(value == 0 && std::signbit(value));
      std::memcpy(&value, &theirs.bytes[i], sizeof(float));
      EXPECT_TRUE(value == 0 && !std::signbit(value));
    }
    ++checked;
  }
  EXPECT_GE(checked, 1);
}

std::vector<double> doubles_of(const GoldenTensor& tensor, const Bytes& bytes) {
  if (tensor.type == ACL_DOUBLE) {
    std::vector<double> values(bytes.size() / sizeof(double));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return {values.begin(), values.end()};
}

// Units of 2^-23, or of 2^-52 in double, of the absolute terms: no more than were found over many more cases
// (4.9, of gradients 2.6), and a little.
double bound_of(const Case& it, bool backward) { return has_doubles(it) || backward ? 3 : 5.5; }

TEST_F(GoldenMean, IsAsNearToDoubleAsRoundedSumsAre) {
  int checked = 0;
  for (const Case& it : cases()) {
    if (!is_near(it)) continue;
    for (const bool backward : {false, true}) {
      if (has_doubles(it) && !backward) continue;  // the forward does not take them
      GoldenTensor to = it.tensors[backward ? 3 : 2];
      to.type = it.tensors[0].type;
      if (!has_doubles(it)) to.bytes.resize(to.bytes.size() / 2);
      const std::vector<double> found = doubles_of(to, compute(it, backward, to, stream));
      const GoldenTensor& exact_tensor = it.tensors[backward ? 3 : 2];
      const GoldenTensor& scale_tensor = it.tensors[backward ? 5 : 4];
      const std::vector<double> exact = doubles_of(exact_tensor, exact_tensor.bytes);
      const std::vector<double> scale = doubles_of(scale_tensor, scale_tensor.bytes);
      const double unit = has_doubles(it) ? 0x1p-52 : 0x1p-23;
      double most = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const double error = std::abs(found[i] - exact[i]);
        if (error > 0) most = std::max(most, error / std::abs(scale[i]) / unit);
      }
      EXPECT_LE(most, bound_of(it, backward)) << it.name << (backward ? ", backward" : "");
    }
    ++checked;
  }
  EXPECT_GE(checked, 60);
}

}  // namespace
}  // namespace golden
