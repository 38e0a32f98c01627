// A rank's host program and its streams.
#pragma once
#include <a2agen/launch.h>

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "clock.h"
#include "core.h"

namespace a2agen {

struct Stream {
    Thread thread = NO_THREAD;
    Clock clock;
    /// What was queued, each with what the host had seen then.
    std::deque<std::pair<Clock, std::function<void()>>> work;
    bool busy = false, closed = false;
};

struct Rank {
    int number = 0;
    Thread host = NO_THREAD;
    Clock clock;
    std::vector<std::unique_ptr<Stream>> streams;
    std::vector<std::unique_ptr<Core>> cores;
    bool initialised = false;
    uint64_t heap_used = 0;
};

/// That whose host runs now.
Rank &rank();
Rank &rank_of(int number);
void set_up_ranks(int (*program)(int, char **));
/// Queue work on a stream.
void enqueue(Stream &stream, std::function<void()> work);
/// Wait for all that is queued on a stream.
void synchronize(Stream &stream);
Stream &stream_of(void *handle);
void *open_stream();
/// An access of a stream or of a host, with its checks.
void host_access(Thread thread, Clock &clock, uint64_t address, uint64_t bytes, bool writes);

}  // namespace a2agen
