// The host program of swap_notify: launches back to back, inputs and outputs in files.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclrtlaunch_swap_notify.h"
#include "shmem.h"

namespace {

struct Options {
    int rank = 0, W = 2, launches = 3, S = 1, D = 1, cores = 4;
    std::string input, output;
};

bool Read(const std::string &prefix, int rank, int launch, void *bytes, size_t count)
{
    const std::string path = prefix + "." + std::to_string(rank) + "." + std::to_string(launch) + ".bin";
    std::FILE *file = std::fopen(path.c_str(), "rb");
    const bool right = file != nullptr && std::fread(bytes, 1, count, file) == count;
    if (file != nullptr) {
        std::fclose(file);
    }
    return right;
}

bool Write(const std::string &prefix, int rank, int launch, const void *bytes, size_t count)
{
    const std::string path = prefix + "." + std::to_string(rank) + "." + std::to_string(launch) + ".bin";
    std::FILE *file = std::fopen(path.c_str(), "wb");
    const bool right = file != nullptr && std::fwrite(bytes, 1, count, file) == count;
    return file != nullptr && std::fclose(file) == 0 && right;
}

}  // namespace

int main(int argc, char **argv)
{
    Options o;
    for (int n = 1; n + 1 < argc; n += 2) {
        const std::string name = argv[n];
        const char *value = argv[n + 1];
        if (name == "--rank") {
            o.rank = std::atoi(value);
        } else if (name == "--ranks") {
            o.W = std::atoi(value);
        } else if (name == "--launches") {
            o.launches = std::atoi(value);
        } else if (name == "--S") {
            o.S = std::atoi(value);
        } else if (name == "--D") {
            o.D = std::atoi(value);
        } else if (name == "--cores") {
            o.cores = std::atoi(value);
        } else if (name == "--input") {
            o.input = value;
        } else if (name == "--output") {
            o.output = value;
        } else if (name != "--address") {
            return 2;
        }
    }
    aclrtStream stream = nullptr;
    if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(o.rank) != ACL_SUCCESS ||
        aclrtCreateStream(&stream) != ACL_SUCCESS) {
        return 2;
    }
    aclshmemx_init_attr_t attributes{};
    attributes.my_pe = o.rank;
    attributes.n_pes = o.W;
    attributes.local_mem_size = uint64_t{1} << 30;
    attributes.option_attr.data_op_engine_type = ACLSHMEM_DATA_OP_UDMA;
    if (aclshmemx_set_qp_num(ACLSHMEM_DATA_OP_UDMA, 1) != ACLSHMEM_SUCCESS ||
        aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_DEFAULT, &attributes) != ACLSHMEM_SUCCESS) {
        return 2;
    }
    const size_t bytes = size_t{2} * o.W * o.S * o.D;
    const size_t words = size_t{2} * o.W * 64;
    void *A = nullptr;
    void *C = nullptr;
    void *P = aclshmem_malloc(2 * bytes);
    void *full = aclshmem_malloc(words);
    aclrtMalloc(&A, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&C, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemsetAsync(full, words, 0, words, stream);
    aclrtSynchronizeStream(stream);
    aclshmem_barrier_all();
    std::vector<std::vector<char>> in(o.launches, std::vector<char>(bytes));
    std::vector<std::vector<char>> out(o.launches, std::vector<char>(bytes));
    for (int launch = 0; launch < o.launches; launch++) {
        if (!Read(o.input, o.rank, launch, in[launch].data(), bytes)) {
            return 2;
        }
        aclrtMemcpyAsync(A, bytes, in[launch].data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream);
        ACLRT_LAUNCH_KERNEL(swap_notify)(o.cores, stream, A, C, P, full, uint64_t(launch + 1), o.W, o.S, o.D);
        aclrtMemcpyAsync(out[launch].data(), bytes, C, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream);
    }
    aclrtSynchronizeStream(stream);
    bool right = true;
    for (int launch = 0; launch < o.launches; launch++) {
        right = Write(o.output, o.rank, launch, out[launch].data(), bytes) && right;
    }
    aclshmem_free(full);
    aclshmem_free(P);
    aclrtFree(C);
    aclrtFree(A);
    aclshmem_finalize();
    aclrtDestroyStream(stream);
    aclrtResetDevice(o.rank);
    aclFinalize();
    return right ? 0 : 1;
}
