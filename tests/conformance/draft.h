#pragma once

#include "conformance/case.h"

namespace conformance {

// Draws the arguments of one call. Here and in the families every statement takes one decision at most: the
// bytes of a fuzzer must mean the same with every compiler, and those differ in which argument they compute
// first.
class Draft {
 public:
  // `whole`: the tensors have both N and C.
  Draft(const Subject& subject, Random& random, bool whole, bool channels_last);

  // One that leaves the axes where they are, or that says that C comes last.
  aclFormat format() const;
  TensorArgument tensor(Role role, reference::Type type, const reference::Sizes& size,
                        reference::LayoutKind layout, aclFormat format) const;
  // The values of the spatial axes; `short_form`: now and then one value where all agree.
  ArrayArgument array(const reference::Triple& values, bool short_form = false) const;

 private:
  const Subject& subject_;
  Random& random_;
  bool channels_last_;
  std::vector<int> axes_;
};

struct Layouts {
  reference::LayoutKind from;
  reference::LayoutKind to;
  bool channels_last;  // of the program's axes
};
// Often what networks have: both alike, without gaps.
Layouts draw_layouts(Random& random);

// The spatial values of an attribute: one for all axes, or one each. Axes that the operator lacks get
// `missing`.
reference::Triple on_axes(const Subject& subject, const std::vector<std::int64_t>& values,
                          std::int64_t missing);

}  // namespace conformance
