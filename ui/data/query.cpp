// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/query.h"

#include <utility>

namespace heddle::ui {

Query::Query(Databases& databases, std::function<Request()> next, std::function<void(const Problem&)> failed, QObject* parent)
    : QObject(parent), databases_(databases), next_(std::move(next)), failed_(std::move(failed)), refresh_([this] {
          start();
      }) {
    connect(&databases_, &Databases::closed, this, [this](int number) {
        if (number != reading_) return;
        drop();
        request();  // of what is left
    });
}

void Query::drop() {
    if (reading_ == 0) return;
    ++generation_;
    reading_ = 0;
    refresh_.done();
}

void Query::start() {
    Request due = next_();
    RunDatabase* database = databases_.find(due.database);
    if (!due.read || !database || !database->isOpen()) return refresh_.done();
    reading_ = due.database;
    const auto ifCurrent = [this, generation = generation_](const std::function<void()>& then) {
        if (generation != generation_) return;
        reading_ = 0;
        if (then) then();
        refresh_.done();
    };
    database->read(this, std::move(due.read), ifCurrent,
                   [this, ifCurrent](const Problem& problem) { ifCurrent([&] { failed_(problem); }); });
}

}  // namespace heddle::ui
