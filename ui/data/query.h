// SPDX-License-Identifier: GPL-3.0-or-later
// One question to a database at a time, asked again when something changed meanwhile. Each answer is taken in a slice of its
// own. Survives a damaged record (failed()) and a database that is closed.
#pragma once

#include "ui/data/databases.h"
#include "ui/data/refresh.h"

#include <functional>

namespace heddle::ui {

class Query : public QObject {
    Q_OBJECT

public:
    using Apply = std::function<void()>;
    /// Runs on the reader thread; what it returns is called on the GUI thread.
    using Read = std::function<Apply(storage::RunQuery&)>;
    /// What is read, and from which database.
    struct Question {
        int database = 0;
        Read read = {};
    };

    /// `ask` is called on the GUI thread when a question is due; an empty Read means that there is nothing to ask.
    Query(Databases& databases, std::function<Question()> ask, QObject* parent);

    /// Asks now, or once more when the answer that is on its way is there.
    void request() { refresh_.request(); }
    bool isIdle() const { return asked_ == 0; }

Q_SIGNALS:
    void failed(const heddle::ui::Problem& problem);

private:
    void start();

    Databases& databases_;
    std::function<Question()> ask_;
    Refresh refresh_;
    int asked_ = 0;       ///< the database whose answer is waited for; 0: none
    int generation_ = 0;  ///< another one: what was asked before is never answered
};

}  // namespace heddle::ui
