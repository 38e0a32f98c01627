// One thing runs at a time: hosts, streams and cores take turns in an order that the seed gives.
#pragma once
#include <ucontext.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "findings.h"

namespace a2agen {

struct Core;

/// Something that runs until it waits. `ready` says whether it can go on, `waits` what for, in words.
struct Actor {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    std::function<void()> body;
    std::function<bool()> ready;
    std::function<std::string()> waits;
    uint64_t tried = 0;
    uint64_t priority = 0;
    bool done = false;
    int rank = -1;
    Core *core = nullptr;
    int line = 0;
    /// The line on which the helper that runs was called; 0 for none.
    int caller = 0;
};

class Scheduler {
public:
    void seed(uint64_t seed);
    Actor &spawn(int rank, Core *core, std::function<void()> body);
    /// Run all actors to their ends, or find a deadlock.
    void run();
    /// Perhaps let others go on; an operation that others can see.
    void step();
    /// Go on when `ready` holds.
    void wait(std::function<bool()> ready, std::function<std::string()> waits);
    /// Something changed for which somebody may wait.
    void changed() { version_++; }
    Actor &current() { return *current_; }
    bool running() const { return current_ != nullptr; }
    Site site() const;
    uint64_t random();
    bool chance(uint64_t one_of) { return random() % one_of == 0; }

    uint64_t operations = 0, switches = 0;
    std::vector<int> exits;

private:
    Actor *choose();
    Actor *pick();
    bool is_ready(Actor &actor);
    void go(Actor *next);
    void reap();
    static void enter();
    [[noreturn]] void deadlock();

    std::vector<std::unique_ptr<Actor>> actors_;
    std::vector<std::unique_ptr<char[]>> stacks_;
    Actor *current_ = nullptr;
    ucontext_t main_;
    uint64_t state_ = 0, version_ = 1, lowest_ = 0;
    uint64_t quiet_version_ = 0, quiet_steps_ = 0;
    uint64_t deliver_one_of_ = 4;
    bool priorities_ = false;
};

Scheduler &scheduler();

}  // namespace a2agen
