#include "rank.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "config.h"
#include "memory.h"
#include "scheduler.h"
#include "threads.h"
#include "udma.h"
#include "words.h"

namespace a2agen {

namespace {

std::vector<std::unique_ptr<Rank>> ranks;

void serve(Stream &stream)
{
    while (true) {
        scheduler().wait([&] { return !stream.work.empty() || stream.closed; },
                         [] { return std::string("a stream is idle"); });
        if (stream.work.empty()) {
            return;
        }
        stream.busy = true;
        auto [seen, work] = std::move(stream.work.front());
        stream.work.pop_front();
        stream.clock.join(seen);
        work();
        stream.busy = false;
        scheduler().changed();
        scheduler().step();
    }
}

void run_host(Rank &self, int (*program)(int, char **))
{
    std::vector<std::string> texts = {"host"};
    texts.insert(texts.end(), config().arguments.begin(), config().arguments.end());
    texts.insert(texts.end(), {"--rank", std::to_string(self.number)});
    std::vector<char *> arguments;
    for (std::string &text : texts) {
        arguments.push_back(text.data());
    }
    arguments.push_back(nullptr);
    const int code = program(static_cast<int>(texts.size()), arguments.data());
    scheduler().exits[static_cast<size_t>(self.number)] = code;
    for (auto &stream : self.streams) {
        stream->closed = true;
    }
}

}  // namespace

Rank &rank() { return rank_of(scheduler().current().rank); }
Rank &rank_of(int number) { return *ranks[static_cast<size_t>(number)]; }

void set_up_ranks(int (*program)(int, char **))
{
    scheduler().exits.assign(static_cast<size_t>(config().ranks), -1);
    for (int number = 0; number < config().ranks; number++) {
        ranks.push_back(std::make_unique<Rank>());
        Rank &self = *ranks.back();
        self.number = number;
        self.host = threads().add({Kind::HOST, number});
        scheduler().spawn(number, nullptr, [&self, program] { run_host(self, program); });
    }
}

void *open_stream()
{
    Rank &self = rank();
    self.streams.push_back(std::make_unique<Stream>());
    Stream &stream = *self.streams.back();
    stream.thread = threads().add({Kind::STREAM, self.number});
    scheduler().spawn(self.number, nullptr, [&stream] { serve(stream); });
    return &stream;
}

Stream &stream_of(void *handle)
{
    for (auto &stream : rank().streams) {
        if (handle == stream.get()) {
            return *stream;
        }
    }
    std::fprintf(stderr, "engine: rank %d uses a stream that it did not create\n", rank().number);
    std::_Exit(2);
}

void enqueue(Stream &stream, std::function<void()> work)
{
    stream.work.emplace_back(rank().clock, std::move(work));
    scheduler().changed();
    scheduler().step();
}

void synchronize(Stream &stream)
{
    const int number = rank().number;
    scheduler().wait([&] { return stream.work.empty() && !stream.busy; },
                     [number] { return "rank " + std::to_string(number) + "'s host waits for its stream"; });
    rank().clock.join(stream.clock);
}

void host_access(Thread thread, Clock &clock, uint64_t address, uint64_t bytes, bool writes)
{
    const Site site{threads()[thread].rank, -1, 0};
    const Event event = threads().next(thread, 0);
    clock.set(thread, event.number);
    const Place where = place(address, bytes, site, writes ? "the host's write" : "the host's read");
    if (where) {
        check_global(where.offset, bytes, writes, event, clock, site);
        if (writes) {
            displace_words(where.offset, bytes, event, clock, site);
        } else {
            check_defined(where, bytes, site, "the host's read");
        }
    }
}

uint32_t launch(uint32_t blocks, void *handle, const Launch &what)
{
    Stream &stream = stream_of(handle);
    Rank &self = rank();
    for (int n = 0; n < what.count; n++) {
        name_memory(what.addresses[n], what.names[n]);
    }
    enqueue(stream, [&self, &stream, what, blocks] {
        while (self.cores.size() < blocks) {
            self.cores.push_back(std::make_unique<Core>());
            self.cores.back()->rank = self.number;
            self.cores.back()->index = static_cast<int>(self.cores.size()) - 1;
        }
        release_queues(self.number);
        auto left = std::make_shared<uint32_t>(blocks);
        for (uint32_t n = 0; n < blocks; n++) {
            Core &one = *self.cores[n];
            one.count = blocks;
            start_core(one, stream.clock);
            scheduler().spawn(self.number, &one, [&one, what, left] {
                what.body(what.arguments);
                end_core(one);
                --*left;
            });
        }
        const int number = self.number;
        scheduler().wait([left] { return *left == 0; },
                         [number] { return "rank " + std::to_string(number) + "'s stream waits for its kernel"; });
        for (uint32_t n = 0; n < blocks; n++) {
            stream.clock.join(self.cores[n]->seen());
        }
        check_queues(self.number);
        what.destroy(what.arguments);
    });
    return 0;
}

}  // namespace a2agen
