// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/run_details.h"

#include "engine/run/run_state.h"

#include <QElapsedTimer>

namespace heddle::ui {

RunDetails::RunDetails(Databases& databases, QObject* parent)
    : QObject(parent),
      databases_(databases),
      query_(new Query(
          databases, [this] { return nextRequest(); }, [this](const Problem& problem) { tell(problem); }, this)) {
    connect(&databases, &Databases::closed, this, [this](int number) {
        std::erase_if(details_, [number](const auto& entry) { return entry.first.database == number; });
    });
}

void RunDetails::tell(const Problem& problem) {
    if (!due_.empty()) query_->request();
    if (told_.isNew(asked_.key(), problem)) Q_EMIT failed(problem);
}

void RunDetails::setRuns(const std::vector<RunRef>& runs) {
    std::map<RunRef, std::shared_ptr<const RunDetail>> kept;
    for (const RunRef& run : runs) kept[run] = of(run);
    details_ = std::move(kept);
}

std::shared_ptr<const RunDetail> RunDetails::of(const RunRef& run) const {
    const auto found = details_.find(run);
    return found == details_.end() ? nullptr : found->second;
}

bool RunDetails::isDue(const RunRef& run) const {
    const auto detail = of(run);
    const Run* now = databases_.run(run);
    if (!detail || !now || now->rev != detail->record.rev) return true;
    const auto state = runStateFromName(now->state);
    return !state || !isFinal(*state);
}

void RunDetails::refresh() {
    for (const auto& [run, detail] : details_)
        if (isDue(run)) due_.insert(run);
    if (!due_.empty()) query_->request();
}

/// One run a question: the details of a long run are thousands of rows.
Query::Request RunDetails::nextRequest() {
    std::erase_if(due_, [this](const RunRef& run) { return !details_.contains(run); });
    if (due_.empty()) return {};
    const RunRef run = *due_.begin();
    due_.erase(run);
    asked_ = run;
    return {run.database, [this, run, before = of(run)](storage::RunQuery& query) -> Query::Apply {
                QElapsedTimer clock;
                clock.start();
                auto detail = readDetail(query, run, before);
                return [this, run, detail, took = double(clock.nsecsElapsed()) / 1e6] {
                    readingMs_ = took;
                    told_.succeeded(run.key());
                    if (!due_.empty()) query_->request();
                    if (!details_.contains(run)) return;
                    details_[run] = detail;
                    Q_EMIT changed();
                };
            }};
}

}  // namespace heddle::ui
