#include "threads.h"

#include "udma.h"

namespace a2agen {

Threads &threads()
{
    static Threads all;
    return all;
}

Thread Threads::add(const ThreadInfo &info)
{
    all_.push_back(info);
    return static_cast<Thread>(all_.size() - 1);
}

std::string Threads::describe(const Event &event) const
{
    const ThreadInfo &info = all_[event.thread];
    const std::string rank = "rank " + std::to_string(info.rank);
    const std::string line = " (line " + std::to_string(event.line) + ")";
    const std::string core = rank + " core " + std::to_string(info.core) + line;
    switch (info.kind) {
        case Kind::HOST:
            return rank + "'s host";
        case Kind::STREAM:
            return rank + "'s stream";
        case Kind::VECTOR:
            return core + " by V";
        case Kind::MTE2:
            return core + " by MTE2";
        case Kind::MTE3:
            return core + " by MTE3";
        case Kind::QUEUE:
            return "the put of " + rank + " core " + std::to_string(requester(event)) + line + " to rank " +
                   std::to_string(info.peer) + (info.queue ? " on queue " + std::to_string(info.queue) : "");
        default:
            return core;
    }
}

}  // namespace a2agen
