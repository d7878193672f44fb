// SPDX-License-Identifier: GPL-3.0-or-later
// An application without a screen, always the same: offscreen platform, C locale with English words, Noto Sans 9 pt.
// What tests find in its windows.
#pragma once

#include <QApplication>
#include <QString>
#include <QWidget>

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

class QAction;

namespace heddle::ui::test {

inline QString text(const char* words) { return QString::fromUtf8(words); }

/// Once a process, before any widget.
std::unique_ptr<QApplication> makeApplication(int& argc, char** argv);

/// While one lives, a handler that throws fails no test.
class ExpectFailures {
public:
    ExpectFailures();
    ~ExpectFailures();
    ExpectFailures(const ExpectFailures&) = delete;
    ExpectFailures& operator=(const ExpectFailures&) = delete;
};

/// Lets the event loop turn until `done` or the patience is over; true if done.
bool waitUntil(const std::function<bool()>& done, std::chrono::milliseconds patience = std::chrono::seconds(5));

/// Waits until a page is settled several times, with a poll in between: an answer may lead to the next question.
bool waitUntilSettled(const std::function<bool()>& isSettled, std::chrono::milliseconds patience = std::chrono::seconds(5));

/// The first widget of a type below `root`, or the first with this accessible name; throws where there is none.
template <class Widget>
Widget& the(const QWidget& root, const char* accessibleName = nullptr) {
    for (auto* found : root.findChildren<Widget*>())
        if (!accessibleName || found->accessibleName() == text(accessibleName)) return *found;
    throw std::runtime_error(accessibleName ? accessibleName : "no such widget");
}

/// The first action below `root` with these words, with or without "…" and "&"; throws where there is none.
QAction& actionBelow(const QWidget& root, const char* words);

/// The visible widgets below `root` that take the focus but have no name for a screen reader, a line for each.
std::string namelessWidgets(const QWidget& root);

}  // namespace heddle::ui::test
