// SPDX-License-Identifier: GPL-3.0-or-later
// Reads data for a widget, one request at a time. While one is under way, only the newest further request waits.
#pragma once

#include "ui/threads/ask.h"

#include <QHash>

#include <string>

namespace heddle::ui {

/// The part of Query that does not depend on the type of its answers.
class QueryBase : public QObject {
    Q_OBJECT

public:
    explicit QueryBase(QObject* owner) : QObject(owner), state_(std::make_shared<State>()) {}
    ~QueryBase() override { cancel(); }

    /// Nothing is under way and nothing waits.
    bool isIdle() const { return !state_->isBusy && !state_->waiting; }
    /// Drops the answer under way and the waiting request.
    void cancel();

protected:
    struct State {
        bool isBusy = false;
        int generation = 0;  ///< counts cancellations; answers of earlier generations are dropped
        std::function<void()> waiting;
        std::string key;  ///< of the newest request, see Query::askOnce(); empty: it may be repeated
        void clearKey();
        void end(int generation, bool isAnswered);
    };
    /// A request under way. It ends when its last owner releases it: after its answer, or when the place drops the request.
    /// Then the waiting request starts.
    class Request {
    public:
        explicit Request(const std::shared_ptr<State>& state) : state_(state), generation_(state->generation) {}
        Request(const Request&) = delete;
        Request& operator=(const Request&) = delete;
        ~Request();
        /// Call this with the answer. False if the request was cancelled, so that the answer must be dropped.
        bool acceptsAnswer(bool isProblem);

    private:
        std::weak_ptr<State> state_;
        int generation_;
        bool isAnswered_ = false;
    };
    /// Calls `send` with a request, now or when the one under way has ended. A later call replaces a waiting one.
    void start(std::function<void(std::shared_ptr<Request>)> send);
    /// Stores the key of the newest request. Returns whether it differs from the one before.
    bool setKey(const std::string& key) { return key != std::exchange(state_->key, key); }

private:
    std::shared_ptr<State> state_;
};

template <class T>
class Query : public QueryBase {
public:
    using Answer = std::function<void(Result<T>)>;
    /// A member of `owner`. `answer` is called on the GUI thread with each result; it may ask again.
    Query(QObject* owner, Answer answer) : QueryBase(owner), owner_(owner), answer_(std::move(answer)) {}

    /// Asks at `place` (ask.h). While another request is under way, it waits; of several waiting requests only the newest is
    /// kept. The request under way is still answered: call cancel() first where that answer would be wrong.
    template <class Place, class Work>
    void ask(const Place& place, Work work) {
        start([this, place, work = std::move(work)](std::shared_ptr<Request> request) {
            ui::ask(owner_, place, work, [this, request = std::move(request)](Result<T> result) {
                if (request->acceptsAnswer(!result)) answer_(std::move(result));
            });
        });
    }
    /// The same, unless the last request had this key, which must not be empty and must contain all that the answer depends on.
    /// The key is cleared by cancel(), and if the request fails or is dropped.
    template <class Place, class Work>
    void askOnce(const std::string& key, const Place& place, Work work) {
        if (setKey(key)) ask(place, std::move(work));
    }

private:
    QObject* owner_;
    Answer answer_;
};

/// The problems of repeated reads that were reported, so that each is reported once until a read succeeds.
class ReportedProblems {
public:
    /// Whether the problem of this subject, a run or a database, was not reported yet. It counts as reported from now on.
    bool isNew(const QString& subject, const Problem& problem) {
        return std::exchange(problems_[subject], problem.what) != problem.what;
    }
    void succeeded(const QString& subject) { problems_.remove(subject); }

private:
    QHash<QString, QString> problems_;
};

}  // namespace heddle::ui
