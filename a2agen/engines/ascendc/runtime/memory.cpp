#include "memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "config.h"
#include "scheduler.h"
#include "threads.h"

namespace a2agen {

namespace {

/// Each rank's memory: the symmetric heap, then what is its own.
constexpr uint64_t HALF = uint64_t{1} << 33;
constexpr uint64_t WINDOW = 2 * HALF;
constexpr uint64_t GAP = 4096;
constexpr uint8_t UNDEFINED = 0xA5;

uint8_t *device = nullptr, *bytes = nullptr, *defined = nullptr;
std::map<uint64_t, Allocation> allocations;
std::map<uint64_t, std::string> names;
std::vector<uint64_t> tops;
Shadow shadow;

uint8_t *reserve(uint64_t size, int protection)
{
    void *at = mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        std::perror("engine: no address space for the ranks' memory");
        std::_Exit(2);
    }
    return static_cast<uint8_t *>(at);
}

std::map<uint64_t, Allocation>::iterator around(uint64_t offset)
{
    auto next = allocations.upper_bound(offset);
    return next == allocations.begin() ? allocations.end() : std::prev(next);
}

}  // namespace

void set_up_memory()
{
    const uint64_t size = WINDOW * static_cast<uint64_t>(config().ranks);
    device = reserve(size, PROT_NONE);
    bytes = reserve(size, PROT_READ | PROT_WRITE);
    defined = reserve(size, PROT_READ | PROT_WRITE);
    for (int rank = 0; rank < config().ranks; rank++) {
        tops.push_back(WINDOW * static_cast<uint64_t>(rank) + GAP);
        tops.push_back(tops.back() + HALF);
    }
}

uint64_t allocate_global(int rank, bool symmetric, uint64_t size, uint64_t alignment)
{
    uint64_t &top = tops[static_cast<size_t>(rank) * 2 + (symmetric ? 0 : 1)];
    const uint64_t start = (top + alignment - 1) / alignment * alignment;
    const uint64_t limit = WINDOW * static_cast<uint64_t>(rank) + (symmetric ? HALF : WINDOW);
    if (size > limit - start || start + size + GAP > limit) {
        return 0;
    }
    top = start + size + GAP;
    allocations[start] = {size, rank, symmetric};
    if (config().checked) {
        std::memset(bytes + start, UNDEFINED, size);
    }
    return address_of(start);
}

bool free_global(uint64_t address, int rank)
{
    if (!is_device_address(address)) {
        return false;
    }
    const uint64_t start = address - reinterpret_cast<uint64_t>(device);
    auto known = allocations.find(start);
    if (known == allocations.end() || known->second.rank != rank) {
        return false;
    }
    madvise(bytes + start, known->second.size, MADV_DONTNEED);
    allocations.erase(known);
    return true;
}

void name_memory(uint64_t address, const char *name)
{
    if (is_device_address(address)) {
        names[address - reinterpret_cast<uint64_t>(device)] = name;
    }
}

uint64_t address_of(uint64_t offset) { return reinterpret_cast<uint64_t>(device) + offset; }

bool is_device_address(uint64_t address)
{
    const uint64_t start = reinterpret_cast<uint64_t>(device);
    return address >= start && address < start + WINDOW * static_cast<uint64_t>(config().ranks);
}

Place place(uint64_t address, uint64_t count, const Site &site, const char *what)
{
    if (!is_device_address(address)) {
        char number[32];
        std::snprintf(number, sizeof(number), "%#llx", static_cast<unsigned long long>(address));
        find("out-of-bounds", site, std::string(what) + " at " + number + ", which is no address of global memory");
        return {};
    }
    const uint64_t offset = address - reinterpret_cast<uint64_t>(device);
    auto here = around(offset);
    if (here == allocations.end() || offset >= here->first + here->second.size) {
        const std::string behind = here == allocations.end() ? "" : ", behind " + name_of(here->first);
        find("out-of-bounds", site, std::string(what) + " of memory that nobody allocated" + behind);
        return {};
    }
    uint64_t end = here->first + here->second.size;
    auto next = names.upper_bound(offset);
    if (next != names.end() && next->first < end) {
        end = next->first;
    }
    if (count > end - offset) {
        find("out-of-bounds", site,
             std::string(what) + " of " + std::to_string(count) + " bytes from " + name_of(offset) +
                 " on, which ends " + std::to_string(end - offset) + " bytes behind that");
        return {};
    }
    return {offset, bytes + offset, defined + offset};
}

/// Names are of the rank that launched; the same place has them at all ranks, if it is symmetric.
std::string name_of(uint64_t offset)
{
    auto here = around(offset);
    if (here == allocations.end()) {
        return "no memory";
    }
    const std::string rank = " at rank " + std::to_string(here->second.rank);
    for (int other = 0; other < config().ranks; other++) {
        const uint64_t same = offset % WINDOW + WINDOW * static_cast<uint64_t>(other);
        auto next = names.upper_bound(same);
        if (next == names.begin() || (!here->second.symmetric && other != here->second.rank)) {
            continue;
        }
        auto name = std::prev(next);
        if (name->first < same - (offset - here->first)) {
            continue;
        }
        uint64_t rest = same - name->first;
        auto known = config().memories.find(name->second);
        if (known == config().memories.end()) {
            return name->second + (rest ? " byte " + std::to_string(rest) : "") + rank;
        }
        std::string text;
        rest /= known->second.step;
        for (auto axis = known->second.extents.rbegin(); axis != known->second.extents.rend(); ++axis) {
            const bool outermost = std::next(axis) == known->second.extents.rend();
            const uint64_t index = outermost ? rest : rest % axis->second;
            text = axis->first + " " + std::to_string(index) + (text.empty() ? "" : ", ") + text;
            rest = axis->second ? rest / axis->second : 0;
        }
        return name->second + "[" + text + "]" + rank;
    }
    return "byte " + std::to_string(offset - here->first) + " of memory of " + std::to_string(here->second.size) +
           " bytes" + rank;
}

bool flagged(uint64_t offset)
{
    const auto &memories = config().memories;
    static const bool any =
        std::any_of(memories.begin(), memories.end(), [](const auto &m) { return m.second.flagged; });
    if (!any || !config().checked) {
        return false;
    }
    for (int other = 0; other < config().ranks; other++) {
        auto next = names.upper_bound(offset % WINDOW + WINDOW * static_cast<uint64_t>(other));
        if (next != names.begin()) {
            auto name = std::prev(next);
            auto known = config().memories.find(name->second);
            if (name->first / WINDOW == static_cast<uint64_t>(other) && known != config().memories.end()) {
                return known->second.flagged;
            }
        }
    }
    return false;
}

uint64_t translate(uint64_t address, int from, int to, const Site &site)
{
    if (!is_device_address(address)) {
        find("not-symmetric", site, "a remote address of what is no global memory");
        return address;
    }
    const uint64_t offset = address - reinterpret_cast<uint64_t>(device);
    auto here = around(offset);
    if (here == allocations.end() || offset >= here->first + here->second.size || !here->second.symmetric ||
        here->second.rank != from) {
        find("not-symmetric", site,
             "a remote address of " + name_of(offset) + ", which is no symmetric memory of rank " +
                 std::to_string(from));
        return address;
    }
    return address + WINDOW * static_cast<uint64_t>(to) - WINDOW * static_cast<uint64_t>(from);
}

void check_global(uint64_t offset, uint64_t count, bool writes, const Event &event, const Clock &clock,
                  const Site &site)
{
    if (!config().checked || count == 0) {
        return;
    }
    bool found = false;
    const Conflict conflict = shadow.access(offset, offset + count, writes, event, clock, found);
    if (!found) {
        return;
    }
    const Kind earlier = threads()[conflict.earlier.thread].kind;
    const bool reuse = writes && !conflict.earlier_writes && earlier == Kind::QUEUE;
    std::string text = std::string(writes ? "write" : "read") + " of " + name_of(conflict.at) + " by " +
                       threads().describe(event) + " is not ordered after the " +
                       (conflict.earlier_writes ? "write" : "read") + " by " + threads().describe(conflict.earlier);
    if (reuse) {
        text += ": no quiet says that the put has read its source";
    }
    find(reuse ? "source-reuse" : "race", site, text, conflict.earlier.line);
}

void note_read(uint64_t offset, uint64_t count, const Event &event, const Clock &clock, const Site &site)
{
    check_global(offset, count, false, event, clock, site);
}

Event last_writer(uint64_t offset) { return shadow.writer(offset); }

void check_defined(const Place &where, uint64_t count, const Site &site, const char *what)
{
    if (!config().checked) {
        return;
    }
    const void *first = std::memchr(where.defined, 0, count);
    if (first != nullptr) {
        const uint64_t at = where.offset + static_cast<uint64_t>(static_cast<const uint8_t *>(first) - where.defined);
        find("uninitialised", site, std::string(what) + " of " + name_of(at) + ", which nothing wrote");
    }
}

void move_bytes(const Place &to, const Place &from, uint64_t count)
{
    std::memmove(to.bytes, from.bytes, count);
    if (config().checked) {
        std::memmove(to.defined, from.defined, count);
    }
}

}  // namespace a2agen
