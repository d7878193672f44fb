// SPDX-License-Identifier: Apache-2.0
// What the parts of `heddle inspect` share.
#pragma once

#include "app/cli/context.h"
#include "app/cli/intervention_options.h"
#include "app/cli/terminal.h"
#include "app/session/runs/chosen_checkpoint.h"
#include "engine/base/json_fwd.h"
#include "engine/run/inspection.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

struct InspectOptions {
    std::string run, checkpoint, device = "auto", split = "valid", text, rank, ablation, alignments, patchFrom, corrupt, plot;
    InterventionOptions interventions;
    std::optional<std::int64_t> step, examples;
    std::optional<double> at;
    bool decode = false, lens = false, labels = false;
};

ExampleSet examplesOf(const InspectOptions& options);
/// "the first 256 examples of the valid split"
std::string examplesText(std::int64_t examples, const std::string& split);
/// Notes on stderr which model and examples the numbers belong to.
void noteOn(const Context& context, const ChosenCheckpoint& chosen, const std::string& what);
/// The same of a report on examples, with the time that it took.
template <class Report>
void noteReport(const Context& context, const ChosenCheckpoint& chosen, const Report& report) {
    noteOn(context, chosen, examplesText(report.examples, report.split) + ", " + durationText(report.seconds));
}
/// The first members of every document: schema, run and step.
Json inspectionDocument(const ChosenCheckpoint& chosen);

/// The checkpoint that --checkpoint or --step names; "best" where neither is given.
ChosenCheckpoint chosenCheckpoint(const InspectOptions& options, const Context& context);

/// `heddle inspect RUN --patch-from OTHER`
int inspectPatch(const InspectOptions& options, const Context& context);
/// `heddle inspect RUN --text TEXT --corrupt TEXT`
int inspectTextPatch(const InspectOptions& options, const Context& context);

/// `heddle inspect RUN --labels`
int inspectLabels(const InspectOptions& options, const Context& context);

/// `heddle inspect RUN --lens`, of the checkpoints that --checkpoint or --step name.
int inspectLens(const InspectOptions& options, const Context& context);

}  // namespace heddle::app
