#include "core.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include "config.h"
#include "pipes.h"
#include "scheduler.h"
#include "threads.h"

namespace a2agen {

namespace {

constexpr uint64_t MOST_LOCAL = uint64_t{1} << 20;

uint8_t *local_addresses = nullptr;
std::set<Core *> active;

void issue(Core &core, Pipe pipe, Operation &&operation)
{
    operation.known = issued(core);
    scheduler().current().line = operation.line.number;
    core.pipes[index_of(pipe)].push_back(std::move(operation));
    if (core.pace == Core::Pace::AT_ONCE) {
        advance_all(core);
    } else if (core.pace == Core::Pace::MIXED) {
        while (scheduler().chance(2) && advance(core, static_cast<Pipe>(1 + scheduler().random() % (PIPES - 1)))) {
        }
    }
    scheduler().step();
}

}  // namespace

Core &core()
{
    Core *running = scheduler().current().core;
    if (running == nullptr) {
        std::fprintf(stderr, "engine: a device function was called by a host\n");
        std::_Exit(2);
    }
    return *running;
}

void set_up_local()
{
    void *at = mmap(nullptr, MOST_LOCAL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    local_addresses = static_cast<uint8_t *>(at);
}

uint64_t local_base() { return reinterpret_cast<uint64_t>(local_addresses); }
bool is_local_address(uint64_t address) { return address >= local_base() && address < local_base() + MOST_LOCAL; }

Clock issued(const Core &core)
{
    Clock known = core.clocks[index_of(Pipe::S)];
    known.set(core.scalar_stores, core.stores_published);
    return known;
}

void start_core(Core &core, const Clock &before)
{
    if (core.scalar == NO_THREAD) {
        core.scalar = threads().add({Kind::SCALAR, core.rank, core.index});
        core.scalar_stores = threads().add({Kind::LOCAL, core.rank, core.index});
        core.engines[index_of(Pipe::V)] = threads().add({Kind::VECTOR, core.rank, core.index});
        core.engines[index_of(Pipe::MTE2)] = threads().add({Kind::MTE2, core.rank, core.index});
        core.engines[index_of(Pipe::MTE3)] = threads().add({Kind::MTE3, core.rank, core.index});
        core.local.assign(config().local_bytes, 0);
    }
    core.local_defined.assign(config().local_bytes, 0);
    for (Clock &clock : core.clocks) {
        clock = before;
    }
    core.stores_published = threads()[core.scalar_stores].count;
    core.local_shadow = Shadow();
    core.buffers.clear();
    core.local_top = 0;
    core.pace = static_cast<Core::Pace>(scheduler().random() % 3);
    active.insert(&core);
}

void end_core(Core &core)
{
    drain(core, scheduler().current().line);
    for (int from = 0; from < PIPES; from++) {
        for (int to = 0; to < PIPES; to++) {
            for (int event = 0; event < EVENTS; event++) {
                Flag &flag = core.flags[from][to][event];
                if (flag.is_set) {
                    find("unmatched-event", core.site(flag.line),
                         event_name(static_cast<Pipe>(from), static_cast<Pipe>(to), event) +
                             " is set and not waited for when the kernel ends");
                    flag.is_set = false;
                }
            }
        }
    }
    active.erase(&core);
}

bool advance_waiting_pipes()
{
    bool any = false;
    for (Core *waiting : active) {
        any = advance_all(*waiting) || any;
    }
    return any;
}

void drain(Core &core, int line)
{
    advance_all(core);
    for (int p = 1; p < PIPES; p++) {
        if (!core.pipes[p].empty()) {
            const Operation &op = core.pipes[p].front();
            find_and_stop("deadlock", core.site(op.line.number),
                          "rank " + std::to_string(core.rank) + " core " + std::to_string(core.index) + " (line " +
                              std::to_string(op.line.number) + ") waits for " +
                              event_name(op.other, static_cast<Pipe>(p), op.event) + ", which nothing sets");
        }
    }
    for (int p = 1; p < PIPES; p++) {
        core.seen().join(core.clocks[p]);
    }
    core.stores_published = threads()[core.scalar_stores].count;
    scheduler().current().line = line;
}

uint8_t *access_local(Core &core, uint64_t address, uint64_t bytes, bool writes, const Event &event, const Clock &clock,
                      int line, const char *what)
{
    const uint64_t start = address - local_base();
    bool inside = is_local_address(address);
    if (inside) {
        inside = false;
        for (const auto &[first, end] : core.buffers) {
            inside = inside || (start >= first && start + bytes <= end);
        }
    }
    if (!inside) {
        find(
            "out-of-bounds", core.site(line),
            std::string(what) + " of " + std::to_string(bytes) + " bytes outside of the buffers of the unified buffer");
        return nullptr;
    }
    if (config().checked && bytes > 0) {
        bool found = false;
        const Conflict conflict = core.local_shadow.access(start, start + bytes, writes, event, clock, found);
        if (found) {
            const Kind first = threads()[conflict.earlier.thread].kind, second = threads()[event.thread].kind;
            auto name = [](Kind kind) {
                return kind == Kind::MTE2 ? "MTE2" : kind == Kind::MTE3 ? "MTE3" : kind == Kind::VECTOR ? "V" : "S";
            };
            find("race", core.site(line),
                 std::string(writes ? "write" : "read") + " of byte " + std::to_string(conflict.at) +
                     " of the unified buffer by " + threads().describe(event) + " is not ordered after the " +
                     (conflict.earlier_writes ? "write" : "read") + " on line " +
                     std::to_string(conflict.earlier.line) + ": no event from " + name(first) + " to " + name(second) +
                     " stands between",
                 conflict.earlier.line);
        }
    }
    return core.local.data() + start;
}

int64_t block_index() { return core().index; }
int64_t block_count() { return core().count; }
int my_pe() { return scheduler().current().rank; }
int n_pes() { return config().ranks; }

uint64_t allocate_local(uint32_t bytes, Line line)
{
    Core &self = core();
    scheduler().current().line = line.number;
    const uint64_t start = self.local_top;
    if (start + bytes > self.local.size()) {
        find_and_stop("out-of-bounds", self.site(line.number),
                      "buffers of " + std::to_string(start + bytes) + " bytes, and the unified buffer has " +
                          std::to_string(self.local.size()));
    }
    self.local_top = start + bytes;
    self.buffers.emplace_back(start, start + bytes);
    return local_base() + start;
}

void load(uint64_t local, uint64_t global, uint64_t global_end, const Rows &rows, Line line)
{
    issue(core(), Pipe::MTE2, {Operation::What::LOAD, {}, local, global, global_end, rows, {}, {}, 0, line});
}

void store(uint64_t global, uint64_t global_end, uint64_t local, const Rows &rows, Line line)
{
    issue(core(), Pipe::MTE3, {Operation::What::STORE, {}, local, global, global_end, rows, {}, {}, 0, line});
}

void fill(uint64_t local, const void *value, size_t size, size_t count, Line line)
{
    const uint8_t *first = static_cast<const uint8_t *>(value);
    issue(core(), Pipe::V,
          {Operation::What::FILL, {}, local, 0, 0, {count, size, 0, 0}, {first, first + size}, {}, 0, line});
}

void read_local(uint64_t local, void *value, size_t size, Line where)
{
    Core &self = core();
    const int line = where.number;
    const Event event = threads().next(self.scalar_stores, line);
    self.seen().set(event.thread, event.number);
    if (const uint8_t *from = access_local(self, local, size, false, event, self.seen(), line, "a scalar read")) {
        std::memcpy(value, from, size);
    }
}

void write_local(uint64_t local, const void *value, size_t size, Line where)
{
    Core &self = core();
    const int line = where.number;
    const Event event = threads().next(self.scalar_stores, line);
    self.seen().set(event.thread, event.number);
    if (uint8_t *to = access_local(self, local, size, true, event, self.seen(), line, "a scalar write")) {
        std::memcpy(to, value, size);
        std::memset(self.local_defined.data() + (to - self.local.data()), 1, size);
    }
}

void set_flag(Pipe from, Pipe to, int event, Line line)
{
    Core &self = core();
    if (event < 0 || event >= EVENTS) {
        refuse_argument("events are numbered 0 to 7, not", static_cast<uint64_t>(event), line);
        return;
    }
    Operation set{Operation::What::SET, {}, 0, 0, 0, {}, {}, to, event, line};
    if (from != Pipe::S) {
        issue(self, from, std::move(set));
        return;
    }
    self.stores_published = threads()[self.scalar_stores].count;
    do_set(self, Pipe::S, set);
    scheduler().step();
}

void wait_flag(Pipe from, Pipe to, int event, Line line)
{
    Core &self = core();
    if (event < 0 || event >= EVENTS) {
        refuse_argument("events are numbered 0 to 7, not", static_cast<uint64_t>(event), line);
        return;
    }
    if (to != Pipe::S) {
        issue(self, to, {Operation::What::WAIT, {}, 0, 0, 0, {}, {}, from, event, line});
        return;
    }
    Flag &flag = self.flags[index_of(from)][index_of(to)][event];
    while (!flag.is_set) {
        bool any = false;
        for (int p = 1; p < PIPES && !flag.is_set; p++) {
            any = advance(self, static_cast<Pipe>(p)) || any;
        }
        if (!any && !flag.is_set) {
            find_and_stop("deadlock", self.site(line.number),
                          "rank " + std::to_string(self.rank) + " core " + std::to_string(self.index) + " (line " +
                              std::to_string(line.number) + ") waits for " + event_name(from, to, event) +
                              ", which nothing sets");
        }
    }
    self.seen().join(flag.done);
    flag.is_set = false;
    scheduler().current().line = line.number;
    scheduler().step();
}

void pipe_barrier(Line line)
{
    drain(core(), line.number);
    scheduler().step();
}

void refuse_argument(const char *what, uint64_t value, Line line)
{
    find("bad-argument", core().site(line.number), std::string(what) + " " + std::to_string(value));
}

}  // namespace a2agen
