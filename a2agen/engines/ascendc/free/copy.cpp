#include "copy.h"

namespace a2agen {

void copy(void *target, const void *source, size_t bytes)
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

void copy_block(uint8_t *target, const uint8_t *source, size_t bytes)
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
