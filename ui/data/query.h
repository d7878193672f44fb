// SPDX-License-Identifier: GPL-3.0-or-later
// Asks a database one question at a time, and again if something changed meanwhile. Each answer is taken in a slice of its own.
// It survives a damaged record (failed()) and a database that is closed.
#pragma once

#include "ui/data/databases.h"
#include "ui/data/refresh.h"

#include <functional>

namespace heddle::ui {

class Query : public QObject {
    Q_OBJECT

public:
    using Apply = std::function<void()>;
    /// Runs on the reader thread and returns what is then called on the GUI thread.
    using Read = std::function<Apply(storage::RunQuery&)>;
    /// What is read from which database.
    struct Request {
        int database = 0;
        Read read = {};
    };

    /// `ask` is called on the GUI thread when a question is due; it returns an empty Read if there is nothing to ask.
    Query(Databases& databases, std::function<Request()> ask, QObject* parent);

    /// Asks now, or again after the answer that is on its way.
    void request() { refresh_.request(); }
    bool isIdle() const { return asked_ == 0; }

Q_SIGNALS:
    void failed(const heddle::ui::Problem& problem);

private:
    void start();

    Databases& databases_;
    std::function<Request()> ask_;
    Refresh refresh_;
    int asked_ = 0;       ///< the database that has not answered yet; 0: none
    int generation_ = 0;  ///< counts closed databases: answers to earlier questions are dropped
};

}  // namespace heddle::ui
