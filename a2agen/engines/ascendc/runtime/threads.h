// The threads whose order is followed, and their names in messages.
#pragma once
#include <string>
#include <vector>

#include "clock.h"

namespace a2agen {

enum class Kind : uint8_t { HOST, STREAM, SCALAR, LOCAL, VECTOR, MTE2, MTE3, QUEUE };

/// `core` is of the rank; `peer` and `queue` are those of a queue.
struct ThreadInfo {
    Kind kind;
    int rank;
    int core = -1;
    int peer = -1;
    int queue = 0;
    uint32_t count = 0;
};

class Threads {
public:
    Thread add(const ThreadInfo &info);
    ThreadInfo &operator[](Thread thread) { return all_[thread]; }
    Event next(Thread thread, int line) { return {thread, ++all_[thread].count, line}; }
    /// Whether what a thread does later comes after what it did before: not so for requests of a queue.
    bool in_order(Thread thread) const { return all_[thread].kind != Kind::QUEUE; }
    /// "rank 0 core 1 (line 70)"
    std::string describe(const Event &event) const;

private:
    std::vector<ThreadInfo> all_;
};

Threads &threads();

}  // namespace a2agen
