// The programs of the vendor's pages on linear, cubic and antialiased upsampling, as their descriptions have
// them: what each prints. Rows that the pages do not show were computed apart, from the definition.

#include "api/upsample_programs.h"

namespace upsample_programs {
namespace {

TEST(UpsampleLinearPrograms, Lines) {
  const List size({3});
  EXPECT_EQ(program<float>(
                {1, 1, 2}, {1, 1}, {1, 1, 3}, 0, ACL_FORMAT_ND,
                [&](aclTensor* self, aclTensor* out, uint64_t* bytes, aclOpExecutor** executor) {
                  return aclnnUpsampleLinear1dGetWorkspaceSize(self, size.handle, false, -1.0, out, bytes,
                                                               executor);
                },
                aclnnUpsampleLinear1d),
            lines("1 1 1"));
  EXPECT_EQ(backward(PHASES(Linear1dBackward), ACL_FORMAT_ND, {1, 1, 3}, {1, 2, 3}, {1, 1, 6}, 0, true, 1.1),
            lines("1 0 1 1 0 3"));
}

TEST(UpsampleLinearPrograms, Images) {
  EXPECT_EQ(
      forward<float>(PHASES(Bilinear2d), ACL_FORMAT_NCHW, {1, 1, 4, 2}, 0, {1, 1, 8, 4}, true, 2.0, 2.0),
      lines("0 0.333333 0.666667 1 0.857143 1.190476 1.52381 1.857143 1.714286 2.047619 2.380953 "
            "2.714286 2.571429 2.904762 3.238096 3.571429 3.428571 3.761905 4.095239 4.428572 "
            "4.285714 4.619048 4.952382 5.285714 5.142858 5.476191 5.809525 6.142857 6 6.333333 "
            "6.666667 7"));
  const std::vector<float> ones(36, 1.0F);
  const std::string sums = lines("3.24 4.32 3.24 4.32 5.76 4.32 3.24 4.32 3.24");
  EXPECT_EQ(backward(PHASES(Bilinear2dBackward), ACL_FORMAT_NCHW, {1, 1, 6, 6}, ones, {1, 1, 3, 3}, 0, true,
                     2.0, 2.0),
            sums);
  EXPECT_EQ(backward(PHASES(Bilinear2dBackwardV2), ACL_FORMAT_NCHW, {1, 1, 6, 6}, ones, {1, 1, 3, 3}, 0, true,
                     2.0, 2.0),
            sums);
}

TEST(UpsampleLinearPrograms, Volumes) {
  EXPECT_EQ(forward<float>(PHASES(Trilinear3d), ACL_FORMAT_NCDHW, {1, 1, 2, 2, 2}, 1, {1, 1, 4, 4, 4}, false,
                           0.0, 0.0, 0.0),
            lines("1 1.25 1.75 2 1.5 1.75 2.25 2.5 2.5 2.75 3.25 3.5 3 3.25 3.75 4 2 2.25 2.75 3 2.5 2.75 "
                  "3.25 3.5 3.5 3.75 4.25 4.5 4 4.25 4.75 5 4 4.25 4.75 5 4.5 4.75 5.25 5.5 5.5 5.75 6.25 "
                  "6.5 6 6.25 6.75 7 5 5.25 5.75 6 5.5 5.75 6.25 6.5 6.5 6.75 7.25 7.5 7 7.25 7.75 8"));
  EXPECT_EQ(backward(PHASES(Trilinear3dBackward), ACL_FORMAT_NCDHW, {2, 2, 2, 2, 2}, counted<float>(32, 1),
                     {2, 2, 1, 1, 1}, 2, false, 0.0, 0.0, 0.0),
            lines("36 100 164 228"));
}

TEST(UpsampleLinearPrograms, CubicImages) {
  EXPECT_EQ(forward<float>(PHASES(Bicubic2d), ACL_FORMAT_ND, {1, 1, 3, 3}, 1, {1, 1, 5, 5}, false, 0.0, 0.0),
            lines("0.616 1.028 1.712 2.396 2.808 1.852 2.264 2.948 3.632 4.044 3.904 4.316 5 5.684 6.096 "
                  "5.956 6.368 7.052 7.736 8.148 7.191999 7.603999 8.288 8.972 9.384"));
  EXPECT_EQ(backward(PHASES(Bicubic2dBackward), ACL_FORMAT_NCHW, {1, 1, 2, 2}, {1, 2, 3, 4.1F}, {1, 1, 3, 3},
                     0, true, 1.1, 1.1),
            lines("1 0 2 0 0 0 3 0 4.1"));
}

TEST(UpsampleLinearPrograms, AntialiasedImages) {
  EXPECT_EQ(
      forward<float>(PHASES(Bilinear2dAA), ACL_FORMAT_NCHW, {1, 1, 4, 2}, 0, {1, 1, 8, 4}, true, 2.0, 2.0),
      lines("0 0 0.333333 0.666667 0.285714 0.285714 0.619048 0.952381 1.142857 1.142857 1.476191 "
            "1.809524 2 2 2.333333 2.666667 2.857143 2.857143 3.190476 3.52381 3.714286 3.714286 "
            "4.047619 4.380953 4.571429 4.571429 4.904762 5.238096 5.428571 5.428571 5.761905 "
            "6.095239"));
  EXPECT_EQ(backward(PHASES(Bilinear2dAABackward), ACL_FORMAT_NCHW, {1, 1, 4, 2}, counted<float>(8, 0),
                     {1, 1, 8, 4}, 0, true, 0.5, 0.5),
            lines("0 0 0.119048 0.238095 0.029412 0.044118 0.231092 0.418067 0.117647 0.176471 0.42437 "
                  "0.672269 0.205882 0.308824 0.617647 0.926471 0.305147 0.457721 0.852941 1.248162 "
                  "0.404412 0.606618 1.088235 1.569853 0.741071 1.111607 1.928572 2.745536 1.196429 "
                  "1.794643 3.071429 4.348215"));
  EXPECT_EQ(
      forward<float>(PHASES(Bicubic2dAA), ACL_FORMAT_ND, {1, 1, 3, 3}, 1, {1, 1, 5, 5}, false, 0.0, 0.0),
      lines("0.698113 1.079555 1.773585 2.467615 2.849056 1.842439 2.223881 2.91791 3.61194 3.993382 "
            "3.924528 4.30597 5 5.69403 6.075471 6.006617 6.38806 7.082089 7.776119 8.157561 7.150942 "
            "7.532384 8.226415 8.920444 9.301886"));
  EXPECT_EQ(backward(PHASES(Bicubic2dAAGrad), ACL_FORMAT_NCHW, {1, 1, 4, 2}, counted<float>(8, 0),
                     {1, 1, 8, 4}, 0, true, 2.0, 2.0),
            lines("-0.03738 -0.021394 0.076689 0.210637 -0.019148 0.0267 0.200382 0.428001 0.054657 "
                  "0.153699 0.411533 0.732542 0.137444 0.293525 0.637135 1.051797 0.170893 0.347117 0.71587 "
                  "1.156116 0.237614 0.463294 0.912605 1.44305 0.538375 1.014848 1.918604 2.973265 1.005456 "
                  "1.876058 3.500808 5.389207"));
}

}  // namespace
}  // namespace upsample_programs
