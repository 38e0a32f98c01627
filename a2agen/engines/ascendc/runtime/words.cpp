#include "words.h"

#include <a2agen/device.h>

#include <cstring>
#include <map>
#include <vector>

#include "compare.h"
#include "config.h"
#include "core.h"
#include "scheduler.h"
#include "threads.h"
#include "udma.h"

namespace a2agen {

namespace {

constexpr uint64_t WORD = 8;
constexpr const char *COMPARES[] = {"", "other than ", "more than ", "at least ", "less than ", "at most "};

struct Word {
    Clock release;
    Event writer;
    std::vector<Event> waits;
    bool seen = false;
};

struct LineOwner {
    Site site;
    uint64_t word;
};

std::map<uint64_t, Word> words;
std::map<uint64_t, LineOwner> lines;

uint64_t value_of(const Place &word)
{
    uint64_t value;
    std::memcpy(&value, word.bytes, WORD);
    return value;
}

void check_after(const Word &word, uint64_t offset, const Event &event, const Clock &clock, const Site &site,
                 const char *what)
{
    auto ordered = [&](const Event &earlier) {
        return earlier.is_none() || clock.covers(earlier) ||
               (earlier.thread == event.thread && threads().in_order(event.thread));
    };
    const std::string here = std::string(what) + " of " + name_of(offset) + " by " + threads().describe(event);
    if (!ordered(word.writer)) {
        find("race", site, here + " is not ordered after that by " + threads().describe(word.writer), word.writer.line);
    }
    for (const Event &wait : word.waits) {
        if (!ordered(wait)) {
            find("race", site, here + " is not ordered after the wait by " + threads().describe(wait), wait.line);
        }
    }
}

/// A store of a core writes its whole cache line back, and can lose what another core stored beside it.
void check_line(uint64_t offset, const Site &site)
{
    auto [known, fresh] = lines.try_emplace(offset / config().line_bytes, LineOwner{site, offset});
    LineOwner &owner = known->second;
    if (!fresh && owner.word != offset && (owner.site.rank != site.rank || owner.site.core != site.core)) {
        find("shared-line", site,
             name_of(offset) + " and " + name_of(owner.word) + " share a cache line, and rank " +
                 std::to_string(site.rank) + " core " + std::to_string(site.core) + " and rank " +
                 std::to_string(owner.site.rank) + " core " + std::to_string(owner.site.core) + " store to them");
    }
}

/// What a wait that sees a value comes after.
void acquire(const Place &word, uint64_t address_line, Core &self)
{
    const Event event = threads().next(self.scalar, static_cast<int>(address_line));
    self.seen().set(event.thread, event.number);
    auto known = words.find(word.offset);
    if (known != words.end()) {
        known->second.seen = true;
        known->second.waits.push_back(event);
        self.seen().join(known->second.release);
        return;
    }
    const Event writer = last_writer(word.offset);
    if (!writer.is_none() && threads()[writer.thread].kind == Kind::QUEUE) {
        self.seen().join(request_clock(writer));
        self.seen().learn(writer.thread, writer.number, writer.number);
    }
    note_read(word.offset, WORD, event, self.seen(), self.site(static_cast<int>(address_line)));
}

std::string waiting(const Core &self, int line, const Place &word, int compare, uint64_t value)
{
    auto known = words.find(word.offset);
    const Event writer = known != words.end() ? known->second.writer : last_writer(word.offset);
    return "rank " + std::to_string(self.rank) + " core " + std::to_string(self.index) + " (line " +
           std::to_string(line) + ") waits for " + name_of(word.offset) + " to be " + COMPARES[compare] +
           std::to_string(value) + ", it is " + std::to_string(value_of(word)) +
           "; last writer: " + (writer.is_none() ? "nobody" : threads().describe(writer));
}

}  // namespace

void set_word(const Place &word, uint64_t value, const Event &event, const Clock &clock, const Site &site,
              int line_owner)
{
    if (config().checked) {
        Word &known = words[word.offset];
        if (!known.writer.is_none()) {
            const uint64_t before = value_of(word);
            if (before != 0 && before != value && !known.seen) {
                find("lost-signal", site,
                     name_of(word.offset) + " is set to " + std::to_string(value) + " by " + threads().describe(event) +
                         ", and no wait saw the " + std::to_string(before) + " of " + threads().describe(known.writer),
                     known.writer.line);
            }
            check_after(known, word.offset, event, clock, site, "a signal");
        } else {
            const Event writer = last_writer(word.offset);
            if (!writer.is_none() && !clock.covers(writer) && writer.thread != event.thread) {
                find("race", site,
                     "a signal of " + name_of(word.offset) + " by " + threads().describe(event) +
                         " is not ordered after the write by " + threads().describe(writer),
                     writer.line);
            }
        }
        if (line_owner >= 0) {
            check_line(word.offset, site);
        }
        known = {clock, event, {}, false};
        std::memset(word.defined, 1, WORD);
    }
    std::memcpy(word.bytes, &value, WORD);
    scheduler().changed();
}

void displace_words(uint64_t offset, uint64_t bytes, const Event &event, const Clock &clock, const Site &site)
{
    if (!config().checked) {
        return;
    }
    auto first = words.lower_bound(offset);
    auto last = words.lower_bound(offset + bytes);
    for (auto word = first; word != last; ++word) {
        check_after(word->second, word->first, event, clock, site, "a write");
    }
    words.erase(first, last);
}

void notify(uint64_t address, uint64_t value, int pe, Line line)
{
    Core &self = core();
    scheduler().current().line = line.number;
    const Site site = self.site(line.number);
    if (pe < 0 || pe >= config().ranks) {
        refuse_argument("there is no rank", static_cast<uint64_t>(pe), line);
        return;
    }
    const Place word = place(translate(address, self.rank, pe, site), WORD, site, "a signal");
    if (word) {
        const Event event = threads().next(self.scalar, line.number);
        self.seen().set(event.thread, event.number);
        set_word(word, value, event, self.seen(), site, self.index);
    }
    scheduler().step();
}

void Called::called(int line) { scheduler().current().caller = line; }

void wait_until(uint64_t address, int compare, uint64_t value, Line own)
{
    Core &self = core();
    const int caller = scheduler().current().caller;
    const Line line{caller ? caller : own.number};
    scheduler().current().line = line.number;
    const Site site = self.site(line.number);
    if (compare < EQ || compare > LE) {
        refuse_argument("there is no comparison", static_cast<uint64_t>(compare), line);
        return;
    }
    const Place word = place(address, WORD, site, "a wait");
    if (!word) {
        find_and_stop("deadlock", site, "a wait for a word that is not there");
    }
    scheduler().step();
    check_defined(word, WORD, site, "a wait");
    scheduler().wait([&] { return holds(value_of(word), compare, value); },
                     [&] { return waiting(self, line.number, word, compare, value); });
    if (config().checked) {
        acquire(word, static_cast<uint64_t>(line.number), self);
    }
}

}  // namespace a2agen
