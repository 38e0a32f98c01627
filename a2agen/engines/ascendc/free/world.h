// Ranks, streams and cores as threads of the machine, for builds with a sanitizer.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace a2agen {

/// Where a number of threads meet.
class Gate {
public:
    void pass(uint64_t count);

private:
    std::mutex mutex_;
    std::condition_variable all_here_;
    uint64_t arrived_ = 0, round_ = 0;
};

struct Stream {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> work;
    bool busy = false, closed = false;
    std::thread thread;
    void serve();
    void enqueue(std::function<void()> next);
    void synchronize();
};

struct Rank {
    int number = 0;
    uint8_t *heap = nullptr;
    uint64_t heap_top = 0;
    bool initialised = false;
    std::vector<std::unique_ptr<Stream>> streams;
};

/// A core, or a host with `index` -1, as a thread knows itself.
struct Self {
    Rank *rank = nullptr;
    int index = -1;
    int64_t count = 0;
    uint8_t *local = nullptr;
    uint64_t local_top = 0;
};

Self &self();
Rank &rank_of(int number);
int ranks();
/// Room for symmetric memory of each rank.
constexpr uint64_t HEAP_BYTES = uint64_t{1} << 33;
bool in_heap(const Rank &rank, uint64_t address);
void set_up_queues(int count);
void stop_queues();
/// Report what cannot go on, and end the process with 3.
[[noreturn]] void give_up(const char *what, int line);
/// A little time, of random length now and then.
void linger();
void set_up_ranks();

/// Keep AddressSanitizer from letting bytes be touched, or allow it again.
void forbid(const void *start, uint64_t bytes);
void allow(const void *start, uint64_t bytes);

}  // namespace a2agen
