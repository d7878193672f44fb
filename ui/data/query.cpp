// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/query.h"

#include "ui/threads/time_slices.h"

#include <utility>

namespace heddle::ui {

Query::Query(Databases& databases, std::function<Request()> next, QObject* parent)
    : QObject(parent), databases_(databases), next_(std::move(next)), refresh_([this] { start(); }) {
    connect(&databases_, &Databases::closed, this, [this](int number) {
        if (number != reading_) return;
        reading_ = 0;
        ++generation_;
        refresh_.done();
        request();  // of what is left
    });
}

void Query::start() {
    Request due = next_();
    RunDatabase* database = databases_.find(due.database);
    if (!due.read || !database || !database->isOpen()) return refresh_.done();
    reading_ = due.database;
    database->read(
        this,
        [this, read = std::move(due.read)](storage::RunQuery& query) -> Apply {
            try {
                return read(query);
            } catch (const std::exception& error) {
                return [this, problem = problemOf(error)] { Q_EMIT failed(problem); };
            }
        },
        [this, generation = generation_](const Apply& take) {
            runInSlice(this, [this, take, generation] {
                if (generation != generation_) return;
                reading_ = 0;
                if (take) take();
                refresh_.done();
            });
        });
}

}  // namespace heddle::ui
