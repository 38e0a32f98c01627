#include "meeting.h"

#include "scheduler.h"

namespace a2agen {

void Meeting::join(uint64_t count, Clock &clock, const std::string &who)
{
    gathering_.join(clock);
    const uint64_t round = round_;
    if (++arrived_ == count) {
        arrived_ = 0;
        round_++;
        gathered_ = gathering_;
        gathering_ = Clock();
        scheduler().changed();
    }
    scheduler().wait([&] { return round_ > round; },
                     [&, count] { return who + " for " + std::to_string(count - arrived_) + " others"; });
    clock.join(gathered_);
    scheduler().step();
}

}  // namespace a2agen
