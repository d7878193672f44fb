// SPDX-License-Identifier: Apache-2.0
// `heddle inspect RUN --labels`: what every attention head attends to.
#include "app/cli/documents.h"
#include "app/cli/inspect_command.h"
#include "app/cli/terminal.h"
#include "app/session/runs/open_inspection.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/data/readers/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <ostream>
#include <utility>

namespace heddle::app {
namespace {

/// A score: its key in the document, its title in the table.
struct ScoreColumn {
    const char *key, *title;
    std::optional<double> HeadScores::*score;
};
constexpr ScoreColumn kScores[] = {{"previous_token", "previous", &HeadScores::previous},
                                   {"current_token", "current", &HeadScores::current},
                                   {"next_token", "next", &HeadScores::next},
                                   {"first_token", "first", &HeadScores::first},
                                   {"duplicate_token", "duplicate", &HeadScores::duplicate},
                                   {"induction", "induction", &HeadScores::induction},
                                   {"copying", "copying", &HeadScores::copying},
                                   {"entropy", "entropy (bits)", &HeadScores::entropy},
                                   {"aer", "AER", &HeadScores::errorRate}};

Json headsDocument(const LabelsReport& report) {
    Json heads = Json::array();
    for (const HeadScores& one : report.heads) {
        Json head{{"path", one.path}, {"head", one.head}, {"labels", one.labels}};
        for (const ScoreColumn& column : kScores) head[column.key] = one.*column.score ? Json(*(one.*column.score)) : Json();
        head["n"] = one.queries, head["n_repeated"] = one.repeated, head["n_links"] = one.links;
        heads.push_back(std::move(head));
    }
    return heads;
}

Json labelsDocument(const ChosenCheckpoint& chosen, const LabelsReport& report) {
    Json document = inspectionDocument(chosen);
    document["split"] = report.split, document["examples"] = report.examples;
    document["labels"] = {{"threshold", kLabelThreshold}, {"seed", kRepeatedSeed}, {"heads", headsDocument(report)}};
    document["warnings"] = report.warnings, document["seconds"] = report.seconds;
    return document;
}

/// The scores that some head has.
std::vector<ScoreColumn> shownColumns(const LabelsReport& report) {
    std::vector<ScoreColumn> shown;
    std::copy_if(std::begin(kScores), std::end(kScores), std::back_inserter(shown), [&](const ScoreColumn& column) {
        return std::any_of(report.heads.begin(), report.heads.end(),
                           [&](const HeadScores& one) { return (one.*column.score).has_value(); });
    });
    return shown;
}

std::string labelsText(const LabelsReport& report) {
    const std::vector<ScoreColumn> columns = shownColumns(report);
    std::vector<std::string> head{"head"};
    std::vector<std::size_t> right;
    for (const ScoreColumn& column : columns) {
        right.push_back(head.size());
        head.emplace_back(column.title);
    }
    right.push_back(head.size());
    head.insert(head.end(), {"n", "label"});
    Table table(head);
    table.right(right);
    for (const HeadScores& one : report.heads) {
        std::vector<std::string> row{fmt::format("{}:{}", one.path, one.head)};
        for (const ScoreColumn& column : columns) row.push_back(one.*column.score ? numberText(*(one.*column.score)) : "");
        row.push_back(countText(one.queries));
        row.push_back(fmt::format("{}", fmt::join(one.labels, ", ")));
        table.add(std::move(row));
    }
    const auto repeated =
        std::find_if(report.heads.begin(), report.heads.end(), [](const auto& one) { return one.repeated > 0; });
    std::string text = table.text() + fmt::format("a label: its score is at least {}\n", kLabelThreshold);
    if (repeated != report.heads.end())
        text += fmt::format("duplicate and induction: on {} queries in random tokens repeated once\n",
                            countText(repeated->repeated));
    return text + warningsText(report.warnings);
}

}  // namespace

int inspectLabels(const InspectOptions& options, const Context& context) {
    LabelsRequest request{examplesOf(options), {}, options.alignments};
    if (!options.alignments.empty()) request.alignments = readTextFile(options.alignments).lines;
    const ChosenCheckpoint chosen = chosenCheckpoint(options, context);
    const std::shared_ptr<Engine> engine = context.engine();
    const std::unique_ptr<InspectionSession> session = openInspection(*engine, chosen, options.device, {});
    const LabelsReport report = session->labels(request);
    if (context.json) {
        context.print(labelsDocument(chosen, report));
        return 0;
    }
    noteReport(context, chosen, report);
    context.out << labelsText(report);
    return 0;
}

}  // namespace heddle::app
