#pragma once

#include "conformance/case.h"

namespace conformance {

// Each family's file lists its operators, and plans beyond theirs; one that is missing does not link.
#define CAIRN_FAMILY(family) std::span<const Subject> family##_subjects();
#include "ops/families.def"
#undef CAIRN_FAMILY

struct FamilySubjects {
  const char* name;  // "max_pool"
  cairn::Family family;
  std::span<const Subject> subjects;
};
std::vector<FamilySubjects> families();

// Every operator.
std::vector<const Subject*> subjects();
const Subject& subject_named(std::string_view name);

}  // namespace conformance
