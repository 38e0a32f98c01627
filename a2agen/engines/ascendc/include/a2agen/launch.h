// What the launch functions that go with a kernel ask of the engine.
#pragma once
#include <cstdint>

namespace a2agen {

/// A kernel with its arguments bound, and the arguments that are addresses, by name.
struct Launch {
    const char *kernel;
    void (*body)(void *);
    void *arguments;
    void (*destroy)(void *);
    const char *const *names;
    const uint64_t *addresses;
    int count;
};

uint32_t launch(uint32_t blocks, void *stream, const Launch &what);

}  // namespace a2agen
