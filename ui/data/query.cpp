// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/query.h"

#include "ui/threads/time_slices.h"

namespace heddle::ui {

Query::Query(Feed& feed, std::function<Read()> ask, QObject* parent)
    : QObject(parent), feed_(feed), ask_(std::move(ask)), refresh_([this] { start(); }) {
    // What was asked of the database before is never answered: begin anew.
    connect(&feed_, &Feed::opened, this, [this] {
        refresh_ = Refresh([this] { start(); });
        waiting_ = false;
        ++generation_;
    });
}

void Query::start() {
    Read reading = feed_.file().isEmpty() ? Read() : ask_();
    if (!reading) return refresh_.done();
    waiting_ = true;
    feed_.read(
        this,
        [this, reading = std::move(reading)](storage::RunQuery& query) -> Apply {
            try {
                return reading(query);
            } catch (const std::exception& error) {
                return [this, problem = problemOf(error)] { Q_EMIT failed(problem); };
            }
        },
        [this](const Apply& take) {
            runInSlice(this, [this, take, generation = generation_] {
                if (generation != generation_) return;
                waiting_ = false;
                if (take) take();
                refresh_.done();
            });
        });
}

}  // namespace heddle::ui
