// SPDX-License-Identifier: GPL-3.0-or-later
// One question to the database at a time, asked again when something changed meanwhile. Each answer is taken in a turn of its
// own. Survives a damaged record (failed()) and another database.
#pragma once

#include "ui/shell/feed.h"

#include <functional>

namespace heddle::ui::watch {

class Question : public QObject {
    Q_OBJECT

public:
    using Taking = std::function<void()>;
    /// Runs on the reader thread; what it returns is called on the GUI thread.
    using Reading = std::function<Taking(storage::RunQuery&)>;

    /// `ask` is called on the GUI thread when a question is due; an empty Reading means that there is nothing to ask.
    Question(Feed& feed, std::function<Reading()> ask, QObject* parent);

    /// Asks now, or once more when the answer that is on its way is there.
    void request() { refresh_.request(); }
    bool isIdle() const { return !waiting_; }

Q_SIGNALS:
    void failed(const heddle::ui::Problem& problem);

private:
    void start();

    Feed& feed_;
    std::function<Reading()> ask_;
    Refresh refresh_;
    bool waiting_ = false;
    int generation_ = 0;  ///< another one: another database
};

}  // namespace heddle::ui::watch
