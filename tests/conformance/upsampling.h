#pragma once

#include <string_view>

#include "conformance/draft.h"
#include "conformance/geometry.h"

// What nearest upsampling and its backward share: the scales stand before the output.
namespace conformance {

// 0.5 where positions are taken by their centres.
float shift_of(const Subject& subject);
reference::Counting counting_of(const Subject& subject);

void push_scales(Case& it, const UpsampleGeometry& geometry);
// Axes that the operator lacks are scaled by 1; an operator without scales has 0 along its own.
std::array<double, 3> scales_of(const Case& it);

// The shape of the result: N, C and the sizes, or in the order of the axes where C comes last.
ArrayArgument draw_input_size(Random& random, const Draft& draft, const UpsampleGeometry& geometry,
                              bool channels_last);

}  // namespace conformance
