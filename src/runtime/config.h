#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn {

// The text of a configuration file without the white space that means nothing; none when it is not a JSON
// object.
std::optional<std::string> normalise_config(std::string_view text);

// "err_msg_mode": "1" makes pending error texts the process's instead of each thread's.
bool wants_process_wide_text(std::string_view config);

}  // namespace cairn
