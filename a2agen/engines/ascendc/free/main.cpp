// The program of a build with a sanitizer: each rank's host is a thread.
#include <signal.h>
#include <sys/prctl.h>

#include <cstdio>
#include <string>

#include "config.h"
#include "world.h"

/// The host program's own main, which the build renames.
int a2agen_host_main(int, char **);

namespace {

int run_host(int number)
{
    a2agen::self().rank = &a2agen::rank_of(number);
    std::vector<std::string> texts = {"host"};
    texts.insert(texts.end(), a2agen::config().arguments.begin(), a2agen::config().arguments.end());
    texts.insert(texts.end(), {"--rank", std::to_string(number)});
    std::vector<char *> arguments;
    for (std::string &text : texts) {
        arguments.push_back(text.data());
    }
    arguments.push_back(nullptr);
    return a2agen_host_main(static_cast<int>(texts.size()), arguments.data());
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
    a2agen::set_up_ranks();
    std::vector<int> codes(static_cast<size_t>(a2agen::ranks()), 0);
    std::vector<std::thread> hosts;
    for (int number = 0; number < a2agen::ranks(); number++) {
        hosts.emplace_back([&codes, number] { codes[static_cast<size_t>(number)] = run_host(number); });
    }
    for (std::thread &host : hosts) {
        host.join();
    }
    a2agen::stop_queues();
    for (const int code : codes) {
        if (code != 0) {
            return code;
        }
    }
    return 0;
}
