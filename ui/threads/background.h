// SPDX-License-Identifier: GPL-3.0-or-later
// Work that is neither a question to a database (RunDatabase::read) nor a command (Commander): files, arrangement of many
// rows.
#pragma once

#include "ui/text/problem.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <functional>
#include <memory>

namespace heddle::ui {

/// Where all work beside the window is done. Not the global pool: Qt cuts large fills into pieces for that one and waits for
/// them, and a picture must not stand behind a million rows.
QThreadPool& backgroundPool();

/// Calls `work` on a pool thread and then, in a turn of the GUI thread, `done` with what it returned, or `failed` with what it
/// threw. Both are dropped if `context` is gone by then. `work` must own all that it touches.
template <class Work, class Done>
void inBackground(QObject* context, Work work, Done done, const std::function<void(const Problem&)>& failed) {
    const auto finish = [context = QPointer(context)](std::function<void()> then) {
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [context, then = std::move(then)] {
                if (context && then) then();
            },
            Qt::QueuedConnection);
    };
    backgroundPool().start([work = std::move(work), done = std::move(done), failed, finish]() mutable {
        try {
            auto result = std::make_shared<decltype(work())>(work());
            finish([result, done = std::move(done)]() mutable { done(std::move(*result)); });
        } catch (const std::exception& error) {
            finish([failed, problem = problemOf(error)] { failed(problem); });
        }
    });
}

}  // namespace heddle::ui
