#include "findings.h"

#include <cstdio>
#include <cstdlib>
#include <set>
#include <tuple>
#include <vector>

#include "config.h"
#include "scheduler.h"

namespace a2agen {

namespace {

constexpr size_t MOST = 50;

std::vector<std::string> &records()
{
    static std::vector<std::string> all;
    return all;
}

std::string quoted(const std::string &text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c == '\n' ? ' ' : c;
    }
    return out + "\"";
}

std::string number(int value, int none) { return value == none ? "null" : std::to_string(value); }

}  // namespace

void find(const std::string &kind, const Site &site, const std::string &text, int64_t key)
{
    static std::set<std::tuple<std::string, int, int64_t>> known;
    if (records().size() >= MOST || !known.emplace(kind, site.line, key).second) {
        return;
    }
    records().push_back("{\"kind\": " + quoted(kind) + ", \"rank\": " + number(site.rank, -1) +
                        ", \"core\": " + number(site.core, -1) + ", \"line\": " + number(site.line, 0) +
                        ", \"text\": " + quoted(text) + "}");
}

void find_and_stop(const std::string &kind, const Site &site, const std::string &text)
{
    find(kind, site, text);
    finish(false);
}

void finish(bool complete)
{
    std::fflush(nullptr);
    std::FILE *file = std::fopen(config().report.c_str(), "w");
    if (file == nullptr) {
        std::_Exit(2);
    }
    std::fprintf(file, "{\"complete\": %s, \"operations\": %llu, \"switches\": %llu, \"exits\": [",
                 complete ? "true" : "false", static_cast<unsigned long long>(scheduler().operations),
                 static_cast<unsigned long long>(scheduler().switches));
    for (size_t rank = 0; rank < scheduler().exits.size(); rank++) {
        std::fprintf(file, "%s%d", rank ? ", " : "", scheduler().exits[rank]);
    }
    std::fprintf(file, "], \"findings\": [");
    for (size_t n = 0; n < records().size(); n++) {
        std::fprintf(file, "%s\n%s", n ? "," : "", records()[n].c_str());
    }
    std::fprintf(file, "]}\n");
    std::fclose(file);
    std::_Exit(0);
}

}  // namespace a2agen
