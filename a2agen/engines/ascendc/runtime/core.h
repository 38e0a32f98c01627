// A vector core: its scalar unit, its pipes with what they still hold, its unified buffer.
#pragma once
#include <a2agen/device.h>

#include <deque>
#include <utility>
#include <vector>

#include "clock.h"
#include "findings.h"
#include "shadow.h"

namespace a2agen {

constexpr int EVENTS = 8;

/// Something that a pipe does in its turn. `known` is what the core had seen when it was issued.
struct Operation {
    enum class What : uint8_t { LOAD, STORE, FILL, SET, WAIT } what;
    Clock known;
    uint64_t local = 0, global = 0, global_end = 0;
    Rows rows{};
    std::vector<uint8_t> value{};
    Pipe other{};
    int event = 0;
    Line line{0};
};

/// An event between two pipes, with what the first had done when it was set.
struct Flag {
    bool is_set = false;
    Clock done;
    int line = 0;
};

struct Core {
    enum class Pace : uint8_t { AT_ONCE, LATE, MIXED };

    int rank = 0, index = 0;
    int64_t count = 0;
    Thread scalar = NO_THREAD, scalar_stores = NO_THREAD;
    Thread engines[PIPES] = {};
    /// What the scalar unit and each pipe come after.
    Clock clocks[PIPES];
    /// Scalar stores to the unified buffer that an event or a barrier has ordered before later operations of pipes.
    uint32_t stores_published = 0;
    std::deque<Operation> pipes[PIPES];
    Flag flags[PIPES][PIPES][EVENTS];
    std::vector<uint8_t> local, local_defined;
    Shadow local_shadow;
    std::vector<std::pair<uint64_t, uint64_t>> buffers;
    uint64_t local_top = 0;
    Pace pace = Pace::AT_ONCE;

    Clock &seen() { return clocks[static_cast<int>(Pipe::S)]; }
    Site site(int line) const { return {rank, index, line}; }
};

/// The core that runs now.
Core &core();
/// Make a core ready for a launch that comes after `before`.
void start_core(Core &core, const Clock &before);
/// Complete what pipes still hold, and check that every event was waited for.
void end_core(Core &core);
/// Let the pipes of cores that wait go on; false when none can.
bool advance_waiting_pipes();
/// Do all that pipes hold; stops the run where an event never comes.
void drain(Core &core, int line);
/// What an operation issued now comes after.
Clock issued(const Core &core);
/// Check an access to the unified buffer; gives its bytes, null where it lies outside.
uint8_t *access_local(Core &core, uint64_t address, uint64_t bytes, bool writes, const Event &event, const Clock &clock,
                      int line, const char *what);
uint64_t local_base();
void set_up_local();
bool is_local_address(uint64_t address);

}  // namespace a2agen
