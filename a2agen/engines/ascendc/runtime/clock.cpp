#include "clock.h"

#include <algorithm>

namespace a2agen {

void Clock::join(const Clock &other)
{
    if (other.upto_.size() > upto_.size()) {
        upto_.resize(other.upto_.size(), 0);
    }
    for (size_t thread = 0; thread < other.upto_.size(); thread++) {
        upto_[thread] = std::max(upto_[thread], other.upto_[thread]);
    }
    const std::vector<Range> ranges = other.single_;
    for (const Range &range : ranges) {
        learn(range.thread, range.first, range.last);
    }
    if (!single_.empty()) {
        const std::vector<Range> own = single_;
        for (const Range &range : own) {
            absorb(range.thread);
        }
    }
}

void Clock::learn(Thread thread, uint32_t first, uint32_t last)
{
    const uint32_t known = upto(thread);
    if (!kept || last <= known) {
        return;
    }
    if (first <= known + 1) {
        set(thread, last);
        absorb(thread);
        return;
    }
    for (Range &range : single_) {
        if (range.thread == thread && first <= range.last + 1 && last + 1 >= range.first) {
            range.first = std::min(range.first, first);
            range.last = std::max(range.last, last);
            return;
        }
    }
    single_.push_back({thread, first, last});
}

void Clock::absorb(Thread thread)
{
    for (bool again = true; again;) {
        again = false;
        for (size_t n = 0; n < single_.size(); n++) {
            if (single_[n].thread == thread && single_[n].first <= upto(thread) + 1) {
                set(thread, std::max(upto(thread), single_[n].last));
                single_[n] = single_.back();
                single_.pop_back();
                again = true;
                break;
            }
        }
    }
}

bool Clock::among_single(const Event &event) const
{
    return std::any_of(single_.begin(), single_.end(), [&](const Range &range) {
        return range.thread == event.thread && range.first <= event.number && event.number <= range.last;
    });
}

}  // namespace a2agen
