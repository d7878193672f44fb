// SPDX-License-Identifier: GPL-3.0-or-later
// Asynchronous work of the window: the place (a reader of a database, a pool thread, a model), the work that is done there, and
// the answer, which gets the result or the failure on the GUI thread.
//
//     ask(this, reader, [](storage::RunQuery& query) { return query.attempts(id); },
//         [this](Result<Attempts> attempts) { if (!attempts) return show(attempts.problem()); … *attempts … });
//
// Use ask() where every call counts (a file is written), Query (query.h) for data to show, where only the newest request
// counts, and Task (task.h) for work that takes long.
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

/// The value of a request, or the problem. Test it before use.
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

/// The value of work that returns nothing.
struct Done {};

/// The answer of a job, to be called on the GUI thread.
using Continuation = std::function<void()>;
/// Called at a place with a function that returns the resource of the place, such as an open database, or throws.
template <class Resource>
using Job = std::function<Continuation(const std::function<Resource&()>&)>;

// A place has a type Resource and `void post(QPointer<QObject> owner, Job<Resource> job)`, which calls the job off the GUI
// thread and then its continuation on the GUI thread, in order. It silently drops either if owner or place no longer exists.

/// A thread pool, for files and the arrangement of many rows. It has no resource: the work takes no argument. Not Qt's global
/// pool, with which Qt paints large areas: painting would wait for our work.
struct Pool {
    struct Resource {};
    static void post(QPointer<QObject> owner, Job<Resource> job);
    static QThreadPool& threads();
};

/// One thread for what the program stores of a session, which it writes in the order of the calls. The GUI thread must not wait
/// for a busy disk, which takes half a second.
struct SessionFiles {
    using Resource = Pool::Resource;
    static void post(QPointer<QObject> owner, Job<Resource> job);
    static void finish();  ///< waits until all is written
};

namespace detail {

template <class Work, class Resource>
auto resultOf(Work& work, Resource& resource) {
    if constexpr (std::is_invocable_v<Work&, Resource&>)
        return work(resource);
    else
        return work();
}

}  // namespace detail

/// Calls `work` at `place` and then, on the GUI thread, `answer` with a Result: the value that `work` returned (Done if void)
/// or the problem that it threw. Nothing is called after `owner` was deleted. `work` must own the data that it uses.
template <class Place, class Work, class Answer>
void ask(QObject* owner, const Place& place, Work work, Answer answer) {
    using Resource = typename Place::Resource;
    using Value = decltype(detail::resultOf(work, std::declval<Resource&>()));
    using T = std::conditional_t<std::is_void_v<Value>, Done, Value>;
    place.post(
        owner,
        [work = std::move(work), answer = std::move(answer)](const std::function<Resource&()>& open) mutable -> Continuation {
            std::shared_ptr<Result<T>> result;
            try {
                Resource& resource = open();
                if constexpr (std::is_void_v<Value>) {
                    detail::resultOf(work, resource);
                    result = std::make_shared<Result<T>>(Done{});
                } else {
                    result = std::make_shared<Result<T>>(detail::resultOf(work, resource));
                }
            } catch (const std::exception& error) {
                result = std::make_shared<Result<T>>(problemOf(error));
            }
            return [result, answer = std::move(answer)]() mutable { answer(std::move(*result)); };
        });
}

}  // namespace heddle::ui
