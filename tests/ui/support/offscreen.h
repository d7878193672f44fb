// SPDX-License-Identifier: GPL-3.0-or-later
// An application without a screen, always the same: offscreen platform, C locale with English words, Noto Sans 9 pt.
// Finds widgets and actions in its windows.
#pragma once

#include <QApplication>
#include <QList>
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

/// During its lifetime, handlers that throw do not fail the test.
class ExpectFailures {
public:
    ExpectFailures();
    ~ExpectFailures();
    ExpectFailures(const ExpectFailures&) = delete;
    ExpectFailures& operator=(const ExpectFailures&) = delete;
};

/// Runs the event loop until `done` or until the time-out × kSlowness has passed; returns whether it is done.
bool waitUntil(const std::function<bool()>& done, std::chrono::milliseconds timeout = std::chrono::seconds(5));

/// Waits several times until a page is settled, since an answer may lead to another request.
bool waitUntilSettled(const std::function<bool()>& isSettled, std::chrono::milliseconds timeout = std::chrono::seconds(5));

/// The first widget of a type below `root`; throws where there is none.
template <class Widget>
Widget& the(const QWidget& root) {
    if (auto* found = root.findChild<Widget*>()) return *found;
    throw std::runtime_error("no such widget");
}

/// The first object of a type below `root` with this objectName; nullptr where there is none.
template <class Object>
Object* findNamed(const QObject& root, const char* objectName) {
    return root.findChild<Object*>(text(objectName));
}

/// The same; throws where there is none.
template <class Object>
Object& named(const QObject& root, const char* objectName) {
    if (auto* found = findNamed<Object>(root, objectName)) return *found;
    throw std::runtime_error(std::string("nothing is named ") + objectName);
}

/// The action with this objectName in a list, as a page gives them; throws where there is none.
QAction& actionNamed(const QList<QAction*>& actions, const char* objectName);

/// The first action below `root` with these words, with or without "…" and "&"; throws where there is none.
QAction& actionBelow(const QWidget& root, const char* words);

/// The visible widgets below `root` that take the focus but have no name for a screen reader, a line for each.
std::string namelessWidgets(const QWidget& root);

}  // namespace heddle::ui::test
