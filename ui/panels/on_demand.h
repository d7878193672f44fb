// SPDX-License-Identifier: GPL-3.0-or-later
// What a panel of Inspect measures of whole models when its button is pressed. Answers and refusals stay by model while the
// window is open, so that they are shown again with their model and never with another.
#pragma once

#include "ui/panels/inspected_pair.h"
#include "ui/text/number.h"
#include "ui/text/problem.h"
#include "ui/theme/controls.h"
#include "ui/threads/task.h"

#include <QPushButton>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace heddle::ui {

/// `Report` is copyable and has a split, a number of examples and warnings.
template <class Report>
class OnDemand {
public:
    using Work = std::function<Report(InspectionSession&)>;
    /// A member of `owner`, which shows at `pair`'s changes; `show` is called when something is known or is being measured.
    OnDemand(InspectedPair& pair, QWidget* owner, Work work, std::function<void()> show)
        : pair_(pair),
          work_(std::move(work)),
          show_(std::move(show)),
          button_(new QPushButton(owner)),
          measuring_(owner, [this](Result<Report> answer) { take(std::move(answer)); }) {
        setControlRole(*button_, ControlRole::Small);
        QObject::connect(button_, &QPushButton::clicked, owner, [this] {
            if (!isMeasuring()) return measure(shown());
            measuring_.cancel();
            show_();
        });
    }

    /// Measures, or cancels. The panel gives it a place and an object name.
    QPushButton* button() const { return button_; }
    /// Measures the model of B, too, after that of A.
    void alsoOfB() { isOfB_ = true; }
    /// Call it in `show`.
    void showButton() {
        const bool hasModel = pair_.a().model().has_value();
        button_->setText(!isMeasuring()         ? InspectedPair::tr("Measure")
                         : waiting_.size() == 1 ? InspectedPair::tr("Cancel")
                                                : InspectedPair::tr("Cancel (%1 left)").arg(count(qint64(waiting_.size()))));
        button_->setEnabled(isMeasuring() || (hasModel && !missing(shown()).empty()));
        button_->setToolTip(isMeasuring() || hasModel ? QString() : pair_.reason());
    }
    bool isMeasuring() const { return measuring_.isRunning(); }
    /// Those of `models` that have no report.
    std::vector<ModelRef> missing(const std::vector<ModelRef>& models) const {
        std::vector<ModelRef> without;
        std::copy_if(models.begin(), models.end(), std::back_inserter(without),
                     [this](const ModelRef& one) { return !of(one); });
        return without;
    }
    /// Measures those that have no report, one after the other. Not while it measures.
    void measure(const std::vector<ModelRef>& models) {
        waiting_ = missing(models);
        measureNext();
        show_();
    }

    /// Null: not measured, or not with success.
    const Report* of(const ModelRef& model) const {
        const auto found = answers_.find(model);
        return found != answers_.end() && found->second ? &*found->second : nullptr;
    }
    const Report* of(const InspectedRun& run) const {
        const auto model = run.model();
        return model ? of(*model) : nullptr;
    }
    /// Title and text in place of a report of A; `what` says what the button measures.
    std::pair<QString, QString> whyNot(const QString& what) const {
        const auto model = pair_.a().model();
        if (!model) return {InspectedPair::tr("Nothing to measure"), pair_.reason()};
        if (std::find(waiting_.begin(), waiting_.end(), *model) != waiting_.end())
            return {InspectedPair::tr("Measuring…"), InspectedPair::modelLabel(pair_.a())};
        if (const auto answer = answers_.find(*model); answer != answers_.end() && !answer->second)
            return {InspectedPair::tr("Not measured"), wordsOf(answer->second.problem())};
        return {InspectedPair::tr("Nothing measured yet"), what};
    }
    /// On what it was measured, with its warnings: "256 valid examples".
    static QString noteOf(const Report& report) {
        //: A number, and the split of the examples.
        QString words = InspectedPair::tr("%1 %2 examples").arg(count(report.examples), QString::fromStdString(report.split));
        for (const std::string& warning : report.warnings) words += QStringLiteral(" · ") + QString::fromStdString(warning);
        return words;
    }

private:
    /// The models whose reports the panel shows at the step.
    std::vector<ModelRef> shown() const {
        std::vector<ModelRef> models;
        if (const auto a = pair_.a().model()) models.push_back(*a);
        if (const auto b = pair_.b().model(); b && isOfB_ && models != std::vector{*b}) models.push_back(*b);
        return models;
    }
    void measureNext() {
        if (waiting_.empty()) return;
        measuring_.start(pair_.inspector().at(waiting_.front()),
                         [work = work_](InspectionSession& session, const TaskControl&) { return work(session); });
    }
    /// After a refusal or a cancellation, those that wait are not measured; that something was cancelled is no refusal.
    void take(Result<Report> answer) {
        const ModelRef model = waiting_.front();
        waiting_.erase(waiting_.begin());
        if (!answer || measuring_.isCancelled()) waiting_.clear();
        if (answer || !measuring_.isCancelled()) answers_.insert_or_assign(model, std::move(answer));
        measureNext();
        show_();
    }

    InspectedPair& pair_;
    Work work_;
    std::function<void()> show_;
    QPushButton* button_;
    bool isOfB_ = false;
    std::vector<ModelRef> waiting_;  ///< the first is being measured
    std::map<ModelRef, Result<Report>> answers_;
    Task<Report> measuring_;
};

}  // namespace heddle::ui
