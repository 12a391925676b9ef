#include "api/upsample_calls.h"

// What phase 1 of nearest upsampling says to the calls that the vendor's own unit tests make.
namespace api_test {
namespace {

constexpr aclnnStatus kInvalid = 161002;

TensorSpec ncl(const Dims& dims) { return {dims, ACL_FLOAT, ACL_FORMAT_NCL}; }
TensorSpec nchw(const Dims& dims) { return {dims, ACL_FLOAT, ACL_FORMAT_NCHW}; }
TensorSpec ndhwc(const Dims& dims) { return {dims, ACL_FLOAT, ACL_FORMAT_NDHWC}; }

class UpsampleStatus : public testing::TestWithParam<const char*> {
 protected:
  bool is_strict() const { return GetParam() != std::string("portable"); }

  const OnProduct chosen_{GetParam()};
};

TEST_P(UpsampleStatus, ScalesAgainstTheSizes) {
  const auto backward1d = [](const Dims& large, const Dims& small, double scale) {
    return backward_status_of(UPSAMPLE(Nearest1dBackward), ncl(large), {large[2]}, small, ncl(small), scale);
  };
  EXPECT_EQ(backward1d({1, 1, 10}, {1, 1, 5}, 1.0), 0);
  EXPECT_EQ(backward1d({0, 1, 2}, {0, 1, 3}, 2.0), 0);
  const auto backward2d = [](const Dims& dims, double h, double w) {
    return backward_status_of(UPSAMPLE(Nearest2dBackward), nchw(dims), {6, 10}, dims, nchw(dims), h, w);
  };
  EXPECT_EQ(backward2d({1, 1, 6, 10}, 2, 2), is_strict() ? kInvalid : 0);
  EXPECT_EQ(backward2d({1, 1, 6, 10}, 0, 1), 0);
  EXPECT_EQ(backward2d({1, 1, 6, 10}, 1, 0), 0);
  EXPECT_EQ(backward2d({0, 1, 6, 10}, 1, 1), 0);
  EXPECT_EQ(backward2d({1, 0, 6, 10}, 1, 1), 0);
  const TensorSpec small{{1, 1, 3, 4, 5}};
  const TensorSpec large{{1, 1, 4, 8, 12}};
  EXPECT_EQ(status_of(UPSAMPLE(NearestExact3d), small, {4, 8, 12}, large, 1.5, 2.0, 2.5), 0);
  EXPECT_EQ(status_of(UPSAMPLE(Nearest1dV2), ncl({1, 1, 2}), {4}, ncl({1, 1, 4}), -99.0F), 0);
  EXPECT_EQ(status_of(UPSAMPLE(Nearest2dV2), nchw({1, 1, 2, 2}), {4, 4}, nchw({1, 1, 4, 4}), -99.0F, -99.0F),
            0);
}

TEST_P(UpsampleStatus, EmptyTensors) {
  EXPECT_EQ(status_of(UPSAMPLE(Nearest2dV2), nchw({1, 0, 3, 3}), {6, 6}, nchw({1, 1, 6, 6}), 0.0F, 0.0F),
            kInvalid);
  const auto exact2d = [](const Dims& small, const Dims& size, const Dims& large) {
    return status_of(UPSAMPLE(NearestExact2d), nchw(small), size, nchw(large), 0.0, 0.0);
  };
  EXPECT_EQ(exact2d({1, 2, 3, 3}, {6, 0}, {1, 2, 0, 6}), kInvalid);
  EXPECT_EQ(exact2d({0, 4, 3, 3}, {6, 6}, {0, 4, 6, 6}), 0);
  for (const Dims& large : {Dims{0, 1, 5, 5}, Dims{1, 0, 5, 5}, Dims{1, 1, 0, 5}}) {
    EXPECT_EQ(backward_status_of(UPSAMPLE(NearestExact2dBackward), nchw(large), {5, 5}, {1, 1, 3, 3},
                                 nchw({1, 1, 3, 3}), 0.0, 0.0),
              kInvalid);
  }
  for (const Dims& large : {Dims{0, 1, 5}, Dims{1, 0, 5}, Dims{1, 1, 0}}) {
    EXPECT_EQ(
        backward_status_of(UPSAMPLE(NearestExact1dBackward), ncl(large), {5}, {1, 1, 3}, ncl({1, 1, 3}), 0.0),
        kInvalid);
  }
  EXPECT_EQ(status_of(UPSAMPLE(Nearest1dV2), ncl({1, 0, 2}), {4}, ncl({1, 0, 4}), 0.0F), kInvalid);
  EXPECT_EQ(
      status_of(UPSAMPLE(NearestExact3d), {{2, 0, 3, 4, 5}}, {4, 8, 12}, {{2, 0, 4, 8, 12}}, 0.0, 0.0, 0.0),
      kInvalid);
}

TEST_P(UpsampleStatus, InputSizeWithChannelsSecond) {
  EXPECT_EQ(backward_status_of(UPSAMPLE(NearestExact3dBackward), ndhwc({2, 2, 3, 4, 5}), {2, 3, 4},
                               {2, 5, 4, 6, 8}, ndhwc({2, 4, 6, 8, 5}), 0.0, 0.0, 0.0),
            0);
}

INSTANTIATE_TEST_SUITE_P(Products, UpsampleStatus,
                         testing::Values("portable", "atlas-a2", "atlas-a3", "ascend950"),
                         [](const auto& product) {
                           std::string name = product.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace api_test
