#pragma once

#include "acl/acl.h"
#include "conformance/trial.h"

namespace api_test {

// The call through the public functions, on the current device. Empty when status, message and every byte are
// as the oracle says. The results are left in the trial's outputs.
std::string run_trial(conformance::Trial& trial, aclrtStream stream);

// A random call of some size, beside the oracle; empty when both agree.
std::string check_random_call(const conformance::Subject& subject, reference::Random& random,
                              aclrtStream stream);

}  // namespace api_test
