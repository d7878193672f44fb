// SPDX-License-Identifier: Apache-2.0
// `heddle inspect RUN --patch-from OTHER` and `--text TEXT --corrupt TEXT`: outputs of one part from another pass.
#include "app/cli/documents.h"
#include "app/cli/inspect_command.h"
#include "app/cli/inspect_report.h"
#include "app/cli/open_run.h"
#include "app/cli/rank_progress.h"
#include "app/cli/signals.h"
#include "app/cli/terminal.h"
#include "app/session/runs/open_inspection.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>
#include <utility>

namespace heddle::app {
namespace {

/// Whether a text names a checkpoint, not a run: a step, or a word that chooses one.
bool namesCheckpoint(const std::string& text) {
    const bool isStep = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    return isStep || text == "best" || text == "last" || text == "average";
}

/// "RUN", "RUN@CHECKPOINT", or a checkpoint of the same run.
ChosenCheckpoint otherCheckpoint(const InspectOptions& options, const Context& context) {
    const std::string& other = options.patchFrom;
    if (namesCheckpoint(other)) return chooseCheckpoint(options.run, other, context);
    const auto at = other.rfind('@');
    if (at != std::string::npos && namesCheckpoint(other.substr(at + 1)))
        return chooseCheckpoint(other.substr(0, at), other.substr(at + 1), context);
    return chooseCheckpoint(other, "best", context);
}

Json partDocument(const PatchedPart& part) {
    Json document{{"path", part.path}};
    if (part.head != kNoHead) document["head"] = part.head;
    return document;
}

Json patchDocument(const PatchReport& report) {
    Json parts = Json::array();
    for (const PatchReport::Entry& entry : report.entries) {
        Json part = partDocument(entry.part);
        part["restored"] = finiteNumber(entry.restored);
        part["loss"] = rankedDocument(entry.loss);
        parts.push_back(std::move(part));
    }
    return {{"of", report.all},
            {"complete", std::ssize(report.entries) == report.all},
            {"whole", metricDocument(report.whole)},
            {"parts", std::move(parts)}};
}

std::string patchText(const PatchReport& report) {
    const MetricEffect& whole = report.whole;
    std::string text = fmt::format("loss {} of this model, {} of the other: {} {}, n = {}\n", numberText(whole.trained),
                                   numberText(whole.intervened), signedText(whole.difference()),
                                   effectIntervalText(whole.interval), countText(whole.n));
    text += fmt::format("each part's output is the other model's; the intervals hold for all {} together\n", report.all);
    Table table({"part", "loss", "difference", fmt::format("95 % interval for all {}", report.all), "p (Holm)", "restored"});
    table.right({1, 2, 4, 5});
    MissingIntervals missing;
    for (const auto& [part, loss, restored] : report.entries) {
        table.add({part.text(), numberText(loss.intervened), signedText(loss.difference()),
                   effectIntervalText(loss.simultaneous), effectPText(loss.corrected),
                   std::isfinite(restored) ? numberText(restored) : "—"});
        missing.add(part.text(), loss);
    }
    return text + table.text() + missing.text() + warningsText(report.warnings);
}

Json textPatchDocument(const TextPatchReport& report) {
    Json parts = Json::array();
    for (const TextPatchReport::Entry& entry : report.entries) {
        Json part = partDocument(entry.part);
        part["patched"] = finiteNumber(entry.patched), part["restored"] = finiteNumber(entry.restored);
        parts.push_back(std::move(part));
    }
    return {{"clean_answer", report.cleanAnswer},  {"corrupt_answer", report.corruptAnswer},  {"prefix", report.prefix},
            {"clean", finiteNumber(report.clean)}, {"corrupt", finiteNumber(report.corrupt)}, {"parts", std::move(parts)}};
}

std::string textPatchText(const TextPatchReport& report) {
    std::string text = fmt::format("logit of \"{}\" less that of \"{}\": {} on the text, {} on the corrupt one (n = 1 pair)\n",
                                   printable(report.cleanAnswer), printable(report.corruptAnswer), numberText(report.clean),
                                   numberText(report.corrupt));
    if (!report.prefix.empty()) text += fmt::format("after the output \"{}\"\n", printable(report.prefix));
    Table table({"part", "logit difference", "restored"});
    table.right({1, 2});
    for (const auto& [part, patched, restored] : report.entries)
        table.add({part.text(), numberText(patched), numberText(restored)});
    return text + table.text();
}

}  // namespace

int inspectPatch(const InspectOptions& options, const Context& context) {
    const ChosenCheckpoint chosen = chosenCheckpoint(options, context), other = otherCheckpoint(options, context);
    const SignalWatch signals;
    const std::shared_ptr<Engine> engine = context.engine();
    const auto session = openInspection(*engine, chosen, options.device, [&signals] { return signals.received() != 0; });
    const PatchRequest request{readRunSpec(other), other.runFolder(), other.folder(), examplesOf(options)};
    const PatchReport report =
        reportUntilStopped(context, signals, request, [&session](const PatchRequest& asked) { return session->patch(asked); });
    if (report.all > 0 && context.json) {
        Json printed = inspectionDocument(chosen);
        printed["interval"] = intervalDocument();
        printed["split"] = report.split, printed["examples"] = report.examples;
        printed["patch"] = patchDocument(report);
        printed["patch"]["from"] = {{"run", other.run.id}, {"step", other.record.step}};
        printed["warnings"] = report.warnings, printed["seconds"] = report.seconds;
        context.print(printed);
    } else if (report.all > 0) {
        noteReport(context, chosen, report);
        noteOn(context, other, "the other model");
        context.out << patchText(report);
    }
    return isWhole(report) ? 0 : 128 + signals.received();
}

int inspectTextPatch(const InspectOptions& options, const Context& context) {
    const ChosenCheckpoint chosen = chosenCheckpoint(options, context);
    const std::shared_ptr<Engine> engine = context.engine();
    const auto session = openInspection(*engine, chosen, options.device, {});
    const TextPatchReport report = session->patchText({options.text, options.corrupt});
    if (context.json) {
        Json printed = inspectionDocument(chosen);
        printed["text_patch"] = textPatchDocument(report);
        printed["text_patch"]["text"] = options.text, printed["text_patch"]["corrupt_text"] = options.corrupt;
        printed["seconds"] = report.seconds;
        context.print(printed);
        return 0;
    }
    noteOn(context, chosen, durationText(report.seconds));
    context.out << textPatchText(report);
    return 0;
}

}  // namespace heddle::app
