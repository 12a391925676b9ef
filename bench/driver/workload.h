#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aclnn/acl_meta.h"

namespace cairn::bench {

enum class Operator { kPool3d, kPool2d, kUnpool3d, kUpsample3d };
enum class Layout { kChannelsFirst, kChannelsLast };
// What the goals are set for: how much neighbouring windows share.
enum class Class { kStreaming, kOverlap, kHeavyOverlap, kUnpool };

struct Shape3 {
  std::int64_t d;
  std::int64_t h;
  std::int64_t w;
  std::int64_t count() const { return d * h * w; }
};

// A layer of a real network. `large` is the tensor on the input side (self, gradInput), `small` the pooled
// one; for upsampling and unpooling it is the other way round, as the operator goes the other way.
struct Workload {
  std::string_view id;
  Operator op;
  Class goal_class;
  std::int64_t n;
  std::int64_t c;
  Shape3 in;   // pooling: self; unpool: self and out; upsample: gradInput
  Shape3 out;  // unpool and upsample: gradOutput. Pooling derives it from the window
  Shape3 kernel;
  Shape3 stride;
  Shape3 padding;
  bool both_layouts;
};

// One row of the table.
struct Case {
  Workload work;
  aclDataType type;
  aclDataType index_type;  // ACL_DT_UNDEFINED where the operator has none
  Layout layout;

  std::int64_t planes() const { return work.n * work.c; }
  std::int64_t in_elements() const { return planes() * work.in.count(); }
  std::int64_t out_elements() const { return planes() * work.out.count(); }
};

const char* operator_name(Operator op);
const char* layout_name(const Case& row);
const char* type_name(aclDataType type);
const char* class_name(Class goal_class);
// The share of the copy bandwidth we reach for.
double goal(std::string_view device, Class goal_class);

struct Selection {
  std::string filter;  // a regular expression on "id dtype layout index"
  bool quick = false;  // an eighth of the planes and only INT32 indices
  bool tiny = false;   // a few thousand elements: for the smoke test
  double fraction = 0;
};

// Every workload in every type, index type and layout it is measured in, sized for the machine.
std::vector<Case> cases(const Selection& selection);

std::string label(const Case& row);

}  // namespace cairn::bench
