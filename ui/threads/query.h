// SPDX-License-Identifier: GPL-3.0-or-later
// What a widget shows and must fetch first: one request at a time, of which the newest wins.
#pragma once

#include "ui/threads/ask.h"

#include <QHash>

#include <string>

namespace heddle::ui {

/// The turns of a Query.
class Asking : public QObject {
    Q_OBJECT

public:
    explicit Asking(QObject* owner) : QObject(owner), turns_(std::make_shared<Turns>()) {}
    ~Asking() override { cancel(); }

    /// Nothing is under way and nothing waits.
    bool isIdle() const { return !turns_->isBusy && !turns_->waiting; }
    /// Drops the answer under way and the request that waits: what they are about is not shown any more.
    void cancel();

protected:
    struct Turns {
        bool isBusy = false;
        int generation = 0;  ///< counts cancelled turns: their answers are not given
        std::function<void()> waiting;
        void end(int generation);
    };
    /// Held by a request till its answer was given. Where the place drops the request, its end makes room for the next.
    class Turn {
    public:
        explicit Turn(const std::shared_ptr<Turns>& turns) : turns_(turns), generation_(turns->generation) {}
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn();
        bool isCurrent() const;

    private:
        std::weak_ptr<Turns> turns_;
        int generation_;
    };
    /// Calls `start` with a turn: now, or when the turn under way ends, unless another takes its place.
    void take(std::function<void(std::shared_ptr<Turn>)> start);

    std::string key_;  ///< see Query::askOnce()

private:
    std::shared_ptr<Turns> turns_;
};

template <class T>
class Query : public Asking {
public:
    using Answer = std::function<void(Result<T>)>;
    /// A member of `owner`. `answer` is called on the GUI thread with each result; it may ask again.
    Query(QObject* owner, Answer answer) : Asking(owner), owner_(owner), answer_(std::move(answer)) {}

    /// Asks at `place` (ask.h). While a request is under way this one waits for its answer, which is still given, instead of
    /// what waited before: call cancel() first where that answer would be wrong.
    template <class Place, class Work>
    void ask(const Place& place, Work work) {
        take([this, place, work = std::move(work)](std::shared_ptr<Turn> turn) {
            ui::ask(owner_, place, work, [this, turn = std::move(turn)](Result<T> result) {
                if (turn->isCurrent()) answer_(std::move(result));
            });
        });
    }
    /// The same, unless the request before had this key, which names all that the answer depends on. cancel() forgets the key.
    template <class Place, class Work>
    void askOnce(const std::string& key, const Place& place, Work work) {
        if (key == std::exchange(key_, key)) return;
        ask(place, std::move(work));
    }

private:
    QObject* owner_;
    Answer answer_;
};

/// Reports a problem of a read once, not at every poll. After a read that succeeds it is reported again.
class ToldOnce {
public:
    /// Whether the problem of this subject, a run or a database, was not reported yet.
    bool isNew(const QString& subject, const Problem& problem) {
        return std::exchange(told_[subject], problem.what) != problem.what;
    }
    void succeeded(const QString& subject) { told_.remove(subject); }

private:
    QHash<QString, QString> told_;
};

}  // namespace heddle::ui
