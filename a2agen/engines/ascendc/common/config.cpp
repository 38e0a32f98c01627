#include "config.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace a2agen {

Config &config()
{
    static Config only;
    return only;
}

void read_config(const char *path)
{
    Config &c = config();
    const std::map<std::string, uint64_t *> numbers = {
        {"seed", &c.seed},
        {"local_bytes", &c.local_bytes},
        {"heap_bytes", &c.heap_bytes},
        {"ring_slots", &c.ring_slots},
        {"completions", &c.completions},
        {"request_bytes", &c.request_bytes},
        {"block_bytes", &c.block_bytes},
        {"line_bytes", &c.line_bytes},
        {"barrier_cores", &c.barrier_cores},
        {"operations_most", &c.operations_most},
    };
    std::ifstream file(path);
    for (std::string text; std::getline(file, text);) {
        std::istringstream words(text);
        std::string name;
        words >> name;
        if (auto known = numbers.find(name); known != numbers.end()) {
            words >> *known->second;
        } else if (name == "ranks") {
            words >> c.ranks;
        } else if (name == "checked") {
            words >> c.checked;
        } else if (name == "report") {
            std::getline(words >> std::ws, c.report);
        } else if (name == "argument") {
            std::string argument;
            std::getline(words >> std::ws, argument);
            c.arguments.push_back(argument);
        } else if (name == "memory") {
            std::string memory, axis;
            words >> memory;
            Axes &axes = c.memories[memory];
            words >> axes.flagged >> axes.step;
            for (uint64_t extent = 0; words >> axis >> extent;) {
                axes.extents.emplace_back(axis, extent);
            }
        } else {
            std::fprintf(stderr, "engine: unknown setting %s\n", name.c_str());
            std::_Exit(2);
        }
    }
    if (c.report.empty()) {
        std::fprintf(stderr, "engine: %s names no report\n", path);
        std::_Exit(2);
    }
}

}  // namespace a2agen
