// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the comparison of a page's groups up to date: which study or which groups, by which value, computed off the GUI thread.
#pragma once

#include "ui/data/studio.h"
#include "ui/data/study_comparison.h"
#include "ui/threads/query.h"

#include <set>

class QSettings;

namespace heddle::ui {

class StudyComparer : public QObject {
    Q_OBJECT

public:
    /// Compares with the pinned baseline of the studio, which must outlive this object.
    StudyComparer(Studio& studio, QObject* parent);

    /// Compares anew, unless only runs in progress have grown, which no comparison uses.
    void setTable(std::shared_ptr<const RunTable> table);
    /// Never null. Until a new comparison is computed, this is the one before.
    const std::shared_ptr<const StudyComparison>& comparison() const { return comparison_; }
    const std::shared_ptr<const RunTable>& table() const { return table_; }

    /// The metric and the rule that the user chose. Choosing one leaves a study that was asked beforehand.
    void setMetric(const StudyMetric& metric);
    void setHolm(bool holm);
    const StudyMetric& metric() const { return question_.metric; }
    bool holm() const { return question_.holm; }

    /// The studies of the open databases: of the database opened last first, in each the newest first.
    const std::vector<KnownStudy>& studies() const { return studies_; }
    /// Nothing: the groups of the page. Until the user chooses, it is the first of studies().
    void choose(std::optional<KnownStudy> study);
    const std::optional<KnownStudy>& study() const { return study_; }

    bool isIdle() const { return computing_.isIdle() && listing_.isIdle(); }
    void saveSession(QSettings& settings) const;
    void restoreSession(const QSettings& settings);

Q_SIGNALS:
    void changed();
    void studiesChanged();
    void failed(const heddle::ui::Problem& problem);

private:
    using Comparison = std::shared_ptr<const StudyComparison>;
    void readStudies(int database);
    void readNextStudies();
    void takeStudies(Result<std::vector<KnownStudy>> studies);
    void forgetStudiesOf(int database);
    void compute();
    StudyQuestion questionOfGroups() const;
    void take(Result<Comparison> comparison);

    Studio& studio_;
    std::shared_ptr<const RunTable> table_ = std::make_shared<RunTable>();
    Comparison comparison_ = std::make_shared<StudyComparison>();
    StudyQuestion question_;
    std::string studied_;  ///< the baseline of the last study, used if the table has no pinned group
    bool isMetricChosen_ = false, isStudyChosen_ = false;  ///< by the user
    std::vector<KnownStudy> studies_;
    std::optional<KnownStudy> study_;
    bool hasFailed_ = false;  ///< the last comparison could not be computed
    std::set<int> due_;       ///< numbers of the databases whose studies must be read
    int asked_ = 0;           ///< number of the database whose studies were asked for last
    ReportedProblems reported_;
    Query<std::vector<KnownStudy>> listing_;
    Query<Comparison> computing_;
};

}  // namespace heddle::ui
