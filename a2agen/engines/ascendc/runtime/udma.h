// The UDMA engine: a queue to each peer and queue number, a ring of slots, doorbells, late and reordered delivery.
#pragma once
#include "clock.h"

namespace a2agen {

/// Requests are on their way.
bool udma_busy();
/// Let a request, of any queue, make some way.
void deliver_some();
/// Of an event of a queue: the core that asked for it, and what that had seen.
int requester(const Event &event);
const Clock &request_clock(const Event &event);
void set_up_queues(int count);
int queue_count();
/// Owners of queues change from launch to launch.
void release_queues(int rank);
/// Report what a launch leaves in its queues.
void check_queues(int rank);

}  // namespace a2agen
