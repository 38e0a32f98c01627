// What the stand-ins for Ascend C and aclshmem ask of the engine that runs them. Addresses are numbers: of global memory
// (GM) as the kernel sees it, or of the core's unified buffer (UB).
#pragma once
#include <cstddef>
#include <cstdint>

namespace a2agen {

enum class Pipe : uint8_t { S, V, MTE2, MTE3 };
constexpr int PIPES = 4;

/// The line of a call, as the default of the last parameter.
struct Line {
    int number;
    static constexpr Line here(int line = __builtin_LINE()) { return Line{line}; }
};

/// While it lives, the function that runs was called on that line.
struct Called {
    explicit Called(int line) { called(line); }
    ~Called() { called(0); }
    Called(const Called &) = delete;
    Called &operator=(const Called &) = delete;
    /// Tells the engine; 0 for no function.
    static void called(int line);
};

/// `count` rows of `bytes` each; `from` and `to` are the steps between the starts of rows, in bytes.
struct Rows {
    uint64_t count, bytes, from, to;
};

int64_t block_index();
int64_t block_count();

uint64_t allocate_local(uint32_t bytes, Line line);
void load(uint64_t local, uint64_t global, uint64_t global_end, const Rows &rows, Line line);
void store(uint64_t global, uint64_t global_end, uint64_t local, const Rows &rows, Line line);
void fill(uint64_t local, const void *value, size_t size, size_t count, Line line);
void read_local(uint64_t local, void *value, size_t size, Line line);
void write_local(uint64_t local, const void *value, size_t size, Line line);

void set_flag(Pipe from, Pipe to, int event, Line line);
void wait_flag(Pipe from, Pipe to, int event, Line line);
void pipe_barrier(Line line);
/// An argument that the real function does not take.
void refuse_argument(const char *what, uint64_t value, Line line);

int my_pe();
int n_pes();
uint64_t remote_address(uint64_t global, int pe, Line line);
void notify(uint64_t word, uint64_t value, int pe, Line line);
void wait_until(uint64_t word, int compare, uint64_t value, Line line);
void fence(Line line);
void barrier_all(Line line);

enum class Submission : uint8_t { NOW, DEFER, SUBMIT };

/// A request of the UDMA engine. `via` is -1 without a relay, `local` is 0 where the library brings its own staging.
struct Put {
    uint64_t target, source, bytes, local;
    int pe;
    uint32_t queue = 0;
    int via = -1;
    bool signals = false;
    uint64_t word = 0, value = 0;
    Submission submission = Submission::NOW;
    uint32_t *pending = nullptr;
};

void put(const Put &request, Line line);
void quiet(int pe, uint32_t queue, Line line);

}  // namespace a2agen
