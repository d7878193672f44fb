// SPDX-License-Identifier: GPL-3.0-or-later
// The one way in which the window has work done beside it: a place (a reader of a database, a pool thread, a model), what is
// done there, and what becomes of the result or the failure in a turn of the GUI thread.
//
//     ask(this, reader, [](storage::RunQuery& query) { return query.attempts(id); },
//         [this](Result<Attempts> attempts) { if (!attempts) return show(attempts.problem()); … *attempts … });
//
// ask() is for what is done once and each time (an export); Query (query.h) for what is shown, where only the newest matters.
#pragma once

#include "ui/text/problem.h"

#include <QObject>
#include <QPointer>
#include <QThreadPool>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace heddle::ui {

/// What was asked for, or why it is not there. Whoever takes it must look which.
template <class T>
class Result {
public:
    Result(T value) : is_(std::in_place_index<0>, std::move(value)) {}            // NOLINT(google-explicit-constructor)
    Result(Problem problem) : is_(std::in_place_index<1>, std::move(problem)) {}  // NOLINT(google-explicit-constructor)

    explicit operator bool() const { return is_.index() == 0; }
    T& operator*() { return std::get<0>(is_); }
    const T& operator*() const { return std::get<0>(is_); }
    T* operator->() { return &std::get<0>(is_); }
    const T* operator->() const { return &std::get<0>(is_); }
    const Problem& problem() const { return std::get<1>(is_); }

private:
    std::variant<T, Problem> is_;
};

/// Of work that returns nothing.
struct Done {};

/// What follows a job on the GUI thread.
struct Then {
    std::function<void()> call;
    bool isProblem = false;  ///< the answer is a failure
};
/// Called at a place with a function that gives what is there, or throws.
template <class There>
using Job = std::function<Then(const std::function<There&()>&)>;

// A place has a type There and `void post(QPointer<QObject> owner, Job<There> job)`: it calls the job off the GUI thread and
// what that returned on the GUI thread, in the order of the calls; it drops either without a word if the owner or the place is
// gone by then.

/// Any thread of a pool: files, arrangement of many rows. Nothing is there: the work takes no argument. Not Qt's global
/// pool: Qt paints large areas with that pool and waits for it, so painting would wait for our work.
struct Pool {
    struct There {};
    static void post(QPointer<QObject> owner, Job<There> job);
    static QThreadPool& threads();
};

namespace detail {

template <class Work, class There>
auto resultAt(Work& work, There& there) {
    if constexpr (std::is_invocable_v<Work&, There&>)
        return work(there);
    else
        return work();
}

}  // namespace detail

/// Calls `work` at `place` and then, on the GUI thread, `answer` with a Result of what it returned (Done of void) or of what it
/// threw. Nothing is called once `owner` is gone. `work` must own all that it touches.
template <class Place, class Work, class Answer>
void ask(QObject* owner, const Place& place, Work work, Answer answer) {
    using There = typename Place::There;
    using Value = decltype(detail::resultAt(work, std::declval<There&>()));
    using T = std::conditional_t<std::is_void_v<Value>, Done, Value>;
    place.post(owner,
               [work = std::move(work), answer = std::move(answer)](const std::function<There&()>& there) mutable -> Then {
                   std::shared_ptr<Result<T>> result;
                   try {
                       There& found = there();
                       if constexpr (std::is_void_v<Value>) {
                           detail::resultAt(work, found);
                           result = std::make_shared<Result<T>>(Done{});
                       } else {
                           result = std::make_shared<Result<T>>(detail::resultAt(work, found));
                       }
                   } catch (const std::exception& error) {
                       result = std::make_shared<Result<T>>(problemOf(error));
                   }
                   const bool isProblem = !*result;
                   return {[result, answer = std::move(answer)]() mutable { answer(std::move(*result)); }, isProblem};
               });
}

}  // namespace heddle::ui
