// Stand-in for the part of Ascend C that emitted kernels use. What is not here they cannot use.
#pragma once
#include <a2agen/device.h>

#include <cstddef>
#include <cstdint>

#ifdef A2AGEN_ADDRESS_SPACES
#define __gm__ __attribute__((address_space(1)))
#define __ubuf__ __attribute__((address_space(2)))
#else
#define __gm__
#define __ubuf__
#endif
#define __aicore__
#define __global__
#define GM_ADDR __gm__ uint8_t *
#define KERNEL_TASK_TYPE_DEFAULT(type) static_cast<void>(type)

enum KernelType { KERNEL_TYPE_AIV_ONLY, KERNEL_TYPE_MIX_AIV_1_0 };
enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL };
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

/// Types whose values kernels move and never compute with.
struct half {
    uint16_t bits;
};
struct bfloat16_t {
    uint16_t bits;
};

namespace AscendC {

using TEventID = int8_t;
enum class HardEvent : uint8_t {
    MTE2_MTE3,
    MTE3_MTE2,
    MTE2_S,
    S_MTE2,
    MTE3_S,
    S_MTE3,
    MTE2_V,
    V_MTE2,
    MTE3_V,
    V_MTE3,
    V_S,
    S_V
};
enum class TPosition : uint8_t { GM, VECIN, VECOUT, VECCALC };
enum class CacheLine : uint8_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint8_t { CACHELINE_OUT, CACHELINE_ALL, CACHELINE_ATOMIC };

constexpr uint64_t LOCAL_BLOCK = 32;
constexpr uint64_t whole_blocks(uint64_t bytes) { return (bytes + LOCAL_BLOCK - 1) / LOCAL_BLOCK * LOCAL_BLOCK; }

inline int64_t GetBlockIdx() { return a2agen::block_index(); }
inline int64_t GetBlockNum() { return a2agen::block_count(); }

template <typename T>
class GlobalTensor {
public:
    void SetGlobalBuffer(__gm__ T *buffer) { start_ = buffer, end_ = 0; }
    void SetGlobalBuffer(__gm__ T *buffer, uint64_t size)
    {
        start_ = buffer;
        end_ = reinterpret_cast<uint64_t>(buffer + size);
    }
    GlobalTensor operator[](uint64_t offset) const
    {
        GlobalTensor rest = *this;
        rest.start_ = start_ + offset;
        return rest;
    }
    const __gm__ T *GetPhyAddr() const { return start_; }
    __gm__ T *GetPhyAddr(uint64_t offset) const { return start_ + offset; }
    /// Of the stand-in: the address as a number, and that behind the last element, 0 where no size was given.
    uint64_t address() const { return reinterpret_cast<uint64_t>(start_); }
    uint64_t end() const { return end_; }

private:
    __gm__ T *start_ = nullptr;
    uint64_t end_ = 0;
};

template <typename T>
class LocalTensor {
public:
    LocalTensor() = default;
    /// Of the stand-in: `bytes` from an address of the unified buffer on.
    LocalTensor(uint64_t address, uint64_t bytes) : address_(address), bytes_(bytes) {}
    LocalTensor operator[](uint32_t offset) const
    {
        const uint64_t skipped = uint64_t{offset} * sizeof(T);
        return LocalTensor(address_ + skipped, skipped < bytes_ ? bytes_ - skipped : 0);
    }
    uint64_t GetPhyAddr() const { return address_; }
    uint32_t GetSize() const { return static_cast<uint32_t>(bytes_ / sizeof(T)); }
    T GetValue(uint32_t index, a2agen::Line line = a2agen::Line::here()) const
    {
        T value;
        a2agen::read_local(address_ + uint64_t{index} * sizeof(T), &value, sizeof(T), line);
        return value;
    }
    void SetValue(uint32_t index, T value, a2agen::Line line = a2agen::Line::here()) const
    {
        a2agen::write_local(address_ + uint64_t{index} * sizeof(T), &value, sizeof(T), line);
    }
    template <typename U>
    LocalTensor<U> ReinterpretCast() const
    {
        return LocalTensor<U>(address_, bytes_);
    }

private:
    uint64_t address_ = 0;
    uint64_t bytes_ = 0;
};

template <TPosition>
class TBuf {
public:
    template <typename T>
    LocalTensor<T> Get() const
    {
        return LocalTensor<T>(address_, bytes_);
    }

private:
    friend class TPipe;
    uint64_t address_ = 0;
    uint64_t bytes_ = 0;
};

class TPipe {
public:
    template <TPosition P>
    bool InitBuffer(TBuf<P> &buffer, uint32_t bytes, a2agen::Line line = a2agen::Line::here())
    {
        buffer.bytes_ = whole_blocks(bytes);
        buffer.address_ = a2agen::allocate_local(static_cast<uint32_t>(buffer.bytes_), line);
        return true;
    }
};

/// Strides count from the end of a row to the start of the next: bytes in GM, blocks of 32 bytes in UB.
struct DataCopyExtParams {
    uint16_t blockCount = 0;
    uint32_t blockLen = 0;
    uint32_t srcStride = 0;
    uint32_t dstStride = 0;
    uint32_t rsv = 0;
    DataCopyExtParams() = default;
    DataCopyExtParams(uint16_t count, uint32_t bytes, uint32_t source, uint32_t target, uint32_t reserved)
        : blockCount(count), blockLen(bytes), srcStride(source), dstStride(target), rsv(reserved)
    {
    }
};

template <typename T>
struct DataCopyPadExtParams {
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    T paddingValue{};
    DataCopyPadExtParams() = default;
    DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value)
    {
    }
};

constexpr uint32_t MOST_ROWS = 4095;
constexpr uint32_t MOST_ROW_BYTES = 2097151;

inline bool rows_allowed(const DataCopyExtParams &params, a2agen::Line line)
{
    if (params.blockCount < 1 || params.blockCount > MOST_ROWS) {
        a2agen::refuse_argument("blockCount of DataCopyPad is 1 to 4095, not", params.blockCount, line);
        return false;
    }
    if (params.blockLen < 1 || params.blockLen > MOST_ROW_BYTES) {
        a2agen::refuse_argument("blockLen of DataCopyPad is 1 to 2097151 bytes, not", params.blockLen, line);
        return false;
    }
    return true;
}

template <typename T>
void DataCopyPad(const LocalTensor<T> &target, const GlobalTensor<T> &source, const DataCopyExtParams &params,
                 const DataCopyPadExtParams<T> &padding, a2agen::Line line = a2agen::Line::here())
{
    if (padding.isPad) {
        a2agen::refuse_argument("the engine has no padding values; isPad is false, not", 1, line);
    } else if (rows_allowed(params, line)) {
        const uint64_t to = whole_blocks(params.blockLen) + params.dstStride * LOCAL_BLOCK;
        const a2agen::Rows rows{params.blockCount, params.blockLen, uint64_t{params.blockLen} + params.srcStride, to};
        a2agen::load(target.GetPhyAddr(), source.address(), source.end(), rows, line);
    }
}

template <typename T>
void DataCopyPad(const GlobalTensor<T> &target, const LocalTensor<T> &source, const DataCopyExtParams &params,
                 a2agen::Line line = a2agen::Line::here())
{
    if (rows_allowed(params, line)) {
        const uint64_t from = whole_blocks(params.blockLen) + params.srcStride * LOCAL_BLOCK;
        const a2agen::Rows rows{params.blockCount, params.blockLen, from, uint64_t{params.blockLen} + params.dstStride};
        a2agen::store(target.address(), target.end(), source.GetPhyAddr(), rows, line);
    }
}

inline bool blocks_allowed(uint64_t bytes, a2agen::Line line)
{
    if (bytes == 0 || bytes % LOCAL_BLOCK != 0) {
        a2agen::refuse_argument("DataCopy moves whole blocks of 32 bytes, not bytes:", bytes, line);
        return false;
    }
    return true;
}

template <typename T>
void DataCopy(const LocalTensor<T> &target, const GlobalTensor<T> &source, uint32_t count,
              a2agen::Line line = a2agen::Line::here())
{
    const uint64_t bytes = uint64_t{count} * sizeof(T);
    if (blocks_allowed(bytes, line)) {
        a2agen::load(target.GetPhyAddr(), source.address(), source.end(), a2agen::Rows{1, bytes, bytes, bytes}, line);
    }
}

template <typename T>
void DataCopy(const GlobalTensor<T> &target, const LocalTensor<T> &source, uint32_t count,
              a2agen::Line line = a2agen::Line::here())
{
    const uint64_t bytes = uint64_t{count} * sizeof(T);
    if (blocks_allowed(bytes, line)) {
        a2agen::store(target.address(), target.end(), source.GetPhyAddr(), a2agen::Rows{1, bytes, bytes, bytes}, line);
    }
}

template <typename T>
void Duplicate(const LocalTensor<T> &target, const T &value, int32_t count, a2agen::Line line = a2agen::Line::here())
{
    a2agen::fill(target.GetPhyAddr(), &value, sizeof(T), static_cast<size_t>(count), line);
}

template <HardEvent event>
constexpr a2agen::Pipe first_pipe()
{
    switch (event) {
        case HardEvent::MTE2_MTE3:
        case HardEvent::MTE2_S:
        case HardEvent::MTE2_V:
            return a2agen::Pipe::MTE2;
        case HardEvent::MTE3_MTE2:
        case HardEvent::MTE3_S:
        case HardEvent::MTE3_V:
            return a2agen::Pipe::MTE3;
        case HardEvent::V_MTE2:
        case HardEvent::V_MTE3:
        case HardEvent::V_S:
            return a2agen::Pipe::V;
        default:
            return a2agen::Pipe::S;
    }
}

template <HardEvent event>
constexpr a2agen::Pipe second_pipe()
{
    switch (event) {
        case HardEvent::MTE3_MTE2:
        case HardEvent::S_MTE2:
        case HardEvent::V_MTE2:
            return a2agen::Pipe::MTE2;
        case HardEvent::MTE2_MTE3:
        case HardEvent::S_MTE3:
        case HardEvent::V_MTE3:
            return a2agen::Pipe::MTE3;
        case HardEvent::MTE2_V:
        case HardEvent::MTE3_V:
        case HardEvent::S_V:
            return a2agen::Pipe::V;
        default:
            return a2agen::Pipe::S;
    }
}

template <HardEvent event>
void SetFlag(int32_t id, a2agen::Line line = a2agen::Line::here())
{
    a2agen::set_flag(first_pipe<event>(), second_pipe<event>(), id, line);
}

template <HardEvent event>
void WaitFlag(int32_t id, a2agen::Line line = a2agen::Line::here())
{
    a2agen::wait_flag(first_pipe<event>(), second_pipe<event>(), id, line);
}

/// Operations of one pipe are in order here, so that a barrier of one pipe orders nothing more.
template <pipe_t pipe>
void PipeBarrier(a2agen::Line line = a2agen::Line::here())
{
    if (pipe == PIPE_ALL) {
        a2agen::pipe_barrier(line);
    }
}

/// Caches are not modelled: a scalar access of GM is one of the library's functions, which look after them.
template <typename T, CacheLine, DcciDst>
void DataCacheCleanAndInvalid(const GlobalTensor<T> &)
{
}

}  // namespace AscendC
