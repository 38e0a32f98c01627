// Who wrote and who read each byte last, in intervals that accesses cut where they begin and end.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "clock.h"

namespace a2agen {

struct Interval {
    uint64_t end;
    Event write;
    std::vector<Event> reads;
};

/// An earlier access that nothing orders before a new one.
struct Conflict {
    uint64_t at;
    Event earlier;
    bool earlier_writes;
};

class Shadow {
public:
    /// Note an access of bytes start to end - 1 and give the first conflict of it; `found` is false without one.
    Conflict access(uint64_t start, uint64_t end, bool writes, const Event &event, const Clock &clock, bool &found);
    /// The last write of a byte, none where nothing wrote it.
    Event writer(uint64_t at) const;
    void forget(uint64_t start, uint64_t end);

private:
    using Map = std::map<uint64_t, Interval>;
    Map::iterator cut(uint64_t at);

    Map intervals_;
};

}  // namespace a2agen
