// Where all of a number meet and go on with what each had seen.
#pragma once
#include <cstdint>
#include <string>

#include "clock.h"

namespace a2agen {

class Meeting {
public:
    /// Wait until `count` have come; `clock` then has what all of them had. `who` says who waits, for messages.
    void join(uint64_t count, Clock &clock, const std::string &who);

private:
    uint64_t round_ = 0, arrived_ = 0;
    Clock gathering_, gathered_;
};

}  // namespace a2agen
