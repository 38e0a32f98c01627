#include "udma.h"

#include <a2agen/device.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "config.h"
#include "core.h"
#include "memory.h"
#include "scheduler.h"
#include "threads.h"
#include "words.h"

namespace a2agen {

namespace {

constexpr uint64_t STAGING = 128, STAGING_OF_BATCH = 64;

struct Request {
    Place target, source, word;
    uint64_t bytes = 0, value = 0;
    bool signals = false, reports = true, blockwise = false;
    int rank = 0, core = 0, line = 0;
    Thread thread = NO_THREAD;
    uint32_t first = 0, last = 0;
    uint64_t slots = 1;
    Clock clock;
    std::vector<uint32_t> blocks;
    /// Where its description lies until the doorbell, and the event that wrote it there.
    uint64_t staging = 0;
    Event described;
};

struct Queue {
    int rank = 0, peer = 0, number = 0;
    Thread thread = NO_THREAD;
    int owner = -1, owner_line = 0;
    std::vector<std::shared_ptr<Request>> deferred, flying;
    std::map<uint32_t, std::shared_ptr<Request>> by_event;
    uint64_t requests = 0, slots = 0, completions = 0, finished_slots = 0, finished = 0;
    uint32_t last_event = 0;
    int last_line = 0;
};

std::vector<Queue> queues;
std::vector<Queue *> busy;
int per_peer = 1;

Queue &queue_of(int rank, int peer, uint32_t number)
{
    const size_t at = (static_cast<size_t>(rank) * config().ranks + peer) * per_peer + number;
    return queues[at];
}

std::string name(const Queue &queue)
{
    return "queue " + std::to_string(queue.number) + " of rank " + std::to_string(queue.rank) + " to rank " +
           std::to_string(queue.peer);
}

void own(Queue &queue, const Core &self, int line)
{
    if (queue.owner >= 0 && queue.owner != self.index) {
        find("shared-queue", self.site(line),
             "cores " + std::to_string(queue.owner) + " (line " + std::to_string(queue.owner_line) + ") and " +
                 std::to_string(self.index) + " use " + name(queue),
             queue.owner_line);
    }
    queue.owner = self.index;
    queue.owner_line = line;
}

/// The library frees the slots of finished requests when it polls their completions.
void poll(Queue &queue)
{
    queue.slots -= queue.finished_slots;
    queue.requests -= queue.finished;
    queue.finished_slots = queue.finished = queue.completions = 0;
}

void wait_for_credit(Queue &queue, uint64_t slots, const Core &self, int line)
{
    if (queue.requests >= config().ring_slots) {
        scheduler().wait([&] { return queue.finished > 0; },
                         [&, line] {
                             return "rank " + std::to_string(self.rank) + " core " + std::to_string(self.index) +
                                    " (line " + std::to_string(line) + ") waits for room in " + name(queue);
                         });
        poll(queue);
    }
    if (queue.slots + slots > config().ring_slots) {
        find_and_stop("queue-overrun", self.site(line),
                      name(queue) + " has " + std::to_string(config().ring_slots) + " slots, " +
                          std::to_string(queue.slots) +
                          " are taken by requests that nobody waited for, and a "
                          "request of " +
                          std::to_string(slots) + " more overwrites one");
    }
}

/// Hand requests to the engine: from now on they read their sources and write their targets at any time.
void submit(Queue &queue, const std::vector<std::shared_ptr<Request>> &batch, const Core &self)
{
    for (const auto &request : batch) {
        request->thread = queue.thread;
        request->first = queue.last_event + 1;
        const uint64_t size = config().block_bytes;
        const uint64_t start = request->target.offset / size * size, end = request->target.offset + request->bytes;
        const uint32_t blocks = static_cast<uint32_t>((end - start + size - 1) / size);
        request->last = request->blockwise ? queue.last_event + blocks : request->first;
        queue.last_event = request->last;
        threads()[queue.thread].count = queue.last_event;
        queue.last_line = request->line;
        for (uint32_t n = 0; n < blocks; n++) {
            request->blocks.push_back(n);
        }
        for (size_t n = blocks; n > 1; n--) {
            std::swap(request->blocks[n - 1], request->blocks[scheduler().random() % n]);
        }
        if (config().checked) {
            request->clock = issued(self);
            queue.by_event[request->last] = request;
            const Event event{queue.thread, request->first, request->line};
            const Site site{request->rank, request->core, request->line};
            check_global(request->source.offset, request->bytes, false, {queue.thread, request->last, request->line},
                         request->clock, site);
            if (!request->blockwise) {
                check_global(request->target.offset, request->bytes, true, event, request->clock, site);
                displace_words(request->target.offset, request->bytes, event, request->clock, site);
            }
        }
        if (queue.flying.empty()) {
            busy.push_back(&queue);
        }
        queue.flying.push_back(request);
    }
}

void deliver_block(Request &request, uint32_t block)
{
    const uint64_t size = config().block_bytes, base = request.target.offset / size * size;
    const uint64_t start = std::max(request.target.offset, base + block * size);
    const uint64_t end = std::min(request.target.offset + request.bytes, base + (block + 1) * size);
    const uint64_t skipped = start - request.target.offset, bytes = end - start;
    const Place to{start, request.target.bytes + skipped, request.target.defined + skipped};
    const Place from{request.source.offset + skipped, request.source.bytes + skipped, request.source.defined + skipped};
    if (request.blockwise && config().checked) {
        const Event event{request.thread, request.first + block, request.line};
        const Site site{request.rank, request.core, request.line};
        check_global(start, bytes, true, event, request.clock, site);
        displace_words(start, bytes, event, request.clock, site);
    }
    move_bytes(to, from, bytes);
}

void complete(Queue &queue, Request &request)
{
    if (request.signals) {
        Clock done = request.clock;
        done.learn(request.thread, request.first, request.last);
        const Event event{request.thread, request.last, request.line};
        set_word(request.word, request.value, event, done, {request.rank, request.core, request.line}, -1);
    }
    queue.finished++;
    queue.finished_slots += request.slots;
    if (request.reports && ++queue.completions > config().completions) {
        find_and_stop("queue-overrun", {request.rank, request.core, request.line},
                      "the completions of " + name(queue) + " overrun: " + std::to_string(config().completions) +
                          " lie there, and nobody polls them");
    }
}

const Request &request_of(const Event &event)
{
    const ThreadInfo &info = threads()[event.thread];
    return *queue_of(info.rank, info.peer, static_cast<uint32_t>(info.queue))
                .by_event.lower_bound(event.number)
                ->second;
}

/// Note the description of a request in the unified buffer; the doorbell finds it there.
void describe_request(Core &self, Request &request, const Put &put, uint64_t place_in_batch)
{
    if (put.local == 0) {
        return;
    }
    const bool batched = put.submission != Submission::NOW;
    const uint64_t at = put.local + (batched ? place_in_batch * STAGING_OF_BATCH : 0);
    const Event event = threads().next(self.scalar_stores, request.line);
    self.seen().set(event.thread, event.number);
    access_local(self, at, batched ? STAGING_OF_BATCH : STAGING, true, event, self.seen(), request.line,
                 "a request's description");
    request.staging = at;
    request.described = event;
    if (!batched) {
        self.stores_published = event.number;
    }
}

void check_descriptions(Core &self, const Queue &queue, int line)
{
    for (const auto &request : queue.deferred) {
        const Event writer = self.local_shadow.writer(request->staging - local_base());
        if (config().checked && request->staging != 0 && writer.number != request->described.number) {
            find("source-reuse", self.site(line),
                 "the description of the request of line " + std::to_string(request->line) +
                     " is overwritten on line " + std::to_string(writer.line) + " before its doorbell");
        }
    }
}

bool allowed(const Put &put, const Core &self, Line line)
{
    const Site site = self.site(line.number);
    if (put.pe < 0 || put.pe >= config().ranks || put.queue >= static_cast<uint32_t>(per_peer)) {
        find("bad-argument", site,
             "there is no queue " + std::to_string(put.queue) + " to rank " + std::to_string(put.pe) + "; there are " +
                 std::to_string(config().ranks) + " ranks and " + std::to_string(per_peer) + " queues to each");
        return false;
    }
    if (put.pe == self.rank) {
        find("put-to-self", site,
             "a put of rank " + std::to_string(self.rank) + " to itself, which the engine does not do");
        return false;
    }
    if (put.via >= 0 && (put.via == self.rank || put.via == put.pe || put.via >= config().ranks || per_peer > 1)) {
        find("bad-argument", site,
             "a relay by rank " + std::to_string(put.via) + " from rank " + std::to_string(self.rank) + " to rank " +
                 std::to_string(put.pe) + " with " + std::to_string(per_peer) +
                 " queues: it must be a third rank, and the library has one queue then");
        return false;
    }
    if (put.bytes == 0 || put.bytes > config().request_bytes) {
        find("bad-argument", site,
             "a request of " + std::to_string(put.bytes) + " bytes; it carries 1 to " +
                 std::to_string(config().request_bytes));
        return false;
    }
    return true;
}

}  // namespace

void set_up_queues(int count)
{
    per_peer = count;
    const int ranks = config().ranks;
    queues = std::vector<Queue>(static_cast<size_t>(ranks) * ranks * count);
    for (int rank = 0; rank < ranks; rank++) {
        for (int peer = 0; peer < ranks; peer++) {
            for (int number = 0; number < count; number++) {
                Queue &queue = queue_of(rank, peer, static_cast<uint32_t>(number));
                queue.rank = rank, queue.peer = peer, queue.number = number;
                queue.thread = threads().add({Kind::QUEUE, rank, -1, peer, number});
            }
        }
    }
}

int queue_count() { return per_peer; }
bool udma_busy() { return !busy.empty(); }
int requester(const Event &event) { return request_of(event).core; }
const Clock &request_clock(const Event &event) { return request_of(event).clock; }

void deliver_some()
{
    const size_t which = scheduler().random() % busy.size();
    Queue &queue = *busy[which];
    const size_t number = scheduler().random() % queue.flying.size();
    const std::shared_ptr<Request> request = queue.flying[number];
    size_t count = scheduler().chance(2) ? request->blocks.size() : 1 + scheduler().random() % 3;
    for (; count > 0 && !request->blocks.empty(); count--) {
        deliver_block(*request, request->blocks.back());
        request->blocks.pop_back();
    }
    if (request->blocks.empty()) {
        queue.flying.erase(queue.flying.begin() + static_cast<std::ptrdiff_t>(number));
        if (queue.flying.empty()) {
            busy.erase(busy.begin() + static_cast<std::ptrdiff_t>(which));
        }
        complete(queue, *request);
    }
    scheduler().changed();
}

void release_queues(int rank)
{
    for (Queue &queue : queues) {
        if (queue.rank == rank) {
            queue.owner = -1;
        }
    }
}

void check_queues(int rank)
{
    for (Queue &queue : queues) {
        if (queue.rank != rank) {
            continue;
        }
        if (!queue.deferred.empty()) {
            find("unfinished-put", {rank, queue.owner, queue.deferred.back()->line},
                 std::to_string(queue.deferred.size()) + " deferred requests on " + name(queue) +
                     " have no doorbell when the kernel ends");
        } else if (queue.requests > 0) {
            find("unfinished-put", {rank, queue.owner, queue.last_line},
                 std::to_string(queue.requests) + (queue.requests == 1 ? " request on " : " requests on ") +
                     name(queue) +
                     " not waited for when the kernel ends: launch by launch such fill "
                     "its ring");
        }
    }
}

void put(const Put &what, Line line)
{
    Core &self = core();
    scheduler().current().line = line.number;
    scheduler().step();
    if (!allowed(what, self, line)) {
        return;
    }
    const Site site = self.site(line.number);
    auto request = std::make_shared<Request>();
    request->source = place(what.source, what.bytes, site, "a put's read");
    const uint64_t target = translate(what.target, self.rank, what.pe, site);
    request->target = place(target, what.bytes, site, "a put's write");
    if (what.signals) {
        request->word = place(translate(what.word, self.rank, what.pe, site), sizeof(uint64_t), site, "a put's signal");
    }
    if (!request->source || !request->target || (what.signals && !request->word)) {
        return;
    }
    request->blockwise = flagged(request->target.offset);
    if (!request->blockwise) {
        check_defined(request->source, what.bytes, site, "a put's read");
    }
    request->bytes = what.bytes, request->value = what.value, request->signals = what.signals;
    request->rank = self.rank, request->core = self.index, request->line = line.number;
    request->slots = what.signals ? 2 : 1;
    request->reports = what.submission != Submission::DEFER;
    Queue &queue = queue_of(self.rank, what.pe, what.queue);
    own(queue, self, line.number);
    wait_for_credit(queue, request->slots, self, line.number);
    queue.requests++;
    queue.slots += request->slots;
    describe_request(self, *request, what, queue.deferred.size());
    if (what.submission == Submission::DEFER) {
        queue.deferred.push_back(request);
        ++*what.pending;
        return;
    }
    std::vector<std::shared_ptr<Request>> batch{request};
    if (what.submission == Submission::SUBMIT) {
        check_descriptions(self, queue, line.number);
        batch.insert(batch.begin(), queue.deferred.begin(), queue.deferred.end());
        queue.deferred.clear();
        *what.pending = 0;
    } else if (!queue.deferred.empty()) {
        find("bad-argument", site, "a request of its own on " + name(queue) + " while others wait for their doorbell");
    }
    submit(queue, batch, self);
}

void quiet(int pe, uint32_t number, Line line)
{
    Core &self = core();
    scheduler().current().line = line.number;
    scheduler().step();
    if (pe < 0 || pe >= config().ranks || pe == self.rank || number >= static_cast<uint32_t>(per_peer)) {
        find("bad-argument", self.site(line.number),
             "a quiet of queue " + std::to_string(number) + " to rank " + std::to_string(pe) + ", which is not there");
        return;
    }
    Queue &queue = queue_of(self.rank, pe, number);
    own(queue, self, line.number);
    scheduler().wait([&] { return queue.flying.empty(); },
                     [&, line] {
                         return "rank " + std::to_string(self.rank) + " core " + std::to_string(self.index) +
                                " (line " + std::to_string(line.number) + ") waits for " + name(queue) + " to be empty";
                     });
    poll(queue);
    if (queue.last_event > 0) {
        self.seen().learn(queue.thread, 1, queue.last_event);
    }
}

uint64_t remote_address(uint64_t global, int pe, Line line)
{
    Core &self = core();
    if (pe < 0 || pe >= config().ranks) {
        refuse_argument("there is no rank", static_cast<uint64_t>(pe), line);
        return global;
    }
    return translate(global, self.rank, pe, self.site(line.number));
}

}  // namespace a2agen
