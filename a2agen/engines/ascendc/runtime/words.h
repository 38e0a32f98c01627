// Signal words: scalar stores and the engine's signals that waits look at.
#pragma once
#include <cstdint>

#include "clock.h"
#include "findings.h"
#include "memory.h"

namespace a2agen {

/// Set a word. `clock` is what a wait that sees the value comes after; `line_owner` is the core whose cache line a
/// scalar store writes back, -1 for the engine.
void set_word(const Place &word, uint64_t value, const Event &event, const Clock &clock, const Site &site,
              int line_owner);
/// Bytes are written that may have been words.
void displace_words(uint64_t offset, uint64_t bytes, const Event &event, const Clock &clock, const Site &site);

}  // namespace a2agen
