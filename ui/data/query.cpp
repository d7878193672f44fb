// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/query.h"

#include "ui/threads/time_slices.h"

#include <utility>

namespace heddle::ui {

Query::Query(Databases& databases, std::function<Question()> ask, QObject* parent)
    : QObject(parent), databases_(databases), ask_(std::move(ask)), refresh_([this] { start(); }) {
    connect(&databases_, &Databases::closed, this, [this](int number) {
        if (number != asked_) return;
        asked_ = 0;
        ++generation_;
        refresh_.done();
        request();  // of what is left
    });
}

void Query::start() {
    Question question = ask_();
    RunDatabase* database = databases_.find(question.database);
    if (!question.read || !database || !database->isOpen()) return refresh_.done();
    asked_ = question.database;
    database->read(
        this,
        [this, reading = std::move(question.read)](storage::RunQuery& query) -> Apply {
            try {
                return reading(query);
            } catch (const std::exception& error) {
                return [this, problem = problemOf(error)] { Q_EMIT failed(problem); };
            }
        },
        [this, generation = generation_](const Apply& take) {
            runInSlice(this, [this, take, generation] {
                if (generation != generation_) return;
                asked_ = 0;
                if (take) take();
                refresh_.done();
            });
        });
}

}  // namespace heddle::ui
