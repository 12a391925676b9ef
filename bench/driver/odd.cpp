#include <initializer_list>

#include "workload.h"

namespace cairn::bench {
namespace {

// A workload of this suite and the rows it is measured in.
struct Odd {
  Workload work;
  std::vector<aclDataType> types{ACL_FLOAT};
  aclDataType index_type = ACL_INT32;
  Layout layout = Layout::kChannelsFirst;
  bool forward = true;
  bool backward = true;

  Odd window(Shape3 kernel, Shape3 stride, Shape3 padding = {0, 0, 0}) const {
    Odd other = *this;
    other.work.kernel = kernel;
    other.work.stride = stride;
    other.work.padding = padding;
    return other;
  }
  Odd dilated(Shape3 dilation) const {
    return with([&](Odd& it) { it.work.dilation = dilation; });
  }
  Odd ceil() const {
    return with([](Odd& it) { it.work.ceil_mode = true; });
  }
  Odd transposed(Transposed which) const {
    return with([&](Odd& it) { it.work.transposed = which; });
  }
  Odd channels_last() const {
    return with([](Odd& it) { it.layout = Layout::kChannelsLast; });
  }
  Odd indices(Indices kind) const {
    return with([&](Odd& it) { it.work.indices = kind; });
  }
  Odd of(std::vector<aclDataType> all) const {
    return with([&](Odd& it) { it.types = all; });
  }
  Odd only_forward() const {
    return with([](Odd& it) { it.backward = false; });
  }
  Odd only_backward() const {
    return with([](Odd& it) { it.forward = false; });
  }

 private:
  template <typename Change>
  Odd with(Change change) const {
    Odd other = *this;
    change(other);
    return other;
  }
};

constexpr Shape3 cube(std::int64_t size) { return {size, size, size}; }
constexpr Shape3 square(std::int64_t size) { return {1, size, size}; }

Odd pool3(std::string_view id, std::int64_t n, std::int64_t c, Shape3 in) {
  return {{id, Operator::kPool3d, Class::kStreaming, n, c, in, {}, cube(1), cube(1), cube(0), false}};
}
Odd pool2(std::string_view id, std::int64_t n, std::int64_t c, Shape3 in) {
  return {{id, Operator::kPool2d, Class::kStreaming, n, c, in, {}, cube(1), cube(1), cube(0), false}};
}
Odd pool_values(std::string_view id, std::int64_t n, std::int64_t c, Shape3 in) {
  Odd it{{id, Operator::kPoolValues, Class::kStreaming, n, c, in, {}, cube(1), cube(1), cube(0), false}};
  it.index_type = ACL_DT_UNDEFINED;
  return it.only_forward();
}
Odd unpool(std::string_view id, Operator op, std::int64_t n, std::int64_t c, Shape3 in, Shape3 window) {
  const Shape3 out{in.d * window.d, in.h * window.h, in.w * window.w};
  return {{id, op, Class::kUnpool, n, c, in, out, window, window, cube(0), false}, {ACL_FLOAT}, ACL_INT64};
}
Odd unpool3(std::string_view id, std::int64_t n, std::int64_t c, Shape3 in, Shape3 window = cube(2)) {
  return unpool(id, Operator::kUnpool3d, n, c, in, window);
}
Odd unpool2(std::string_view id, std::int64_t n, std::int64_t c, Shape3 in) {
  return unpool(id, Operator::kUnpool2d, n, c, in, square(2));
}
Odd upsample(std::string_view id, std::int64_t n, std::int64_t c, Shape3 in, Shape3 out) {
  return {{id, Operator::kUpsample3d, Class::kStreaming, n, c, in, out, cube(1), cube(1), cube(0), false},
          {ACL_FLOAT},
          ACL_DT_UNDEFINED};
}

Odd upsample_linear(std::string_view id, std::int64_t n, std::int64_t c, Shape3 in, Shape3 out) {
  Odd it = upsample(id, n, c, in, out);
  it.work.op = Operator::kTrilinear3d;
  return it;
}

constexpr std::int64_t kMillion = 1 << 20;

std::vector<Odd> tiny_planes() {
  return {
      pool3("p3-1x1x1", 1, 4 * kMillion, cube(1)),
      pool3("p3-2x2x2", 1, kMillion, cube(2)).window(cube(2), cube(2)),
      pool2("p2-2x2", 1, kMillion, square(2)).window(square(2), square(2)),
      pool3("p3-few", 1, 4, cube(4)).window(cube(2), cube(2)),
      pool3("p3-4x4x4", 1, 60000, cube(4)).window(cube(2), cube(2)),
      pool2("p2-w3", 1, 262144, square(3)).window(square(2), square(1)),
      pool2("p2-w5", 1, 131072, square(5)).window(square(3), square(2), {0, 1, 1}),
      pool3("p3-global7", 1, 20000, cube(7)).window(cube(7), cube(7)),
      pool2("p2-global7", 1, 65536, square(7)).window(square(7), square(7)),
      pool2("p2-global7-nhwc", 64, 1024, square(7)).window(square(7), square(7)).channels_last(),
      unpool3("u3-4x4x4", 1, 60000, cube(2)),
      unpool2("u2-2x2", 1, kMillion, square(1)),
      upsample("n3-4x4x4", 1, 60000, cube(2), cube(4)),
      upsample("n3-5x5x5", 1, 30000, cube(3), cube(5)),
  };
}

std::vector<Odd> long_axes() {
  return {
      pool3("p3-long-d", 1, 1, {4 * kMillion, 1, 1}).window({2, 1, 1}, {2, 1, 1}),
      pool3("p3-one-row", 1, 1, {1, 1, 4 * kMillion}).window({1, 1, 2}, {1, 1, 2}),
      pool3("p3-dilated-d", 1, 8, {200000, 1, 1}).window({2, 1, 1}, cube(1)).dilated({100000, 1, 1}),
      pool3("p3-far-taps", 1, 128, {1, 1, 100000})
          .window({1, 1, 2}, cube(1))
          .dilated({1, 1, 99800})
          .only_forward(),
      pool3("p3-w1", 1, 64, {32, 2048, 1}).window({2, 2, 1}, {2, 2, 1}),
      pool3("p3-row-k30001", 1, 1, {1, 1, 100000}).window({1, 1, 30001}, cube(1)).only_forward(),
      pool3("p3-row-k32767", 1, 1, {1, 1, 100000}).window({1, 1, 32767}, cube(1)).only_forward(),
  };
}

std::vector<Odd> windows() {
  return {
      pool2("p2-w63", 1, 1024, square(63)).window(square(3), square(2), {0, 1, 1}),
      pool2("p2-w113-ceil", 1, 256, square(113)).window(square(2), square(2)).ceil(),
      pool2("p2-k5s5", 1, 64, square(224)).window(square(5), square(5)).only_backward(),
      pool2("p2-k3s3", 1, 64, square(224)).window(square(3), square(3)).only_backward(),
      pool2("p2-k13s1", 1, 128, square(40)).window(square(13), square(1), {0, 6, 6}),
      pool2("p2-k15s1", 1, 128, square(40)).window(square(15), square(1), {0, 7, 7}).only_backward(),
      pool3("p3-k64s64", 1, 16, cube(64)).window(cube(64), cube(64)),
      pool3("p3-k2s3", 1, 32, {32, 64, 64}).window(cube(2), cube(3)),
      pool3("p3-k2s5", 1, 32, {32, 64, 64}).window(cube(2), cube(5)).only_backward(),
      pool3("p3-k3s123", 1, 16, {32, 64, 64}).window(cube(3), {1, 2, 3}).only_backward(),
      pool3("p3-k3s2d2", 1, 32, {32, 64, 64}).window(cube(3), cube(2), cube(1)).dilated(cube(2)),
      pool3("p3-k2d16", 1, 16, {32, 64, 64}).window(cube(2), cube(1)).dilated(cube(16)).only_backward(),
      pool3("p3-k7s1", 1, 8, {16, 32, 32}).window(cube(7), cube(1), cube(3)),
  };
}

std::vector<Odd> layouts_and_indices() {
  const Odd layer = pool3("", 1, 32, {32, 64, 64}).window(cube(2), cube(2));
  const auto named = [&](std::string_view id) {
    Odd other = layer;
    other.work.id = id;
    return other;
  };
  return {
      pool_values("m2-transposed", 1, 64, square(224))
          .window(square(2), square(2))
          .transposed(Transposed::kSource),
      pool_values("m2-few", 1, 8, square(6)).window(square(2), square(2)).transposed(Transposed::kSource),
      pool_values("m2-global7", 1, 65536, square(7)).window(square(7), square(7)),
      pool2("p2-transposed", 1, 64, square(224)).window(square(2), square(2)).transposed(Transposed::kSource),
      pool3("p3-transposed", 1, 32, {32, 64, 64})
          .window(cube(3), cube(2), cube(1))
          .transposed(Transposed::kSource)
          .only_backward(),
      pool2("p2-nhwc-c3", 8, 3, square(256)).window(square(2), square(2)).channels_last(),
      pool2("p2-nhwc-c1000", 4, 1000, square(28)).window(square(3), square(2), {0, 1, 1}).channels_last(),
      pool2("p2-nhwc-k5s1", 8, 64, square(28)).window(square(5), square(1), {0, 2, 2}).channels_last(),
      named("p3-stray").indices(Indices::kOneStray).only_backward(),
      named("p3-none").indices(Indices::kNone).only_backward(),
      pool2("p2-stray", 1, 64, square(224))
          .window(square(3), square(2))
          .indices(Indices::kOneStray)
          .only_backward(),
      unpool3("u3-random", 1, 1, {64, 128, 128}).indices(Indices::kAnywhere),
      unpool3("u3-by32", 1, 16, cube(2), cube(32)),
      unpool2("u2-nhwc-c3", 8, 3, square(112)).channels_last(),
      unpool2("u2-layer", 8, 64, square(28)),
      unpool2("u2-transposed", 8, 64, square(28)).transposed(Transposed::kSource),
      unpool2("u2-transposed-out", 1, 64, square(112)).transposed(Transposed::kResult),
      unpool3("u3-types", 1, 16, cube(32))
          .of({ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64})
          .only_backward(),
  };
}

Odd mean(std::string_view id, std::int64_t n, std::int64_t c, Shape3 in, Shape3 out) {
  return {{id, Operator::kAdaptiveMean2d, Class::kStreaming, n, c, in, out, cube(1), cube(1), cube(0), false},
          {ACL_FLOAT},
          ACL_DT_UNDEFINED};
}
Odd windowed_mean(std::string_view id, Operator op, std::int64_t n, std::int64_t c, Shape3 in) {
  Odd it = mean(id, n, c, in, {});
  it.work.op = op;
  return it;
}

std::vector<Odd> means() {
  return {
      mean("g2-16384", 1, 1, square(16384), square(1)),
      mean("g2-2million", 1, 2000000, square(7), square(1)),
      mean("g2-few", 1, 8, square(3), square(2)),
      mean("g2-grow", 1, 4096, square(4), {1, 24, 159}),
      mean("g2-transposed", 1, 256, square(56), square(7)).transposed(Transposed::kSource),
      mean("g2-nhwc-56to7", 8, 256, square(56), square(7)).channels_last(),
      mean("g2-nhwc-50to7", 8, 256, square(50), square(7)).channels_last(),
      mean("g2-long-row", 1, 16, {1, 1, 100000}, {1, 1, 30001}),
      mean("g2-nhwc-global56", 8, 256, square(56), square(1)).channels_last(),
      mean("g2-nhwc-global112", 8, 32, square(112), square(1)).channels_last(),
      mean("g2-global14", 16, 1024, square(14), square(1)),
      windowed_mean("a2-k11s1", Operator::kMean2d, 1, 128, square(40))
          .window(square(11), square(1), {0, 5, 5}),
      windowed_mean("a2-k3s3", Operator::kMean2d, 1, 64, square(224)).window(square(3), square(3)),
      windowed_mean("a2-k2s3", Operator::kMean2d, 1, 64, square(224)).window(square(2), square(3)),
      windowed_mean("a3-i3d", Operator::kMean3d, 1, 64, {8, 28, 28}).window(cube(3), cube(1), cube(1)),
  };
}

std::vector<Odd> upsampling() {
  return {
      upsample("n3-down7", 1, 8, {56, 112, 112}, {8, 16, 16}),
      upsample("n3-down2", 1, 8, {64, 128, 128}, {32, 64, 64}),
      upsample("n3-double", 1, 8, {32, 64, 64}, {64, 128, 128}).of({ACL_DOUBLE}),
      upsample_linear("t3-by9", 1, 2, {4, 16, 16}, {36, 144, 144}),
      upsample_linear("t3-uneven", 1, 8, {24, 30, 33}, {50, 62, 67}),
      upsample_linear("t3-line-by3", 2, 64, {1, 1, 8192}, {1, 1, 24576}),
      upsample_linear("t3-double", 1, 2, {8, 16, 16}, {16, 32, 32}).of({ACL_DOUBLE}),
      upsample("n3-ndhwc-c32", 2, 32, {16, 32, 32}, {32, 64, 64}).channels_last(),
      upsample("n3-same-w", 2, 64, {16, 32, 64}, {32, 64, 64}).of({ACL_FLOAT, ACL_FLOAT16}),
      upsample("n3-w63", 1, 16, {32, 32, 21}, {64, 64, 63}),
      // Lines that begin in the middle of a cache line, past the cache.
      upsample("n3-w126", 1, 32, {16, 32, 63}, {32, 64, 126}),
      upsample("n3-w125", 1, 32, {16, 32, 50}, {32, 64, 125}),
      upsample("n3-by5", 1, 16, {8, 16, 16}, {40, 80, 80}),
      upsample("n3-ndhwc-c3", 8, 3, {16, 32, 32}, {32, 64, 64}).channels_last(),
      upsample("n3-ndhwc-c512", 1, 512, {4, 16, 16}, {8, 32, 32}).channels_last(),
      upsample("n3-ndhwc-c4096", 1, 4096, {2, 8, 8}, {4, 16, 16}).channels_last(),
      upsample("n3-transposed", 1, 16, {32, 32, 32}, {64, 64, 64}).transposed(Transposed::kSource),
  };
}

}  // namespace

std::vector<Case> odd_cases() {
  std::vector<Case> rows;
  for (const Direction direction : {Direction::kBackward, Direction::kForward}) {
    for (const auto group : {tiny_planes, long_axes, windows, layouts_and_indices, means, upsampling}) {
      for (const Odd& odd : group()) {
        if (!(direction == Direction::kForward ? odd.forward : odd.backward)) continue;
        for (const aclDataType type : odd.types)
          rows.push_back({odd.work, type, odd.index_type, odd.layout, direction});
      }
    }
  }
  return rows;
}

}  // namespace cairn::bench
