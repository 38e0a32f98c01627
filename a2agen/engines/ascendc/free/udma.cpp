// The UDMA engine: a thread for each queue, which delivers late and in any order.
#include <a2agen/device.h>

#include <algorithm>
#include <random>

#include "copy.h"
#include "config.h"
#include "world.h"

namespace a2agen {

namespace {

struct Queue {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Put> deferred, flying;
    bool busy = false, closed = false;
    std::thread thread;
    uint64_t number = 0;
    void serve();
};

std::vector<std::unique_ptr<Queue>> queues;
int per_peer = 1;

void deliver(const Put &request, std::mt19937 &random)
{
    const uint64_t end = request.target + request.bytes;
    std::vector<uint64_t> starts;
    for (uint64_t at = request.target; at < end; at = (at / BLOCK + 1) * BLOCK) {
        starts.push_back(at);
    }
    std::shuffle(starts.begin(), starts.end(), random);
    for (const uint64_t at : starts) {
        const uint64_t bytes = std::min(end, (at / BLOCK + 1) * BLOCK) - at;
        copy_block(reinterpret_cast<uint8_t *>(at),
                   reinterpret_cast<const uint8_t *>(request.source + (at - request.target)), bytes);
    }
    if (request.signals) {
        __atomic_store_n(reinterpret_cast<uint64_t *>(request.word), request.value, __ATOMIC_RELEASE);
    }
}

void Queue::serve()
{
    std::mt19937 random(static_cast<unsigned>(config().seed * 104729 + number));
    while (true) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return !flying.empty() || closed; });
        if (flying.empty()) {
            return;
        }
        lock.unlock();
        linger();
        lock.lock();
        const size_t which = random() % flying.size();
        const Put request = flying[which];
        flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(which));
        busy = true;
        lock.unlock();
        deliver(request, random);
        lock.lock();
        busy = false;
        changed.notify_all();
    }
}

Queue &queue_of(int pe, uint32_t number, Line line)
{
    if (pe < 0 || pe >= ranks() || pe == self().rank->number || number >= static_cast<uint32_t>(per_peer)) {
        give_up("a queue that is not there", line.number);
    }
    return *queues[(static_cast<size_t>(self().rank->number) * ranks() + pe) * per_peer + number];
}

}  // namespace

void set_up_queues(int count)
{
    per_peer = count;
    for (int n = 0; n < ranks() * ranks() * count; n++) {
        queues.push_back(std::make_unique<Queue>());
        Queue *queue = queues.back().get();
        queue->number = static_cast<uint64_t>(n);
        queue->thread = std::thread([queue] { queue->serve(); });
    }
}

void stop_queues()
{
    for (auto &queue : queues) {
        {
            const std::lock_guard<std::mutex> lock(queue->mutex);
            queue->closed = true;
        }
        queue->changed.notify_all();
        queue->thread.join();
    }
}

void put(const Put &what, Line line)
{
    linger();
    Put request = what;
    request.target = remote_address(what.target, what.pe, line);
    if (what.signals) {
        request.word = remote_address(what.word, what.pe, line);
    }
    Queue &queue = queue_of(what.pe, what.queue, line);
    const std::lock_guard<std::mutex> lock(queue.mutex);
    if (what.submission == Submission::DEFER) {
        queue.deferred.push_back(request);
        ++*what.pending;
        return;
    }
    if (what.submission == Submission::SUBMIT) {
        queue.flying.insert(queue.flying.end(), queue.deferred.begin(), queue.deferred.end());
        queue.deferred.clear();
        *what.pending = 0;
    }
    queue.flying.push_back(request);
    queue.changed.notify_all();
}

void quiet(int pe, uint32_t number, Line line)
{
    Queue &queue = queue_of(pe, number, line);
    std::unique_lock<std::mutex> lock(queue.mutex);
    queue.changed.wait(lock, [&] { return queue.flying.empty() && !queue.busy; });
}

}  // namespace a2agen
