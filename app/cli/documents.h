// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/context.h"
#include "engine/base/json_fwd.h"
#include "engine/run/events.h"
#include "engine/run/run_notes.h"
#include "storage/run_query.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::app {

/// Opens the run database of a command for reading; reports damages on stderr. Throws Error(InvalidInput) if there is none.
/// `context` must outlive the query.
std::unique_ptr<storage::RunQuery> openDatabase(const Context& context);

/// A run as "heddle.run/1"; checkpoint paths are absolute.
Json runDocument(storage::RunQuery& query, const storage::RunRecord& run, const std::string& database);

/// Returns the run as text for people: state, spec, evaluations, checkpoints, attempts with their replay verdict, errors.
std::string runText(storage::RunQuery& query, const storage::RunRecord& run);

/// Whether a metric is a part of another ("f1/PER"); shown only with --json.
inline bool isPart(const std::string& metric) { return metric.find('/') != std::string::npos; }

/// The value of an evaluation, or "damaged".
std::string valueText(const storage::EvaluationRecord& evaluation);

/// The newest evaluation of the first three metrics of a split, for one line of a table: "loss 2.31, accuracy 0.61, bleu 24.1".
std::string newestEvaluations(storage::RunQuery& query, const std::string& run, const std::string& split);

/// Whether a warning concerns the data and so all numbers of a run; others concern one evaluation.
bool isOfTheWholeRun(const storage::EventRecord& event);

/// Warnings to be shown beside all numbers of a run, each once, in recorded order.
std::vector<std::string> warningsOf(storage::RunQuery& query, const std::string& run);

/// A table of an evaluation's metrics without their parts; `column` heads the values.
std::string metricsText(const std::string& column, const std::vector<EvaluationDone::Value>& values);

/// A line for each note: its number, when it was written, and its text.
std::string notesText(const std::vector<RunNote>& notes);

/// What was done to which runs, a line for each: "deleted 3f2a09b71c55".
std::string doneText(const std::string& done, const std::vector<std::string>& runs);

/// A line for each warning.
std::string warningsText(const std::vector<std::string>& warnings);

/// {"class": probability, …}; null if the task has no classes.
Json probabilitiesDocument(const std::vector<std::string>& classes, const std::vector<float>& probabilities);

/// The title of a run in texts: "eau-base (3f2a09b71c55)".
std::string titleOf(const storage::RunRecord& run);

}  // namespace heddle::app
