// SPDX-License-Identifier: Apache-2.0
#include "app/cli/signals.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace heddle::app {
namespace {

constexpr std::array<int, 4> kWatched{SIGTERM, SIGUSR1, SIGINT, SIGHUP};
constexpr int kResumable = 75, kInterrupted = 130, kTerminated = 143;

std::atomic<int> first = 0;           ///< the first signal
std::atomic<int> firstExceptHup = 0;  ///< the first that is not SIGHUP
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");
std::array<struct sigaction, kWatched.size() + 1> earlierActions;

void onSignal(int signal) {
    int none = 0;
    first.compare_exchange_strong(none, signal);
    if (signal == SIGHUP) return;
    none = 0;
    if (!firstExceptHup.compare_exchange_strong(none, signal)) _exit(signal == SIGINT ? kInterrupted : kTerminated);
}

}  // namespace

SignalWatch::SignalWatch() {
    first = firstExceptHup = 0;
    struct sigaction action {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kWatched.size(); ++i) {
        sigaction(kWatched[i], nullptr, &earlierActions[i]);
        if (kWatched[i] != SIGHUP || earlierActions[i].sa_handler != SIG_IGN) sigaction(kWatched[i], &action, nullptr);
    }
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, &earlierActions.back());
}

SignalWatch::~SignalWatch() {
    for (std::size_t i = 0; i < kWatched.size(); ++i) sigaction(kWatched[i], &earlierActions[i], nullptr);
    sigaction(SIGPIPE, &earlierActions.back(), nullptr);
}

int SignalWatch::received() const { return first; }

int SignalWatch::exitCode(int signal) { return signal == SIGINT ? kInterrupted : kResumable; }

}  // namespace heddle::app
