#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn {

// The text of a configuration file without the white space that means nothing; none when it is not a JSON
// object.
std::optional<std::string> normalise_config(std::string_view text);

// Reads a regular file of sane size, and waits for no other kind: a FIFO may have no writer, a device no end.
// Returns what is wrong with it, or null.
const char* read_small_file(const char* path, std::string& text);

// "err_msg_mode": "1" makes pending error texts the process's instead of each thread's.
bool wants_process_wide_text(std::string_view config);

}  // namespace cairn
