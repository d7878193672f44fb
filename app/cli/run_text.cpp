// SPDX-License-Identifier: Apache-2.0
#include "app/cli/documents.h"
#include "app/cli/system_use.h"
#include "app/cli/terminal.h"
#include "app/reports/efficiency.h"
#include "app/session/runs/extension.h"
#include "engine/base/printable.h"
#include "engine/run/attempt_facts.h"
#include "engine/run/intervention_change.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/run_spec.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace heddle::app {
namespace {

/// Lists the compact spec, one line per leaf: "variant.dims.d 128".
void flatten(const Json& value, const std::string& path, Table& table) {
    if (value.is_object() && !value.empty()) {
        for (const auto& [key, member] : value.items()) flatten(member, path.empty() ? key : path + "." + key, table);
        return;
    }
    table.add({"  " + printable(path), cut(printable(value.is_string() ? value.get<std::string>() : value.dump()), 80)});
}

std::string specText(const storage::RunRecord& run) {
    Table table({"spec (defaults left out)"});
    Json spec = parseJson(run.spec, "run " + run.id);
    spec.erase("schema");
    flatten(spec, "", table);
    return table.text();
}

std::string evaluationText(storage::RunQuery& query, const std::string& run) {
    std::set<std::string> metrics;
    struct Row {
        std::int64_t epoch = 0;
        std::map<std::string, std::string> values;
    };
    std::map<std::pair<std::int64_t, std::string>, Row> rows;
    std::set<std::string> signatures;
    for (const auto& e : query.evaluations(run)) {
        if (isPart(e.metric)) continue;
        metrics.insert(e.metric);
        auto& row = rows[{e.step, e.split}];
        row.epoch = e.epoch;
        row.values[e.metric] = valueText(e);
        if (!e.signature.empty()) signatures.insert(fmt::format("  {} {}", e.metric, e.signature));
    }
    if (rows.empty()) return "";
    std::vector<std::string> head{"  step", "epoch", "split"};
    head.insert(head.end(), metrics.begin(), metrics.end());
    Table table(head);
    for (const auto& [key, row] : rows) {
        std::vector<std::string> cells{fmt::format("  {}", key.first), std::to_string(row.epoch), key.second};
        for (const auto& metric : metrics) {
            const auto found = row.values.find(metric);
            cells.push_back(found == row.values.end() ? "" : found->second);
        }
        table.add(std::move(cells));
    }
    std::vector<std::size_t> numbers{0, 1};
    for (std::size_t i = 0; i < metrics.size(); ++i) numbers.push_back(3 + i);
    std::string text = "evaluations\n" + table.right(numbers).text();
    for (const auto& signature : signatures) text += signature + "\n";
    return text;
}

std::string surroundingsText(const Surroundings& from) {
    std::string text;
    if (!from.command.empty()) text += "     " + cut(printable(commandText(from.command)), 200) + "\n";
    if (from.folder.empty()) return text;
    text += "     in " + printable(from.folder);
    if (!from.commit.empty())
        text += fmt::format(", git commit {}{}", printable(from.commit.substr(0, 12)), from.isDirty ? " with changes" : "");
    return text + "\n";
}

std::string attemptText(const storage::AttemptRecord& a) {
    if (a.damaged) return fmt::format("  {}: damaged\n", a.attempt);
    std::string text = fmt::format("  {}: from step {}, {}, {} on {}", a.attempt, a.firstStep, durationText(a.seconds),
                                   printable(a.device), printable(a.host));
    const AttemptFacts facts = attemptFacts(a.context);
    if (facts.firstStepSeconds) text += fmt::format(", first step after {:.2f} s", *facts.firstStepSeconds);
    if (const auto& captured = facts.captured)
        text += fmt::format(", {} of {} steps replayed from {} graphs", captured->replays, captured->steps, captured->captures);
    if (a.threads > 0) text += fmt::format(", {} thread{}", a.threads, a.threads == 1 ? "" : "s");
    if (a.peakBytes > 0) text += fmt::format(", {} MiB at most", a.peakBytes >> 20);
    text += fmt::format(", heddle {}{}{}", printable(a.program), a.torch.empty() ? "" : ", torch ", printable(a.torch));
    if (facts.products != "torch") text += ", products by " + printable(facts.products);
    if (a.replay == "equal") text += fmt::format("; resume verified: {} steps equal", a.replayedSteps);
    if (a.replay == "different") text += "; RESUME DIFFERS from what was recorded before";
    if (a.replay == "nothing to compare") text += "; resumed, nothing to compare";
    return text + "\n" + surroundingsText(facts.surroundings);
}

/// "training 4:10, 12.53 s an epoch; best valid loss at step 1200, after 3:02"; nothing before the first step.
std::string efficiencyText(const Efficiency& efficiency) {
    if (!(efficiency.trainingSeconds > 0)) return "";
    std::string text = "training " + durationText(efficiency.trainingSeconds);
    if (efficiency.secondsPerEpoch) text += fmt::format(", {} s an epoch", numberText(*efficiency.secondsPerEpoch));
    if (efficiency.stepsToBest)
        text += fmt::format("; best valid {} at step {}", printable(efficiency.bestMetric), *efficiency.stepsToBest);
    if (efficiency.secondsToBest) text += ", after " + durationText(*efficiency.secondsToBest);
    return text + "\n";
}

/// The warnings that change the meaning of evaluations, each once.
std::string warningText(storage::RunQuery& query, const std::string& run) {
    std::string text;
    for (const std::string& warning : warningsOf(query, run)) text += "  " + printable(warning) + "\n";
    return text.empty() ? "" : "warnings\n" + text;
}

std::string troubleText(const std::vector<storage::EventRecord>& events) {
    std::string text;
    for (const auto& event : events)
        if (event.damaged || event.kind == "failure" || (event.kind == "warning" && !isOfTheWholeRun(event)) ||
            event.kind == "gap" || event.kind == "start" || event.kind == kInterventionEvent)
            text += fmt::format("  {} at step {}: {}\n", event.kind, event.step, printable(event.text));
    return text.empty() ? "" : "events\n" + text;
}

}  // namespace

std::string runText(storage::RunQuery& query, const storage::RunRecord& run) {
    if (run.damaged)
        return fmt::format("run {}  damaged: {}\nrestore a copy of the database, or delete the run\n", titleOf(run),
                           run.reason);
    std::string text =
        fmt::format("run {}  {}{}\n", titleOf(run), run.state, run.reason.empty() ? "" : ": " + printable(run.reason));
    text += fmt::format("{} step{}, {} epoch{}, {}, seed {}{}\n", countText(run.step), run.step == 1 ? "" : "s", run.epoch,
                        run.epoch == 1 ? "" : "s", durationText(run.seconds), run.seed,
                        run.parameters > 0 ? fmt::format(", {} parameters", countText(run.parameters)) : "");
    text += fmt::format("variant {}  run {}  created {} UTC\n", printable(run.variantHash.substr(0, 16)),
                        printable(run.runHash.substr(0, 16)), timeText(run.created));
    if (run.intervened >= 0)
        text += fmt::format("not comparable after step {}: interventions changed its training\n", run.intervened);
    if (const std::string extended = extensionText(run); !extended.empty()) text += extended + "\n";
    if (!run.lineage.empty()) text += fmt::format("starts from run {}\n", printable(run.lineage));
    text += efficiencyText(efficiencyOf(query, run));
    if (!run.tags.empty()) text += fmt::format("tags {}\n", printable(fmt::format("{}", fmt::join(run.tags, ", "))));
    text += specText(run) + evaluationText(query, run.id) + warningText(query, run.id);
    const auto checkpoints = query.checkpoints(run.id);
    if (!checkpoints.empty()) text += "checkpoints\n";
    for (const auto& c : checkpoints)
        text += c.damaged ? fmt::format("  {:<4} at step {}: damaged\n", printable(c.kind), c.step)
                          : fmt::format("  {:<4} at step {}: {}, {} KiB, weights {}\n", c.kind, c.step, c.folder, c.bytes >> 10,
                                        c.weightsSha256.substr(0, 16));
    const auto attempts = query.attempts(run.id);
    if (!attempts.empty()) text += "attempts\n";
    for (const auto& attempt : attempts) text += attemptText(attempt);
    text += systemText(systemUseOf(query, run.id));
    const auto events = query.events(run.id);
    const std::string notes = notesText(notesOf(events));
    return text + (notes.empty() ? "" : "notes\n" + notes) + troubleText(events);
}

std::string notesText(const std::vector<RunNote>& notes) {
    std::string text;
    for (std::size_t i = 0; i < notes.size(); ++i)
        text += fmt::format("  {}  {}  {}\n", i + 1, timeText(notes[i].at), printable(notes[i].text));
    return text;
}

std::string doneText(const std::string& done, const std::vector<std::string>& runs) {
    std::string text;
    for (const std::string& run : runs) text += done + " " + run + "\n";
    return text;
}

}  // namespace heddle::app
