#include "shadow.h"

#include "threads.h"

namespace a2agen {

namespace {

bool ordered(const Event &earlier, const Event &event, const Clock &clock)
{
    const bool same =
        earlier.thread == event.thread && (earlier.number == event.number || threads().in_order(event.thread));
    return same || clock.covers(earlier);
}

void note_read(std::vector<Event> &reads, const Event &event)
{
    const bool in_order = threads().in_order(event.thread);
    for (Event &read : reads) {
        if (read.thread == event.thread && (in_order || read.number == event.number)) {
            read = event;
            return;
        }
    }
    reads.push_back(event);
}

}  // namespace

/// Make an interval begin at `at`, if one lies across it; give the first that begins at or behind it.
Shadow::Map::iterator Shadow::cut(uint64_t at)
{
    auto next = intervals_.lower_bound(at);
    if (next != intervals_.begin()) {
        auto before = std::prev(next);
        if (before->second.end > at) {
            Interval rest = before->second;
            before->second.end = at;
            return intervals_.emplace_hint(next, at, std::move(rest));
        }
    }
    return next;
}

Conflict Shadow::access(uint64_t start, uint64_t end, bool writes, const Event &event, const Clock &clock, bool &found)
{
    Conflict conflict{};
    found = false;
    auto conflicts = [&](uint64_t at, const Event &earlier, bool earlier_writes) {
        if (!found && !earlier.is_none() && !ordered(earlier, event, clock)) {
            found = true;
            conflict = {at, earlier, earlier_writes};
        }
    };
    cut(end);
    auto here = cut(start);
    uint64_t at = start;
    while (at < end) {
        if (here == intervals_.end() || here->first > at) {
            const uint64_t gap_end = here == intervals_.end() ? end : std::min(end, here->first);
            here = intervals_.emplace_hint(here, at, Interval{gap_end, {}, {}});
        }
        Interval &interval = here->second;
        conflicts(at, interval.write, true);
        if (writes) {
            for (const Event &read : interval.reads) {
                conflicts(at, read, false);
            }
            interval.write = event;
            interval.reads.clear();
        } else {
            note_read(interval.reads, event);
        }
        at = interval.end;
        ++here;
    }
    return conflict;
}

Event Shadow::writer(uint64_t at) const
{
    auto next = intervals_.upper_bound(at);
    if (next == intervals_.begin()) {
        return {};
    }
    const Interval &interval = std::prev(next)->second;
    return at < interval.end ? interval.write : Event{};
}

void Shadow::forget(uint64_t start, uint64_t end)
{
    auto last = cut(end);
    intervals_.erase(cut(start), last);
}

}  // namespace a2agen
