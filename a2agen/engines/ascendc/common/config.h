// What the engine is told when it starts: a file of lines, each a name and its values.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace a2agen {

/// The axes of a memory, outer first with their extents, and the bytes from one element to the next.
struct Axes {
    uint64_t step = 1;
    std::vector<std::pair<std::string, uint64_t>> extents;
    bool flagged = false;
};

struct Config {
    uint64_t seed = 0;
    int ranks = 2;
    bool checked = true;
    std::string report;
    uint64_t local_bytes = 253952;
    uint64_t heap_bytes = 42949672960;
    uint64_t ring_slots = 8192;
    uint64_t completions = 32768;
    uint64_t request_bytes = 268435456;
    uint64_t block_bytes = 512;
    uint64_t line_bytes = 64;
    uint64_t barrier_cores = 48;
    /// After so many operations of all cores a run is taken for one without end.
    uint64_t operations_most = UINT64_MAX;
    std::map<std::string, Axes> memories;
    /// Arguments of the host program.
    std::vector<std::string> arguments;
};

Config &config();
/// Read the file; ends the process with 2 where it cannot.
void read_config(const char *path);

}  // namespace a2agen
