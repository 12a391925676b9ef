#include <gtest/gtest.h>

#include "golden/golden_support.h"

// Nearest upsampling in fewer axes and by centres, and the gradients, against what PyTorch computed;
// make_golden_upsample.py says where the bits must be the same, and where they are not.
namespace golden {
namespace {

using api_test::Outcome;

class GoldenUpsample : public api_test::DeviceTest {
 protected:
  static const std::vector<Case>& cases() {
    static const std::vector<Case> all = cases_of(CAIRN_GOLDEN_UPSAMPLE, "CAIRN_GOLDEN_UPSAMPLE_FILE");
    return all;
  }
};

bool is_backward(const Case& it) { return it.op == Operator::kUpsampleBackward; }

const conformance::Subject& subject_of(const Case& it) {
  std::string name = "aclnnUpsampleNearest";
  if (it.arrays[0][1] != 0) name += "Exact";
  name += std::to_string(it.arrays[0][0]) + "d";
  return conformance::subject_named(is_backward(it) ? name + "Backward" : name);
}

// The call, whose tensors are given as `value` makes them of the case's.
template <typename Argument, typename Array, typename Value, typename List>
std::vector<Argument> arguments_of(const Case& it, const Value& value, const List& list) {
  std::vector<Argument> arguments{value(0), list(Array(it.arrays[1]))};
  if (is_backward(it)) arguments.push_back(list(Array(it.tensors[1].dims)));
  const bool scaled = is_backward(it) || it.arrays[0][1] != 0;
  for (std::int64_t axis = 0; scaled && axis < it.arrays[0][0]; ++axis) arguments.emplace_back(0.0);
  arguments.push_back(value(1));
  return arguments;
}

Outcome compute(const Case& it, aclrtStream stream, Bytes& result) {
  const OnDevice source(it.tensors[0], ACL_FORMAT_ND, it.tensors[0].bytes);
  const OnDevice target = OnDevice::to_be_written(it.tensors[1], ACL_FORMAT_ND);
  std::list<api_test::IntArray> arrays;
  const auto values = arguments_of<conformance::Value, std::vector<std::int64_t>>(
      it,
      [&](std::size_t which) -> conformance::Value {
        return static_cast<aclTensor*>(which == 0 ? source.tensor : target.tensor);
      },
      [&](const std::vector<std::int64_t>& list) -> conformance::Value {
        return static_cast<aclIntArray*>(arrays.emplace_back(list));
      });
  const conformance::Subject& subject = subject_of(it);
  const Outcome outcome = api_test::run(
      [&](std::uint64_t* size, aclOpExecutor** executor) { return subject.phase1(values, size, executor); },
      subject.phase2, stream);
  result = target.content(it.tensors[1].bytes.size());
  return outcome;
}

Bytes oracle_of(const Case& it) {
  conformance::Case call{&subject_of(it)};
  call.arguments = arguments_of<conformance::Argument, std::vector<std::int64_t>>(
      it,
      [&](std::size_t which) -> conformance::Argument {
        const GoldenTensor& tensor = it.tensors[which];
        return conformance::TensorArgument{conformance::Role::kInput,
                                           {tensor.dims, static_cast<aclDataType>(tensor.type)}};
      },
      [](const std::vector<std::int64_t>& list) -> conformance::Argument {
        return conformance::ArrayArgument(list);
      });
  Bytes source = it.tensors[0].bytes;
  Bytes result(it.tensors[1].bytes.size());
  std::vector<reference::View> views(call.arguments.size());
  views[0] = view_of(call, 0, source.data());
  views.back() = view_of(call, views.size() - 1, result.data());
  call.subject->cases->oracle(call, views);
  return result;
}

TEST_F(GoldenUpsample, HasThePyTorchBitsWhereTheDefinitionsAgree) {
  int agreeing = 0;
  int differing = 0;
  for (const Case& it : cases()) {
    Bytes found;
    const Outcome outcome = compute(it, stream, found);
    ASSERT_TRUE(outcome.succeeded()) << it.name << ": " << outcome;
    if (it.differs) {
      ++differing;
      EXPECT_NE(first_difference(it.tensors[1], found), "") << it.name;
      EXPECT_EQ(found, oracle_of(it)) << it.name;
    } else {
      ++agreeing;
      EXPECT_EQ(first_difference(it.tensors[1], found), "") << it.name;
    }
  }
  EXPECT_GE(agreeing, 70);
  EXPECT_GE(differing, 5);
}

}  // namespace
}  // namespace golden
