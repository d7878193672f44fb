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
        std::string key;  ///< of the newest request, see Query::askOnce(); empty: it may be asked again
        void forgetFailed();
        void end(int generation, bool isAnswered);
    };
    /// A request holds its turn until its answer was given. If the place drops the request, the turn ends too, and the next
    /// request starts.
    class Turn {
    public:
        explicit Turn(const std::shared_ptr<Turns>& turns) : turns_(turns), generation_(turns->generation) {}
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn();
        /// Called when the answer is there. False if it must not be given: the request was cancelled.
        bool takesAnswer(bool isProblem);

    private:
        std::weak_ptr<Turns> turns_;
        int generation_;
        bool isAnswered_ = false;
    };
    /// Calls `start` with a turn, at once or when the turn under way ends. A later take() replaces one that waits.
    void take(std::function<void(std::shared_ptr<Turn>)> start);
    /// Whether this key is not that of the newest request. It is from now on.
    bool isNew(const std::string& key) { return key != std::exchange(turns_->key, key); }

private:
    std::shared_ptr<Turns> turns_;
};

template <class T>
class Query : public Asking {
public:
    using Answer = std::function<void(Result<T>)>;
    /// A member of `owner`. `answer` is called on the GUI thread with each result; it may ask again.
    Query(QObject* owner, Answer answer) : Asking(owner), owner_(owner), answer_(std::move(answer)) {}

    /// Asks at `place` (ask.h). A request that comes while another is under way waits until that one is answered. Of several
    /// that wait, only the newest is kept. The answer under way is still given: call cancel() first where it would be wrong.
    template <class Place, class Work>
    void ask(const Place& place, Work work) {
        take([this, place, work = std::move(work)](std::shared_ptr<Turn> turn) {
            ui::ask(owner_, place, work, [this, turn = std::move(turn)](Result<T> result) {
                if (turn->takesAnswer(!result)) answer_(std::move(result));
            });
        });
    }
    /// The same, unless the request before had this key, which is not empty and names all that the answer depends on. The key
    /// is forgotten by cancel() and where the request failed or was dropped.
    template <class Place, class Work>
    void askOnce(const std::string& key, const Place& place, Work work) {
        if (isNew(key)) ask(place, std::move(work));
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
