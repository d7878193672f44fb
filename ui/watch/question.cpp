// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/watch/question.h"

#include "ui/shell/turns.h"

namespace heddle::ui::watch {

Question::Question(Feed& feed, std::function<Reading()> ask, QObject* parent)
    : QObject(parent), feed_(feed), ask_(std::move(ask)), refresh_([this] { start(); }) {
    // What was asked of the database before is never answered: begin anew.
    connect(&feed_, &Feed::opened, this, [this] {
        refresh_ = Refresh([this] { start(); });
        waiting_ = false;
        ++generation_;
    });
}

void Question::start() {
    Reading reading = feed_.file().isEmpty() ? Reading() : ask_();
    if (!reading) return refresh_.done();
    waiting_ = true;
    feed_.read(
        this,
        [this, reading = std::move(reading)](storage::RunQuery& query) -> Taking {
            try {
                return reading(query);
            } catch (const std::exception& error) {
                return [this, problem = problemOf(error)] { Q_EMIT failed(problem); };
            }
        },
        [this](const Taking& take) {
            inTurn(this, [this, take, generation = generation_] {
                if (generation != generation_) return;
                waiting_ = false;
                if (take) take();
                refresh_.done();
            });
        });
}

}  // namespace heddle::ui::watch
