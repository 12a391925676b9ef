#include "conformance/subjects.h"

#include <cstdio>
#include <cstdlib>

namespace conformance {

std::vector<FamilySubjects> families() {
  return {
#define CAIRN_FAMILY(family) {#family, cairn::Family::family, family##_subjects()},
#include "ops/families.def"
#undef CAIRN_FAMILY
  };
}

std::vector<const Subject*> subjects() {
  std::vector<const Subject*> all;
  for (const FamilySubjects& family : families())
    for (const Subject& subject : family.subjects)
      if (subject.is_operator()) all.push_back(&subject);
  return all;
}

const Subject& subject_named(std::string_view name) {
  for (const Subject* subject : subjects())
    if (name == subject->name) return *subject;
  std::fprintf(stderr, "no conformance case is named %s\n", std::string(name).c_str());
  std::abort();
}

}  // namespace conformance
