// What aclnnResize refuses in phase 1, and in which order.

#include <limits>

#include "contract/order_test.h"
#include "contract/upsample_linear_cases.h"
#include "contract/upsample_rules.h"

namespace contract_test {
namespace {

TEST(ResizeArguments, AreNeitherNullNorStale) {
  on_each_product<Resize>([](Resize& valid) {
    Resize call = valid;
    call.mode.text = nullptr;
    expect_refused(run(call), call.product, "arguments_not_null", {"mode is null"});
    call = valid;
    call.factors.handle = Handle::kNull;
    expect_refused(run(call), call.product, "arguments_not_null", {"scales is null"});
    for (const Handle handle : {Handle::kDestroyed, Handle::kOtherKind, Handle::kMadeUp}) {
      call.factors.handle = handle;
      expect_refused(run(call), call.product, "handles_live",
                     {"scales (0x", "expected a live aclFloatArray"});
    }
  });
}

RULE_TEST(Resize, mode_known) {
  on_each_product<Resize>([](Resize& call) {
    for (const char* mode : {"nearest", "bilinear"}) {
      call.mode.text = mode;
      accepts(call);
    }
    for (const char* mode : {"", "nearest-exact", "near", "Bilinear", "bilinear ", "bicubic"}) {
      call.mode.text = mode;
      refuses(call, "mode is \"" + std::string(mode) + "\"", "expected \"nearest\" or \"bilinear\"");
    }
  });
}

RULE_TEST(Resize, data_type_supported) {
  on_each_product<Resize>([](Resize& call) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_UINT8, ACL_INT32}) {
      for (TensorSpec* tensor : call.tensors()) tensor->type = type;
      const bool wide = call.product == "portable" && type == ACL_DOUBLE;
      const bool brain = (call.product == "portable" || call.product == "ascend950") && type == ACL_BF16;
      if (type == ACL_FLOAT || type == ACL_FLOAT16 || wide || brain) {
        accepts(call);
      } else {
        refuses(call, "self has data type", "FLOAT16");
      }
    }
  });
}

RULE_TEST(Resize, formats_allowed) {
  only_formats<Resize>({ACL_FORMAT_NCHW}, {ACL_FORMAT_NCHW, ACL_FORMAT_NHWC});
}

RULE_TEST(Resize, scales_length) {
  on_each_product<Resize>([](Resize& call) {
    for (const std::vector<float>& values : {std::vector<float>{}, {2, 2}, {1, 1, 2, 2, 1}}) {
      call.factors.values = values;
      refuses(call, "scales has length " + std::to_string(values.size()), "expected 4");
    }
  });
}

Resize along_w(std::int64_t in, std::int64_t out, float factor, const std::string& product) {
  Resize call;
  call.product = product;
  call.self.dims = {1, 1, 1, in};
  call.out.dims = {1, 1, 1, out};
  call.factors.values = {1, 1, 1, factor};
  return call;
}

RULE_TEST(Resize, out_shape) {
  on_each_product<Resize>([](Resize& valid) {
    accepts(valid);
    for (std::size_t i = 0; i < 4; ++i) {
      Resize call = valid;
      call.out.dims[i] += 1;
      refuses(call, "out has shape [", "expected that of self [2,3,3,4]", "scales[2] and scales[3], 2 and 2");
    }
    accepts(along_w(2, 4, 2.4F, valid.product));
    accepts(along_w(3, 5, 1.666666F, valid.product));
    accepts(along_w(100000, 200000, 1.999995F, valid.product));
    refuses(along_w(3, 5, 1.6F, valid.product), "1 and 1.6");
    refuses(along_w(2, 4, 2.6F, valid.product), "out has shape [1,1,1,4]");
    for (const float odd :
         {0.0F, -2.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
      refuses(along_w(2, 4, odd, valid.product), "out has shape");
  });
}

RULE_TEST(Resize, scales_keep_planes) {
  on_each_product<Resize>([](Resize& valid) {
    for (const std::size_t axis : {0U, 1U}) {
      Resize call = valid;
      call.factors.values[axis] = 2;
      if (call.product == "portable") {
        accepts(call);
      } else {
        refuses(call, "scales[" + std::to_string(axis) + "] is 2, expected 1 for N and C on A");
      }
    }
    if (valid.product != "ascend950") return;
    set_channels_last(valid);
    accepts(valid);
    valid.factors.values[3] = 2;
    refuses(valid, "scales[3] is 2");
  });
}

TEST(Order, Resize) {
  Breakers<Resize> breakers{
      {"mode_known", [](Resize& call) { call.mode.text = "linear"; }},
      {"data_type_supported", [](Resize& call) { call.self.type = ACL_INT8; }},
      {"formats_agree", [](Resize& call) { call.out.format = ACL_FORMAT_NHWC; }},
      {"formats_allowed", [](Resize& call) { call.self.format = call.out.format = ACL_FORMAT_HWCN; }},
      {"ranks_allowed", [](Resize& call) { call.self.dims = {4}; }},
      {"output_not_overlapping", overlap<Resize>},
      {"scales_length", [](Resize& call) { call.factors.values = {1}; }},
      {"only_batch_empty",
       [](Resize& call) {
         call.self.dims = {2, 0, 3, 4};
       }},
      {"out_shape", [](Resize& call) { call.out.dims = Dims(4, 1); }},
      {"scales_keep_planes", [](Resize& call) {
         if (call.factors.values.size() == 4) call.factors.values[0] = 7;
       }}};
  expect_in_order<Resize>(
      with_common(std::move(breakers)),
      kOpening +
          "mode_known data_type_supported data_types_equal formats_public formats_agree formats_allowed " +
          "ranks_allowed " + kGeometry +
          "output_not_overlapping scales_length only_batch_empty out_shape scales_keep_planes");
}

}  // namespace

SHARED_RULE(Resize, data_types_equal)
SHARED_RULE(Resize, formats_agree)
SHARED_RULE(Resize, ranks_allowed)
SHARED_RULE(Resize, only_batch_empty)

}  // namespace contract_test
