// What is found while the program runs, and the report of it.
#pragma once
#include <cstdint>
#include <string>

namespace a2agen {

/// Where something is found; -1 and 0 stand for what is not known.
struct Site {
    int rank = -1;
    int core = -1;
    int line = 0;
};

/// Note a finding; those that share kind, line and key are noted once.
void find(const std::string &kind, const Site &site, const std::string &text, int64_t key = 0);
/// Note a finding after which the run cannot go on, and end it.
[[noreturn]] void find_and_stop(const std::string &kind, const Site &site, const std::string &text);
/// Write the report and end the process.
[[noreturn]] void finish(bool complete);

}  // namespace a2agen
