// SPDX-License-Identifier: GPL-3.0-or-later
// What a comparison puts into the run table: values by its rule, differences, verdicts.
#pragma once

#include "ui/data/study_comparison.h"
#include "ui/panels/table/columns.h"
#include "ui/theme/tokens.h"

#include <QMetaType>

#include <string>
#include <unordered_map>

namespace heddle::ui {

/// A difference as the interval column draws it, in units of the screen.
struct IntervalGlyph {
    std::optional<double> difference;
    std::optional<Interval> interval;
    std::optional<double> noise;  ///< the floor is ± this
    double reach = 1;             ///< the cell shows ± this; one for all rows
    int order = -1;               ///< the group's look: Theme::runAt(order)
    bool isGroup = true;
    bool isFaint = false;  ///< a run that no number uses
};

/// `column` isCompared(). Of a group.
Cell comparedCell(const Column& column, const StudyComparison& comparison, const ComparedGroup& group);
/// Of a run of this group.
Cell comparedCell(const Column& column, const StudyComparison& comparison, const ComparedGroup& group, const RunFacts& run);
/// The cell as the screen writes it; of the group "34.58 ± 0.22", "+0.54 [−0.91, +1.99]". What is published is of the group
/// alone.
QString comparedText(const Column& column, const Cell& cell, const StudyComparison& comparison,
                     const ComparedGroup* group = nullptr);
/// Test, n, what the number rests on and does not cover.
QString comparedTip(const Column& column, const StudyComparison& comparison, const ComparedGroup& group);
/// "BLEU, test, last", "Difference [95 %]".
QString comparedTitle(const Column& column, const StudyComparison& comparison);

/// The caption of the table: the rule of value, the baseline, whether it was asked beforehand, the noise floor. `names`: of the
/// groups that are shown, by key.
QString comparisonNote(const StudyComparison& comparison, const std::unordered_map<std::string, QString>& names);
/// The title of the compared metric with the rule of value: "BLEU, test, best".
QString valueTitle(const StudyComparison& comparison);
/// "last", "best", "step 4,000", "mean of last 3".
QString ruleText(const ValueRule& rule);
/// "better", "no difference shown", "too few seeds (2)", "baseline".
QString verdictText(const StudyComparison& comparison, const ComparedGroup& group);
Icon verdictIcon(const StudyComparison& comparison, const ComparedGroup& group);
Token verdictColour(const ComparedGroup& group);
/// A number of the metric, and a difference of two, as the screen writes them.
QString metricText(const StudyComparison& comparison, double stored);
QString differenceText(const StudyComparison& comparison, double stored);
/// A difference of another metric, times `scale` (a power of ten), with the digits that the command line gives the stored
/// difference (decimalsOf()).
QString differenceText(double scale, double stored);
/// "+0.54 [−0.91, +1.99]".
QString intervalText(const StudyComparison& comparison, const ComparedGroup& group);

/// "PAPER, Table 3, ROW, BLEU: 40.540. Measured beside it: …. The run differs from the paper: …".
QString publishedText(const PublishedValue& value);

IntervalGlyph glyphOf(const StudyComparison& comparison, const ComparedGroup& group, const RunFacts* run = nullptr);

}  // namespace heddle::ui

Q_DECLARE_METATYPE(heddle::ui::IntervalGlyph)
