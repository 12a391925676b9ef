#pragma once

#include <string>

#include "acl/acl.h"
#include "reference/random.h"

// Random calls through the public functions on one stream, against the oracle. Each returns what is wrong, or
// nothing.
namespace api_test {

std::string check_pool(reference::Random& random, bool flat, aclrtStream stream);
std::string check_unpool(reference::Random& random, aclrtStream stream);
std::string check_upsample(reference::Random& random, aclrtStream stream);

std::string check_pool_forward(reference::Random& random, bool flat, aclrtStream stream);
std::string check_unpool_forward(reference::Random& random, aclrtStream stream);
std::string check_upsample_forward(reference::Random& random, aclrtStream stream);

}  // namespace api_test
