// Fences and the barrier of all cores.
#include <a2agen/device.h>

#include "config.h"
#include "core.h"
#include "meeting.h"
#include "scheduler.h"

namespace a2agen {

/// Both of the library's completes loads and stores of the core, and leaves the engine's requests alone.
void fence(Line line)
{
    drain(core(), line.number);
    scheduler().step();
}

void barrier_all(Line line)
{
    static Meeting meeting;
    Core &self = core();
    drain(self, line.number);
    const uint64_t all = static_cast<uint64_t>(self.count) * static_cast<uint64_t>(config().ranks);
    if (static_cast<uint64_t>(self.count) > config().barrier_cores) {
        refuse_argument("the barrier has no room for that many cores of a rank:", static_cast<uint64_t>(self.count),
                        line);
    }
    meeting.join(all, self.seen(),
                 "rank " + std::to_string(self.rank) + " core " + std::to_string(self.index) + " (line " +
                     std::to_string(line.number) + ") waits in the barrier");
}

}  // namespace a2agen
