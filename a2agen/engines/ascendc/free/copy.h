// Copies that ThreadSanitizer sees. It can miss races on bytes that memcpy has moved (g++ 12 at -O2 did, in a prototype),
// so words are moved one by one, and the build keeps the compiler from making a memcpy of the loop.
#pragma once
#include <cstddef>
#include <cstdint>

namespace a2agen {

/// The engine's blocks become visible at once: the flag, the last part of a block, is written last.
constexpr size_t BLOCK = 512, PAYLOAD = 480;

void copy(void *target, const void *source, size_t bytes);
/// Write part of a block by the engine; `target` lies in one block.
void copy_block(uint8_t *target, const uint8_t *source, size_t bytes);

}  // namespace a2agen
