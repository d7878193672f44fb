// SPDX-License-Identifier: GPL-3.0-or-later
// One question to the database at a time, asked again when something changed meanwhile. Each answer is taken in a turn of its
// own. Survives a damaged record (failed()) and another database.
#pragma once

#include "ui/data/feed.h"

#include <functional>

namespace heddle::ui {

class Query : public QObject {
    Q_OBJECT

public:
    using Apply = std::function<void()>;
    /// Runs on the reader thread; what it returns is called on the GUI thread.
    using Read = std::function<Apply(storage::RunQuery&)>;

    /// `ask` is called on the GUI thread when a question is due; an empty Read means that there is nothing to ask.
    Query(Feed& feed, std::function<Read()> ask, QObject* parent);

    /// Asks now, or once more when the answer that is on its way is there.
    void request() { refresh_.request(); }
    bool isIdle() const { return !waiting_; }

Q_SIGNALS:
    void failed(const heddle::ui::Problem& problem);

private:
    void start();

    Feed& feed_;
    std::function<Read()> ask_;
    Refresh refresh_;
    bool waiting_ = false;
    int generation_ = 0;  ///< another one: another database
};

}  // namespace heddle::ui
