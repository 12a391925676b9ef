#pragma once

#include <algorithm>

#include "contract/upsample_cases.h"

// What upsampling refuses, one function for each rule that several operators have.
namespace contract_test {

using Formats = std::vector<aclFormat>;

inline bool has(const Formats& formats, aclFormat format) {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

template <typename Case>
void data_types_equal() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    TensorSpec& output = *call.outputs()[0];
    output.type = ACL_BF16;
    refuses(call, output.name, "has data type BF16, expected FLOAT", call.tensors()[0]->name);
  });
}

// Whether C comes last in both tensors or in neither; other flags are another rule's business.
template <typename Case>
void formats_agree() {
  on_each_product<Case>([](Case& call) {
    TensorSpec& input = *call.tensors()[0];
    TensorSpec& output = *call.outputs()[0];
    const bool free = call.product == "portable" || !Case::kNamesFormats;
    const std::string last = Case::kSpatial == 2 ? "NHWC" : "NDHWC";
    input.format = ACL_FORMAT_NCDHW;
    output.format = ACL_FORMAT_ND;
    if (free) accepts(call);
    output.format = Case::kLastFormat;
    refuses(call, output.name, "has format " + last + " and", input.name, "NCDHW");
    input.format = Case::kLastFormat;
    output.format = ACL_FORMAT_NCDHW;
    refuses(call, output.name, "has format NCDHW and", input.name, last);
    set_channels_last(call);
    if (free) accepts(call);
  });
}

// Strict products take these flags alone, portable any.
template <typename Case>
void only_formats(const Formats& named, const Formats& on_950) {
  on_each_product<Case>([&](Case& valid) {
    for (const aclFormat format : {ACL_FORMAT_ND, ACL_FORMAT_NCHW, ACL_FORMAT_NHWC, ACL_FORMAT_NCL,
                                   ACL_FORMAT_NCDHW, ACL_FORMAT_HWCN, ACL_FORMAT_UNDEFINED}) {
      Case call = valid;
      if (Case::kSpatial == 2 && format == ACL_FORMAT_NHWC) set_channels_last(call);
      call.small().format = call.large().format = format;
      if (has(call.product == "ascend950" ? on_950 : named, format) || call.product == "portable") {
        accepts(call);
      } else {
        refuses(call, call.tensors()[0]->name, "has format", "expected one of", "on A");
      }
    }
    Case call = valid;
    call.outputs()[0]->format = ACL_FORMAT_HWCN;
    if (call.product == "portable") return accepts(call);
    refuses(call, call.outputs()[0]->name, "has format HWCN");
  });
}
template <typename Case>
void only_formats(const Formats& named) {
  only_formats<Case>(named, named);
}

template <typename Case>
void formats_equal() {
  on_each_product<Case>([](Case& call) {
    TensorSpec& output = *call.outputs()[0];
    output.format = ACL_FORMAT_ND;
    if (call.product == "portable") return accepts(call);
    refuses(call, output.name, "has format ND, expected NC", call.tensors()[0]->name);
  });
}

template <typename Case>
void ranks_allowed() {
  on_each_product<Case>([](Case& valid) {
    accepts(valid);
    for (std::size_t i = 0; i < 2; ++i) {
      for (const Dims& dims : {Dims{}, Dims(Case::kRank - 1, 4), Dims(Case::kRank + 1, 4)}) {
        Case call = valid;
        call.tensors()[i]->dims = dims;
        refuses(call, call.tensors()[i]->name, "has shape", "expected " + std::to_string(Case::kRank));
      }
    }
  });
}

template <typename Case>
void output_size_length() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    for (const Dims& values : {Dims{}, Dims(Case::kSpatial - 1, 6), Dims(Case::kSpatial + 1, 6)}) {
      call.output_size.values = values;
      refuses(call, "outputSize is [", "expected length " + std::to_string(Case::kSpatial));
    }
  });
}

template <typename Case>
void input_size_length() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    for (const Dims& values : {Dims{}, Dims(Case::kRank - 1, 2), Dims(Case::kRank + 1, 2)}) {
      call.input_size.values = values;
      refuses(call, "inputSize is [", "expected length " + std::to_string(Case::kRank));
    }
  });
}

template <typename Case>
void output_size_positive() {
  on_each_product<Case>([](Case& valid) {
    accepts(valid);
    for (std::size_t i = 0; i < Case::kSpatial; ++i) {
      for (const std::int64_t value : {0, -8}) {
        Case call = valid;
        call.output_size.values[i] = value;
        refuses(call, "outputSize is [", std::to_string(value));
      }
    }
  });
}

template <typename Case>
void input_size_positive() {
  on_each_product<Case>([](Case& valid) {
    for (const Dims& input : {Dims{0, 3, 2, 3, 4}, Dims{2, 0, 2, 3, 4}}) {
      Case call = valid;
      call.set_sizes(input, {4, 6, 8});
      if (Case::takes_empty(call.product)) accepts(call);
    }
    for (std::size_t i = 0; i < Case::kRank; ++i) {
      Case call = valid;
      call.input_size.values[i] = -1;
      refuses(call, "inputSize is [");
      call.input_size.values[i] = 0;
      if (i >= 2) refuses(call, "inputSize is [");
    }
  });
}

template <typename Case>
void grad_input_shape() {
  on_each_product<Case>([](Case& valid) {
    accepts(valid);
    const std::string name = valid.small().name;
    for (std::size_t i = 0; i < Case::kRank; ++i) {
      Case call = valid;
      call.input_size.values[i] += 1;
      refuses(call, name + " has shape [2,3,", "inputSize [");
    }
    if (Case::kSpatial == 1) return;
    // N, spatial axes, C counts only with the flag.
    Case call = valid;
    call.input_size.values = Case::cut_last({2, 2, 3, 4, 3});
    refuses(call, name + " has shape [2,3,");
    set_channels_last(call);
    const bool takes_last = call.product == "portable" || run(call).status == 0;
    if (!takes_last) return;
    accepts(call);
    call.input_size.values = Case::cut({2, 3, 2, 3, 4});
    accepts(call);
    call.input_size.values = Case::cut({2, 3, 4, 2, 5});
    refuses(call, name + " has shape [2,", "inputSize [2,3,");
    // Read as N, C, D, H, W these sizes fit, but leave no position along W.
    call.small().dims = Case::cut_last({2, 2, 3, 0, 2});
    call.large().dims = Case::cut_last({2, 4, 6, 8, 2});
    call.input_size.values = Case::cut({2, 2, 2, 3, 0});
    refuses(call, name + " has shape [2,");
  });
}

template <typename Case>
void upsampled_shape() {
  on_each_product<Case>([](Case& valid) {
    accepts(valid);
    const std::string name = valid.large().name;
    for (std::size_t i = 0; i < Case::kRank; ++i) {
      Case call = valid;
      call.large().dims[i] += 1;
      refuses(call, name + " has shape [", "expected [2,3,", "outputSize [");
    }
    Case call = valid;
    call.set_sizes({0, 3, 2, 3, 4}, {4, 6, 8});
    call.large().dims[0] = 1;
    refuses(call, name + " has shape [1,3,");
    if (Case::kSpatial == 1) return;
    (call = valid), set_channels_last(call);
    if (call.product != "portable") return;
    accepts(call);
    call.large().dims = Case::cut({2, 3, 4, 6, 8});
    refuses(call, name + " has shape [2,3,", "expected [2,");
  });
}

template <typename Case>
void only_batch_empty() {
  on_each_product<Case>([](Case& call) {
    call.set_sizes({0, 3, 2, 3, 4}, {4, 6, 8});
    if (Case::takes_empty(call.product)) accepts(call);
    for (std::size_t i = 1; i < Case::kRank; ++i) {
      call.set_sizes({2, 3, 2, 3, 4}, {4, 6, 8});
      call.self.dims[i] = 0;
      if (i == 1) call.out.dims[1] = 0;
      refuses(call, call.self.name, "has shape [2,", "every dimension but N");
    }
  });
}

template <typename Case>
void plane_not_empty() {
  on_each_product<Case>([](Case& call) {
    for (const Dims& input : {Dims{0, 3, 2, 3, 4}, Dims{2, 0, 2, 3, 4}}) {
      call.set_sizes(input, {4, 6, 8});
      accepts(call);
    }
    for (std::size_t i = 2; i < Case::kRank; ++i) {
      call.set_sizes({2, 3, 2, 3, 4}, {4, 6, 8});
      call.self.dims[i] = 0;
      refuses(call, "self has shape [2,3,", "H and W to be greater than 0");
    }
  });
}

// The rule's name for what upsampled_shape tests.
template <typename Case>
void grad_out_shape() {
  upsampled_shape<Case>();
}
template <typename Case>
void out_shape() {
  upsampled_shape<Case>();
}

}  // namespace contract_test
