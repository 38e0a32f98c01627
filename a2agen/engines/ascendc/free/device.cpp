// The device's functions, at once: what is asynchronous on chip is what the ordered engine looks at.
#include <a2agen/device.h>

#include <chrono>
#include <thread>

#include "copy.h"
#include "compare.h"
#include "config.h"
#include "world.h"

namespace a2agen {

namespace {

constexpr int SECONDS = 60;

uint8_t *bytes_at(uint64_t address) { return reinterpret_cast<uint8_t *>(address); }

void check_end(uint64_t end, uint64_t limit, Line line)
{
    if (limit != 0 && end > limit) {
        give_up("an access behind its GlobalTensor", line.number);
    }
}

}  // namespace

void Called::called(int) {}

int64_t block_index() { return self().index; }
int64_t block_count() { return self().count; }
int my_pe() { return self().rank->number; }
int n_pes() { return ranks(); }

uint64_t allocate_local(uint32_t bytes, Line line)
{
    Self &own = self();
    const uint64_t start = own.local_top;
    if (start + bytes > config().local_bytes) {
        give_up("more buffers than the unified buffer has room for", line.number);
    }
    own.local_top = start + bytes;
    allow(own.local + start, bytes);
    return reinterpret_cast<uint64_t>(own.local + start);
}

void load(uint64_t local, uint64_t global, uint64_t global_end, const Rows &rows, Line line)
{
    linger();
    for (uint64_t row = 0; row < rows.count; row++) {
        const uint64_t from = global + row * rows.from;
        check_end(from + rows.bytes, global_end, line);
        copy(bytes_at(local + row * rows.to), bytes_at(from), rows.bytes);
    }
}

void store(uint64_t global, uint64_t global_end, uint64_t local, const Rows &rows, Line line)
{
    linger();
    for (uint64_t row = 0; row < rows.count; row++) {
        const uint64_t to = global + row * rows.to;
        check_end(to + rows.bytes, global_end, line);
        copy(bytes_at(to), bytes_at(local + row * rows.from), rows.bytes);
    }
}

void fill(uint64_t local, const void *value, size_t size, size_t count, Line)
{
    for (size_t n = 0; n < count; n++) {
        copy(bytes_at(local + n * size), value, size);
    }
}

void read_local(uint64_t local, void *value, size_t size, Line) { copy(value, bytes_at(local), size); }
void write_local(uint64_t local, const void *value, size_t size, Line) { copy(bytes_at(local), value, size); }
void set_flag(Pipe, Pipe, int, Line) {}
void wait_flag(Pipe, Pipe, int, Line) {}
void pipe_barrier(Line) {}
void fence(Line) {}
void refuse_argument(const char *what, uint64_t, Line line) { give_up(what, line.number); }

uint64_t remote_address(uint64_t global, int pe, Line line)
{
    const Rank &own = *self().rank;
    if (pe < 0 || pe >= ranks() || !in_heap(own, global)) {
        give_up("a remote address of what is no symmetric memory", line.number);
    }
    return global - reinterpret_cast<uint64_t>(own.heap) + reinterpret_cast<uint64_t>(rank_of(pe).heap);
}

void notify(uint64_t word, uint64_t value, int pe, Line line)
{
    linger();
    __atomic_store_n(reinterpret_cast<uint64_t *>(remote_address(word, pe, line)), value, __ATOMIC_RELEASE);
}

void wait_until(uint64_t word, int compare, uint64_t value, Line line)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(SECONDS);
    while (!holds(__atomic_load_n(reinterpret_cast<const uint64_t *>(word), __ATOMIC_ACQUIRE), compare, value)) {
        std::this_thread::sleep_for(std::chrono::microseconds(20));
        if (std::chrono::steady_clock::now() > end) {
            give_up("a wait that does not end", line.number);
        }
    }
}

void barrier_all(Line)
{
    static Gate gate;
    gate.pass(static_cast<uint64_t>(self().count) * static_cast<uint64_t>(ranks()));
}

}  // namespace a2agen
