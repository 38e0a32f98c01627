// Global memory of all ranks. Kernels and hosts have addresses that cannot be read: all accesses come through here.
#pragma once
#include <cstdint>
#include <string>

#include "clock.h"
#include "findings.h"
#include "shadow.h"

namespace a2agen {

/// A place in global memory: the bytes behind an address, and for each whether it has a value.
struct Place {
    uint64_t offset = 0;
    uint8_t *bytes = nullptr;
    uint8_t *defined = nullptr;
    explicit operator bool() const { return bytes != nullptr; }
};

struct Allocation {
    uint64_t size = 0;
    int rank = 0;
    bool symmetric = false;
};

void set_up_memory();
/// The address of new memory of a rank, undefined; 0 where the heap is full.
uint64_t allocate_global(int rank, bool symmetric, uint64_t size, uint64_t alignment);
/// False for what is no allocation.
bool free_global(uint64_t address, int rank);
/// Call an address by the name of a kernel's argument.
void name_memory(uint64_t address, const char *name);

/// The place of `bytes` at an address; reports what lies outside of memory, `what` says who does what.
Place place(uint64_t address, uint64_t bytes, const Site &site, const char *what);
/// An offset in words: "P[slot 0, S 3] at rank 1".
std::string name_of(uint64_t offset);
bool flagged(uint64_t offset);
uint64_t address_of(uint64_t offset);
bool is_device_address(uint64_t address);
/// The same place in the symmetric memory of another rank; reports memory that peers do not have.
uint64_t translate(uint64_t address, int from, int to, const Site &site);

/// Check an access against all before it.
void check_global(uint64_t offset, uint64_t bytes, bool writes, const Event &event, const Clock &clock,
                  const Site &site);
/// Report bytes that nothing wrote.
void check_defined(const Place &where, uint64_t bytes, const Site &site, const char *what);
Event last_writer(uint64_t offset);
void note_read(uint64_t offset, uint64_t bytes, const Event &event, const Clock &clock, const Site &site);
void move_bytes(const Place &to, const Place &from, uint64_t bytes);

}  // namespace a2agen
