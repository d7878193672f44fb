// SPDX-License-Identifier: GPL-3.0-or-later
// Which runs of Compare's table are ticked: what the user chose, else the newest group and its baseline.
#pragma once

#include "ui/data/run_facts.h"
#include "ui/data/studio.h"

namespace heddle::ui {

class RunTableView;

class TickedRuns : public QObject {
    Q_OBJECT

public:
    TickedRuns(Studio& studio, RunTableView& table, QObject* parent);

    const std::vector<RunRef>& runs() const { return runs_; }
    /// What the table knows of them: the baseline first, since the others are compared with it; seeds of a group together.
    std::vector<RunPointer> facts() const;
    /// The user's choice.
    void choose(std::vector<RunRef> runs);
    /// Runs from other pages come beside the user's choice.
    void add(const std::vector<RunRef>& runs);
    /// Until there is a choice, chooses as soon as all runs are read: the runs of the stored session, else the newest group and
    /// its baseline. Once; again after this call, or when the databases or the baseline have changed.
    void suggest();
    /// What the groups are compared with on this page; empty: the pinned baseline.
    void setBaseline(const std::string& baseline);
    void saveSession(QSettings& settings) const;

Q_SIGNALS:
    void changed();

private:
    void suggestWhenRead();
    void tick(std::vector<RunRef> runs);

    Studio& studio_;
    RunTableView& table_;
    std::vector<RunRef> runs_;
    std::string baseline_;
    bool isChosen_ = false;  ///< by the user, now or in the session before
    bool maySuggest_ = true;
};

}  // namespace heddle::ui
