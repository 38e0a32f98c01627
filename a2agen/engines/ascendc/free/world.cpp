#include "world.h"

#include <sys/mman.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "config.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace a2agen {

namespace {

std::vector<std::unique_ptr<Rank>> all_ranks;

}  // namespace

void Gate::pass(uint64_t count)
{
    std::unique_lock<std::mutex> lock(mutex_);
    const uint64_t round = round_;
    if (++arrived_ == count) {
        arrived_ = 0;
        round_++;
        all_here_.notify_all();
    }
    all_here_.wait(lock, [&] { return round_ > round; });
}

void Stream::serve()
{
    while (true) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return !work.empty() || closed; });
        if (work.empty()) {
            return;
        }
        busy = true;
        const std::function<void()> next = std::move(work.front());
        work.pop_front();
        lock.unlock();
        next();
        lock.lock();
        busy = false;
        changed.notify_all();
    }
}

void Stream::enqueue(std::function<void()> next)
{
    const std::lock_guard<std::mutex> lock(mutex);
    work.push_back(std::move(next));
    changed.notify_all();
}

void Stream::synchronize()
{
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return work.empty() && !busy; });
}

Self &self()
{
    thread_local Self own;
    return own;
}

Rank &rank_of(int number) { return *all_ranks[static_cast<size_t>(number)]; }
int ranks() { return config().ranks; }

bool in_heap(const Rank &rank, uint64_t address)
{
    const uint64_t start = reinterpret_cast<uint64_t>(rank.heap);
    return address >= start && address < start + HEAP_BYTES;
}

void set_up_ranks()
{
    for (int number = 0; number < ranks(); number++) {
        all_ranks.push_back(std::make_unique<Rank>());
        Rank &rank = *all_ranks.back();
        rank.number = number;
        void *at =
            mmap(nullptr, HEAP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) {
            std::perror("engine: no address space for the ranks' memory");
            std::_Exit(2);
        }
        rank.heap = static_cast<uint8_t *>(at);
    }
}

void give_up(const char *what, int line)
{
    std::fprintf(stderr, "engine: rank %d core %d (line %d): %s\n", self().rank ? self().rank->number : -1,
                 self().index, line, what);
    std::fflush(stderr);
    std::_Exit(3);
}

void linger()
{
    thread_local std::mt19937 random(
        static_cast<unsigned>(config().seed * 7919 + std::hash<std::thread::id>()(std::this_thread::get_id())));
    if (random() % 4 == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 100));
    }
}

void forbid(const void *start, uint64_t bytes)
{
#if defined(__SANITIZE_ADDRESS__)
    ASAN_POISON_MEMORY_REGION(start, bytes);
#else
    static_cast<void>(start), static_cast<void>(bytes);
#endif
}

void allow(const void *start, uint64_t bytes)
{
#if defined(__SANITIZE_ADDRESS__)
    ASAN_UNPOISON_MEMORY_REGION(start, bytes);
#else
    static_cast<void>(start), static_cast<void>(bytes);
#endif
}

}  // namespace a2agen
