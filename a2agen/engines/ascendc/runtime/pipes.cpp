#include "pipes.h"

#include <cstring>

#include "config.h"
#include "memory.h"
#include "scheduler.h"
#include "threads.h"
#include "words.h"

namespace a2agen {

namespace {

constexpr uint64_t ALIGNMENT = 32;
constexpr const char *PIPE_NAMES[] = {"S", "V", "MTE2", "MTE3"};

/// The clock of a pipe for its next operation, and the operation as an event.
Event begin(Core &core, Pipe pipe, const Operation &operation)
{
    const int p = index_of(pipe);
    core.clocks[p].join(operation.known);
    const Event event = threads().next(core.engines[p], operation.line.number);
    core.clocks[p].set(event.thread, event.number);
    return event;
}

void check_alignment(const Core &core, uint64_t local, const Rows &rows, uint64_t step, int line)
{
    if (local % ALIGNMENT != 0 || (rows.count > 1 && step % ALIGNMENT != 0)) {
        find("misaligned", core.site(line),
             "a row in the unified buffer that does not start at a multiple of 32 bytes");
    }
}

bool within(const Operation &op, uint64_t global, const Core &core)
{
    if (op.global_end == 0 || global + op.rows.bytes <= op.global_end) {
        return true;
    }
    find("out-of-bounds", core.site(op.line.number),
         "an access that ends " + std::to_string(global + op.rows.bytes - op.global_end) +
             " bytes behind its GlobalTensor");
    return false;
}

void do_load(Core &core, const Operation &op)
{
    const Site site = core.site(op.line.number);
    const Event event = begin(core, Pipe::MTE2, op);
    const Clock &clock = core.clocks[index_of(Pipe::MTE2)];
    check_alignment(core, op.local, op.rows, op.rows.to, op.line.number);
    for (uint64_t row = 0; row < op.rows.count; row++) {
        const uint64_t global = op.global + row * op.rows.from;
        const Place from = within(op, global, core) ? place(global, op.rows.bytes, site, "a load") : Place{};
        uint8_t *to =
            access_local(core, op.local + row * op.rows.to, op.rows.bytes, true, event, clock, site.line, "a load");
        if (!from || to == nullptr) {
            continue;
        }
        if (!flagged(from.offset)) {
            check_defined(from, op.rows.bytes, site, "a load");
        }
        check_global(from.offset, op.rows.bytes, false, event, clock, site);
        const uint64_t at = static_cast<uint64_t>(to - core.local.data());
        move_bytes({0, to, core.local_defined.data() + at}, from, op.rows.bytes);
    }
}

void do_store(Core &core, const Operation &op)
{
    const Site site = core.site(op.line.number);
    const Event event = begin(core, Pipe::MTE3, op);
    const Clock &clock = core.clocks[index_of(Pipe::MTE3)];
    check_alignment(core, op.local, op.rows, op.rows.from, op.line.number);
    for (uint64_t row = 0; row < op.rows.count; row++) {
        const uint64_t global = op.global + row * op.rows.to;
        const Place to = within(op, global, core) ? place(global, op.rows.bytes, site, "a store") : Place{};
        uint8_t *from =
            access_local(core, op.local + row * op.rows.from, op.rows.bytes, false, event, clock, site.line, "a store");
        if (!to || from == nullptr) {
            continue;
        }
        check_global(to.offset, op.rows.bytes, true, event, clock, site);
        displace_words(to.offset, op.rows.bytes, event, clock, site);
        const uint64_t at = static_cast<uint64_t>(from - core.local.data());
        const Place source{0, from, core.local_defined.data() + at};
        if (!flagged(to.offset)) {
            if (config().checked && std::memchr(source.defined, 0, op.rows.bytes) != nullptr) {
                find("uninitialised", site, "a store of bytes of the unified buffer that nothing wrote");
            }
        }
        move_bytes(to, source, op.rows.bytes);
        scheduler().changed();
    }
}

void do_fill(Core &core, const Operation &op)
{
    const Event event = begin(core, Pipe::V, op);
    uint8_t *to = access_local(core, op.local, op.rows.count * op.rows.bytes, true, event,
                               core.clocks[index_of(Pipe::V)], op.line.number, "a fill");
    for (uint64_t n = 0; to != nullptr && n < op.rows.count; n++) {
        std::memcpy(to + n * op.rows.bytes, op.value.data(), op.rows.bytes);
        std::memset(core.local_defined.data() + (to - core.local.data()) + n * op.rows.bytes, 1, op.rows.bytes);
    }
}

}  // namespace

std::string event_name(Pipe from, Pipe to, int event)
{
    return "event " + std::to_string(event) + " from " + PIPE_NAMES[index_of(from)] + " to " + PIPE_NAMES[index_of(to)];
}

void do_set(Core &core, Pipe pipe, const Operation &op)
{
    Flag &flag = core.flags[index_of(pipe)][index_of(op.other)][op.event];
    if (flag.is_set) {
        find("unmatched-event", core.site(op.line.number),
             std::string("event ") + std::to_string(op.event) + " from " + PIPE_NAMES[index_of(pipe)] + " to " +
                 PIPE_NAMES[index_of(op.other)] + " is set again before it was waited for",
             flag.line);
    }
    core.clocks[index_of(pipe)].join(op.known);
    flag = {true, core.clocks[index_of(pipe)], op.line.number};
}

bool advance(Core &core, Pipe pipe)
{
    auto &held = core.pipes[index_of(pipe)];
    if (held.empty()) {
        return false;
    }
    if (held.front().what == Operation::What::WAIT) {
        const Operation &op = held.front();
        Flag &flag = core.flags[index_of(op.other)][index_of(pipe)][op.event];
        if (!flag.is_set) {
            return false;
        }
        core.clocks[index_of(pipe)].join(op.known);
        core.clocks[index_of(pipe)].join(flag.done);
        flag.is_set = false;
        held.pop_front();
        return true;
    }
    const Operation op = std::move(held.front());
    held.pop_front();
    switch (op.what) {
        case Operation::What::LOAD:
            do_load(core, op);
            break;
        case Operation::What::STORE:
            do_store(core, op);
            break;
        case Operation::What::FILL:
            do_fill(core, op);
            break;
        default:
            do_set(core, pipe, op);
    }
    return true;
}

bool advance_all(Core &core)
{
    bool any = false;
    for (bool again = true; again;) {
        again = false;
        for (int p = 1; p < PIPES; p++) {
            while (advance(core, static_cast<Pipe>(p))) {
                again = any = true;
            }
        }
    }
    return any;
}

}  // namespace a2agen
