// Threads, events and vector clocks: what is known to come before what.
#pragma once
#include <cstdint>
#include <vector>

namespace a2agen {

using Thread = uint32_t;
constexpr Thread NO_THREAD = ~Thread{0};

/// The `number`th thing that a thread did, from 1, and the line of the kernel that says so.
struct Event {
    Thread thread = NO_THREAD;
    uint32_t number = 0;
    int line = 0;
    bool is_none() const { return thread == NO_THREAD; }
};

/// The events that something comes after: of each thread all up to a number, and others singly.
///
/// Requests of a queue complete in any order, so that the fifth may be known to be there and the fourth not.
class Clock {
public:
    /// Without checks clocks stay empty, and cost nothing.
    inline static bool kept = true;

    bool covers(const Event &event) const
    {
        return event.number <= upto(event.thread) || (!single_.empty() && among_single(event));
    }
    uint32_t upto(Thread thread) const { return thread < upto_.size() ? upto_[thread] : 0; }
    void set(Thread thread, uint32_t number)
    {
        if (!kept) {
            return;
        }
        if (thread >= upto_.size()) {
            upto_.resize(thread + 1, 0);
        }
        upto_[thread] = number;
    }
    void join(const Clock &other);
    /// Add events first to last of a thread.
    void learn(Thread thread, uint32_t first, uint32_t last);

private:
    struct Range {
        Thread thread;
        uint32_t first, last;
    };
    bool among_single(const Event &event) const;
    void absorb(Thread thread);

    std::vector<uint32_t> upto_;
    std::vector<Range> single_;
};

}  // namespace a2agen
