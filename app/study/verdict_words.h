// SPDX-License-Identifier: Apache-2.0
// The sentences about a study's verdict: the command line, the report and the studio say the same. Names in them are as the
// study has them (Markdown, HTML and terminals escape what they print).
#pragma once

#include "engine/analysis/study.h"

#include <string>
#include <vector>

namespace heddle::app {

/// "0.0312"; "< 0.0001" below that.
std::string pText(double p);
/// "[−0.3000, +0.1000]".
std::string intervalText(const Interval& interval);
/// "2.4312 ± 0.0213 (6)": mean, standard deviation where there is one, number of seeds; "–" without values.
std::string spreadText(const SeedValues& seeds);
/// "6", or "6 and 5" where the baseline has another number of runs.
std::string countsText(const SeedDifference& difference);
/// The share of studies in which an interval of this verdict holds, in percent: 95 for an error rate of 0.05.
double confidenceOf(const Study& study);

/// "valid loss, last; lower is better".
std::string metricWords(const Study& study);
/// "Paired t test over seeds (ρ: correlation in pairs) with 95 % intervals, after 3 to 12 of them, each time at the level
/// 0.0132, p of 2 comparisons by Holm."
std::string testWords(const Study& study, const StudyVerdict& verdict);
/// What the intervals hold together, where that is more than one interval looked at once; else empty.
std::string intervalWords(const Study& study, const StudyVerdict& verdict);
/// What a verdict does not cover. Of every study, whatever its answer.
std::string coverWords(const Study& study);

/// The verdict on a row for a cell of a table: "better", "open", "equivalent within ± 0.0200"; with the number of failed runs.
std::string verdictWord(const Study& study, const StudyVerdict& verdict, const RowVerdict& row);
/// The verdict on a row in its own words, without its numbers: "better", "open until seed 3 is there", "no difference shown (6
/// seeds would show 0.2 or more in 80 % of such studies)"; with the number of failed runs where some are left out.
std::string rowWords(const Study& study, const StudyVerdict& verdict, const RowVerdict& row);
/// The same with the numbers that it rests on: "better: −0.0903 [−0.1500, −0.0306], p 0.0123, 6 pairs, ρ 0.87" (ρ: correlation
/// of the two values of a pair).
std::string rowSentence(const Study& study, const StudyVerdict& verdict, const RowVerdict& row);
/// How the row's seeds correlate with the baseline's, and the exact test beside the t test; empty where the row is not looked
/// at.
std::string pairWords(const RowVerdict& row);

/// Describes the difference of a row over seeds and test items together: "+0.80 [−0.10, +1.70], p 0.0712, 6 pairs, 1000 items",
/// or "not computed: …".
std::string itemsWords(const StudyVerdict& verdict, const RowVerdict& row);
/// Says by which test this difference is computed and what it covers, or why it was computed for no row; empty if its outputs
/// have not been looked for.
std::string itemsTestWords(const Study& study, const StudyVerdict& verdict);

/// "full, seed 3: failed; heddle resume 0123… tries it again", for every run that the verdict leaves out, baseline first.
std::vector<std::string> leftOutWords(const Study& study, const StudyVerdict& verdict);

}  // namespace heddle::app
