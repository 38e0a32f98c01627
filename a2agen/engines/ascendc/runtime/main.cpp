// The engine's program: the hosts of all ranks, in one process.
#include <signal.h>
#include <sys/prctl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "config.h"
#include "core.h"
#include "findings.h"
#include "memory.h"
#include "rank.h"
#include "scheduler.h"

/// The host program's own main, which the build renames.
int a2agen_host_main(int, char **);

namespace {

/// Device addresses cannot be read: whoever follows one faults.
void on_fault(int signal_number, siginfo_t *info, void *)
{
    const uint64_t address = reinterpret_cast<uint64_t>(info->si_addr);
    const char *what = a2agen::is_device_address(address)  ? "an address of global memory"
                       : a2agen::is_local_address(address) ? "an address of the unified buffer"
                                                           : nullptr;
    if (what != nullptr && a2agen::scheduler().running()) {
        a2agen::find_and_stop(
            "out-of-bounds", a2agen::scheduler().site(),
            std::string(what) +
                " is followed directly, not by a function of the library; the line is that of the call before");
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void watch_faults()
{
    static char stack[64 * 1024];
    stack_t alternate{};
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof(stack);
    sigaltstack(&alternate, nullptr);
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "use: %s CONFIG\n", argv[0]);
        return 2;
    }
    // A kernel may never end: it must not outlive the command that runs it, however that is stopped.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    a2agen::read_config(argv[1]);
    a2agen::Clock::kept = a2agen::config().checked;
    watch_faults();
    a2agen::scheduler().seed(a2agen::config().seed);
    a2agen::set_up_memory();
    a2agen::set_up_local();
    a2agen::set_up_ranks(a2agen_host_main);
    a2agen::scheduler().run();
    a2agen::finish(true);
}
