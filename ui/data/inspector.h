// SPDX-License-Identifier: GPL-3.0-or-later
// Opens models of checkpoints to observe and change them, on its own thread with low priority. It does not affect the training.
#pragma once

#include "engine/run/inspection.h"
#include "ui/threads/ask.h"

#include <QObject>
#include <QThread>

#include <atomic>
#include <compare>
#include <functional>
#include <list>
#include <memory>
#include <string>

namespace heddle::ui {

/// The weights of a run at a step with a kept checkpoint.
struct ModelRef {
    std::string database, run;
    std::int64_t step = 0;
    auto operator<=>(const ModelRef&) const = default;
};

class Inspector : public QObject {
    Q_OBJECT

public:
    /// Opens a model; called on the inspector's thread. The session stops when the second argument returns true.
    using Opener = std::function<std::unique_ptr<InspectionSession>(const ModelRef&, const std::function<bool()>&)>;

    explicit Inspector(Opener opener, QObject* parent = nullptr);
    ~Inspector() override;  ///< cancels the call under way and waits for it

    /// The place of ask() (ui/threads/ask.h) where this model is open. Calls keep their order.
    struct Place {
        using Resource = InspectionSession;
        Inspector* inspector;
        ModelRef model;
        std::function<bool()> stopRequested = {};  ///< may be empty
        /// The same place, with calls that stop at their next batch or decoded position once `stop` returns true; a ranking
        /// then returns its entries so far. Task (ui/threads/task.h) uses it.
        Place stoppedBy(std::function<bool()> stop) const { return {inspector, model, std::move(stop)}; }
        void post(QPointer<QObject> owner, Job<InspectionSession> job) const;
    };
    Place at(const ModelRef& model) { return {this, model}; }
    bool isBusy() const { return waiting_ > 0; }

Q_SIGNALS:
    void busyChanged();

private:
    void carryOut(const Place& place, const QPointer<QObject>& owner, const Job<InspectionSession>& job);
    InspectionSession& sessionOf(const ModelRef& model);

    static constexpr std::size_t kOpened = 3;  ///< models kept in memory

    Opener opener_;
    QThread thread_;
    QObject* worker_;  ///< on thread_
    int waiting_ = 0;
    std::atomic<bool> isEnding_ = false;
    std::function<bool()> stopRequested_;  ///< of the call under way; only the worker uses it
    std::list<std::pair<ModelRef, std::unique_ptr<InspectionSession>>> opened_;  ///< last used first; only the worker uses it
};

}  // namespace heddle::ui
