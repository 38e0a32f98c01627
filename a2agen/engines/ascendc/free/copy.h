// Copies that ThreadSanitizer sees. It was blind to races on bytes that memcpy had moved, so words are moved one by one,
// and the build keeps the compiler from making a memcpy of the loop.
#pragma once
#include <cstddef>
#include <cstdint>
#ifdef A2AGEN_PLAIN_MEMCPY
#include <cstring>
#endif

namespace a2agen {

/// The engine's blocks become visible at once: the flag, the last part of a block, is written last.
constexpr size_t BLOCK = 512, PAYLOAD = 480;

#ifdef A2AGEN_PLAIN_MEMCPY
inline void copy(void *target, const void *source, size_t bytes) { std::memcpy(target, source, bytes); }
#else
__attribute__((noinline)) inline void copy(void *target, const void *source, size_t bytes)
{
    const uint64_t both = reinterpret_cast<uint64_t>(target) | reinterpret_cast<uint64_t>(source);
    auto *to = static_cast<uint8_t *>(target);
    auto *from = static_cast<const uint8_t *>(source);
    if (both % sizeof(uint64_t) == 0) {
        for (; bytes >= sizeof(uint64_t); bytes -= sizeof(uint64_t)) {
            *reinterpret_cast<uint64_t *>(to) = *reinterpret_cast<const uint64_t *>(from);
            to += sizeof(uint64_t);
            from += sizeof(uint64_t);
        }
    }
    for (; bytes > 0; bytes--) {
        *to++ = *from++;
    }
}
#endif

/// Write part of a block by the engine; `target` lies in one block.
inline void copy_block(uint8_t *target, const uint8_t *source, size_t bytes)
{
    if (bytes != BLOCK) {
        copy(target, source, bytes);
        return;
    }
    copy(target, source, PAYLOAD);
    copy(target + PAYLOAD + sizeof(uint64_t), source + PAYLOAD + sizeof(uint64_t), BLOCK - PAYLOAD - sizeof(uint64_t));
    const uint64_t flag = *reinterpret_cast<const uint64_t *>(source + PAYLOAD);
    __atomic_store_n(reinterpret_cast<uint64_t *>(target + PAYLOAD), flag, __ATOMIC_RELEASE);
}

}  // namespace a2agen
