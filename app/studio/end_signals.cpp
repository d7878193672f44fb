// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/end_signals.h"

#include <QSocketNotifier>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace heddle::studio {
namespace {

constexpr std::array<int, 3> kSignals{SIGTERM, SIGINT, SIGHUP};
// Signal handlers may do little: this one writes a byte into a pipe that the event loop reads.
std::array<int, 2> ends{-1, -1};

void onSignal(int number) {
    const char byte = char(number);
    if (write(ends[1], &byte, 1) != 1) _exit(128 + number);
    // A closed terminal sends SIGHUP several times, and a login manager then SIGTERM; these are not second requests.
    ::signal(SIGHUP, SIG_IGN);
    if (number == SIGHUP) return;
    for (const int other : {SIGTERM, SIGINT}) ::signal(other, SIG_DFL);
}

}  // namespace

EndSignals::EndSignals(QObject* parent) : QObject(parent) {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot create a pipe for signals");
    notifier_ = new QSocketNotifier(ends[0], QSocketNotifier::Read, this);
    connect(notifier_, &QSocketNotifier::activated, this, [this] {
        notifier_->setEnabled(false);
        Q_EMIT received();
    });
    for (const int number : kSignals)
        if (::signal(number, onSignal) == SIG_IGN && number == SIGHUP) ::signal(number, SIG_IGN);  // nohup
}

EndSignals::~EndSignals() {
    for (const int number : kSignals) ::signal(number, SIG_DFL);
    for (int& end : ends) {
        close(end);
        end = -1;
    }
}

}  // namespace heddle::studio
