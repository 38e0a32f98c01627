#include "scheduler.h"

#include <algorithm>

#include "config.h"
#include "core.h"
#include "udma.h"

namespace a2agen {

namespace {

constexpr size_t STACK = 256 * 1024;
constexpr uint64_t HIGH = uint64_t{1} << 32;
constexpr uint64_t DEMOTE_ONE_OF = 64;
constexpr size_t SHOWN = 4;
constexpr uint64_t MOST_WITHOUT_CHANGE = 2'000'000;

}  // namespace

Scheduler &scheduler()
{
    static Scheduler only;
    return only;
}

void Scheduler::seed(uint64_t seed)
{
    state_ = seed * 0x9E3779B97F4A7C15 + 0xD1B54A32D192ED03;
    priorities_ = seed % 2 == 1;
    lowest_ = HIGH;
    constexpr uint64_t rates[] = {2, 8, 64};
    deliver_one_of_ = rates[random() % 3];
}

uint64_t Scheduler::random()
{
    state_ += 0x9E3779B97F4A7C15;
    uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

Actor &Scheduler::spawn(int rank, Core *core, std::function<void()> body)
{
    auto actor = std::make_unique<Actor>();
    actor->rank = rank;
    actor->core = core;
    actor->body = std::move(body);
    actor->priority = HIGH + random() % HIGH;
    if (stacks_.empty()) {
        actor->stack = std::make_unique<char[]>(STACK);
    } else {
        actor->stack = std::move(stacks_.back());
        stacks_.pop_back();
    }
    getcontext(&actor->context);
    actor->context.uc_stack.ss_sp = actor->stack.get();
    actor->context.uc_stack.ss_size = STACK;
    actor->context.uc_link = &main_;
    makecontext(&actor->context, &Scheduler::enter, 0);
    actors_.push_back(std::move(actor));
    changed();
    return *actors_.back();
}

void Scheduler::enter()
{
    Scheduler &self = scheduler();
    self.current_->body();
    self.current_->done = true;
    self.changed();
    swapcontext(&self.current_->context, &self.main_);
}

void Scheduler::reap()
{
    for (auto &actor : actors_) {
        if (actor->done) {
            stacks_.push_back(std::move(actor->stack));
        }
    }
    actors_.erase(std::remove_if(actors_.begin(), actors_.end(), [](const auto &actor) { return actor->done; }),
                  actors_.end());
}

void Scheduler::run()
{
    while (true) {
        reap();
        if (actors_.empty()) {
            return;
        }
        current_ = nullptr;
        current_ = choose();
        switches++;
        swapcontext(&main_, &current_->context);
    }
}

void Scheduler::step()
{
    if (++operations > config().operations_most) {
        find_and_stop("endless", site(),
                      "the kernels go on after " + std::to_string(config().operations_most) +
                          " operations, far more than launches of this shape take: a loop does not end");
    }
    if (version_ != quiet_version_) {
        quiet_version_ = version_;
        quiet_steps_ = 0;
    } else if (++quiet_steps_ > MOST_WITHOUT_CHANGE) {
        find_and_stop("deadlock", site(),
                      "nothing has changed in " + std::to_string(MOST_WITHOUT_CHANGE) +
                          " operations: cores poll for what never comes");
    }
    if (udma_busy() && chance(deliver_one_of_)) {
        deliver_some();
    }
    if (priorities_) {
        if (chance(DEMOTE_ONE_OF)) {
            current_->priority = --lowest_;
            go(choose());
        }
    } else if (chance(4)) {
        go(choose());
    }
}

void Scheduler::wait(std::function<bool()> ready, std::function<std::string()> waits)
{
    if (ready()) {
        return;
    }
    current_->ready = std::move(ready);
    current_->waits = std::move(waits);
    current_->tried = version_;
    go(choose());
    current_->ready = nullptr;
    current_->waits = nullptr;
}

void Scheduler::go(Actor *next)
{
    if (next == current_) {
        return;
    }
    Actor *before = current_;
    current_ = next;
    switches++;
    swapcontext(&before->context, &next->context);
}

bool Scheduler::is_ready(Actor &actor)
{
    if (actor.done) {
        return false;
    }
    if (!actor.ready) {
        return true;
    }
    if (actor.tried == version_) {
        return false;
    }
    if (actor.ready()) {
        return true;
    }
    actor.tried = version_;
    return false;
}

Actor *Scheduler::pick()
{
    Actor *best = nullptr;
    const size_t count = actors_.size(), first = random() % count;
    for (size_t n = 0; n < count; n++) {
        Actor &actor = *actors_[(first + n) % count];
        if ((best == nullptr || actor.priority > best->priority) && is_ready(actor)) {
            best = &actor;
            if (!priorities_) {
                break;
            }
        }
    }
    return best;
}

/// Who goes on. When nobody can, requests are delivered, then what pipes still hold is done.
Actor *Scheduler::choose()
{
    while (true) {
        if (Actor *best = pick()) {
            return best;
        }
        if (udma_busy()) {
            deliver_some();
        } else if (!advance_waiting_pipes()) {
            deadlock();
        }
    }
}

void Scheduler::deadlock()
{
    std::vector<const Actor *> cores, others;
    for (const auto &actor : actors_) {
        (actor->core ? cores : others).push_back(actor.get());
    }
    std::string text = std::to_string(cores.size()) + " cores blocked";
    if (cores.empty()) {
        text = "no core is left, hosts are blocked";
        cores = others;
    }
    std::stable_sort(cores.begin(), cores.end(), [](const Actor *a, const Actor *b) { return a->line < b->line; });
    for (size_t n = 0; n < cores.size() && n < SHOWN; n++) {
        text += (n ? "; " : ". ") + (cores[n]->waits ? cores[n]->waits() : std::string("one did not start"));
    }
    if (cores.size() > SHOWN) {
        text += "; and " + std::to_string(cores.size() - SHOWN) + " more";
    }
    const Actor *first = cores.empty() ? nullptr : cores.front();
    const Site site = first ? Site{first->rank, first->core ? first->core->index : -1, first->line} : Site{};
    find_and_stop("deadlock", site, text);
}

Site Scheduler::site() const
{
    if (current_ == nullptr) {
        return {};
    }
    const int line = current_->caller ? current_->caller : current_->line;
    return {current_->rank, current_->core ? current_->core->index : -1, current_->core ? line : 0};
}

}  // namespace a2agen
