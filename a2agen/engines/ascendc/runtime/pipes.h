// What the pipes of a core do in their turns.
#pragma once
#include <string>

#include "core.h"

namespace a2agen {

inline int index_of(Pipe pipe) { return static_cast<int>(pipe); }
/// "event 0 from MTE2 to MTE3"
std::string event_name(Pipe from, Pipe to, int event);
/// Set the event of an operation by a pipe, or by the scalar unit.
void do_set(Core &core, Pipe pipe, const Operation &op);
/// Do the first thing that a pipe holds; false where there is none, or it waits.
bool advance(Core &core, Pipe pipe);
/// Do all that can be done; false when that was nothing.
bool advance_all(Core &core);

}  // namespace a2agen
