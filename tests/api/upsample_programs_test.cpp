// The programs of the vendor's pages on nearest upsampling, as their descriptions have them: what each
// prints.

#include "api/upsample_programs.h"

namespace upsample_programs {
namespace {

const char* const kEveryCellTwice = "0 0 1 1 0 0 1 1 2 2 3 3 2 2 3 3 4 4 5 5 4 4 5 5 6 6 7 7 6 6 7 7";

TEST(UpsamplePrograms, Lines) {
  EXPECT_EQ(forward<float>(PHASES(Nearest1d), ACL_FORMAT_NCL, {1, 3, 3}, 0, {1, 3, 5}),
            lines("0 0 1 1 2 3 3 4 4 5 6 6 7 7 8"));
  EXPECT_EQ(forward<float>(PHASES(Nearest1dV2), ACL_FORMAT_NCL, {1, 3, 3}, 0, {1, 3, 6}, 0.0F),
            lines("0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7 8 8"));
  EXPECT_EQ(forward<float>(PHASES(NearestExact1d), ACL_FORMAT_NCL, {1, 3, 3}, 0, {1, 3, 5}, 0.0),
            lines("0 0 1 2 2 3 3 4 5 5 6 6 7 8 8"));
  EXPECT_EQ(forward<uint8_t>(PHASES(NearestExact1d), ACL_FORMAT_NCL, {1, 3, 3}, 0, {1, 3, 5}, 0.0),
            lines("0 0 1 2 2 3 3 4 5 5 6 6 7 8 8", true));
}

TEST(UpsamplePrograms, Images) {
  const Dims in{1, 1, 4, 2};
  const Dims out{1, 1, 8, 4};
  EXPECT_EQ(forward<float>(PHASES(Nearest2d), ACL_FORMAT_NCHW, in, 0, out), lines(kEveryCellTwice));
  EXPECT_EQ(forward<float>(PHASES(Nearest2dV2), ACL_FORMAT_NCHW, in, 0, out, 0.0F, 0.0F),
            lines(kEveryCellTwice));
  EXPECT_EQ(forward<float>(PHASES(NearestExact2d), ACL_FORMAT_NCHW, in, 0, out, 0.0, 0.0),
            lines(kEveryCellTwice));
  EXPECT_EQ(forward<uint8_t>(PHASES(NearestExact2d), ACL_FORMAT_NCHW, in, 0, out, 0.0, 0.0),
            lines(kEveryCellTwice, true));
}

TEST(UpsamplePrograms, Volumes) {
  EXPECT_EQ(forward<float>(PHASES(NearestExact3d), ACL_FORMAT_NCDHW, {2, 2, 2, 2, 3}, 1, {2, 2, 1, 1, 1}, 0.0,
                           0.0, 0.0),
            lines("11 23 35 47"));
}

TEST(UpsamplePrograms, Gradients) {
  EXPECT_EQ(backward(PHASES(Nearest1dBackward), ACL_FORMAT_NCL, {1, 1, 2}, {1, 4.1F}, {1, 1, 3}, 0, 1.1),
            "result[0] is: 1.000000\nresult[1] is: 4.100000\nresult[2] is: 0.000000\n");
  EXPECT_EQ(backward(PHASES(Nearest2dBackward), ACL_FORMAT_NCHW, {2, 2, 3, 3}, counted<float>(36, 1),
                     {2, 2, 1, 1}, 2, 0.0, 0.0),
            lines("45 126 207 288"));
  EXPECT_EQ(backward(PHASES(NearestExact1dBackward), ACL_FORMAT_NCL, {1, 1, 2}, {1, 2}, {1, 1, 4}, 0, 0.5),
            lines("0 1 0 2"));
  EXPECT_EQ(backward(PHASES(NearestExact2dBackward), ACL_FORMAT_NCHW, {1, 1, 4, 2}, counted<float>(8, 0),
                     {1, 1, 8, 4}, 0, 0.5, 0.5),
            lines("0 0 0 0 0 0 0 1 0 0 0 0 0 2 0 3 0 0 0 0 0 4 0 5 0 0 0 0 0 6 0 7"));
  EXPECT_EQ(backward(PHASES(NearestExact3dBackward), ACL_FORMAT_NCDHW, {2, 2, 2, 2, 2}, counted<float>(32, 1),
                     {2, 2, 1, 1, 1}, 0, 0.0, 0.0, 0.0),
            lines("36 100 164 228"));
}

}  // namespace
}  // namespace upsample_programs
