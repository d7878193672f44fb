// SPDX-License-Identifier: Apache-2.0
#include "engine/base/contains.h"
#include "engine/spec/run_fields.h"
#include "engine/spec/task_kinds.h"

#include <utility>

namespace heddle {
namespace {

using namespace schema;
using Role = FieldSchema::Role;

/// Metrics for early stopping: the loss, or a metric of some task.
std::vector<std::string> stopMetrics() {
    std::vector<std::string> names{"loss"};
    for (const TaskKind& kind : taskKinds())
        for (const std::string& metric : kind.metrics)
            if (!contains(names, metric)) names.push_back(metric);
    return names;
}

FieldTable<MuonSpec> muonFields() {
    return FieldTable<MuonSpec>()
        .add(&MuonSpec::momentum, number("momentum", {0, 0.999999}, "", "Decay of the average of the gradients."))
        .add(&MuonSpec::nesterov, flag("nesterov", "Nesterov's momentum: the gradient counts once more."))
        .add(&MuonSpec::iterations,
             integer("iterations", {1, 99}, "iterations", "Of Newton and Schulz, which make a matrix nearly orthogonal."))
        .add(&MuonSpec::scale,
             choiceOf<MuonScale>("scale",
                                 "Factor of the rate for a matrix: original: √max(1, rows ÷ columns); match_rms_adamw: 0.2 · "
                                 "√max(rows, columns), with which a rate for AdamW fits Muon, too."));
}

FieldTable<GroupSpec> groupFields() {
    return FieldTable<GroupSpec>()
        .add(
            &GroupSpec::parameters,
            text("parameters", "embeddings, matrices, vectors, head, or a pattern of parameter paths: encoder.layers.*.ffn.*."))
        .add(&GroupSpec::rate, number("rate", {0, 1e6}, "", "Factor of the schedule's learning rate."))
        .add(&GroupSpec::decay, number("decay", {0, 1e6}, "", "Factor of train.optimizer.weight_decay."));
}

FieldTable<TrainSpec> optimizerFields() {
    return FieldTable<TrainSpec>()
        .add(&TrainSpec::optimizer,
             choiceOf<OptimizerKind>("kind",
                                     "adamw: weight decay apart from the gradient; muon: the matrices of the stacks by Muon, "
                                     "embeddings, head and vectors by adamw."))
        .add(&TrainSpec::betas, list("betas", "Decay of the two moment averages.",
                                     number("beta", {0, 0.999999}, "", "Decay of one moment average.")))
        .add(&TrainSpec::epsilon, number("eps", {1e-16, 1}, "", "Added to the root of the second moment."))
        .add(&TrainSpec::weightDecay, number("weight_decay", {0, 10}, "", "Strength of weight decay; 0: off."))
        .add(&TrainSpec::muon, "muon", "muon: how matrices are updated.", muonFields());
}

FieldTable<TrainSpec> scheduleFields() {
    return FieldTable<TrainSpec>()
        .add(&TrainSpec::schedule,
             choiceOf<ScheduleKind>(
                 "kind",
                 "noam: factor · d^-½ · min(step^-½, step · warmup^-1½); noam_peak: the same shape with its peak at lr; "
                 "linear and cosine fall from lr after the rise; plateau falls when validation does not improve; wsd: rise, "
                 "lr, and a fall in the last steps."))
        .add(&TrainSpec::warmup, integer("warmup", kCount, "steps", "Length of the rise; 0: none (not for noam)."))
        .add(&TrainSpec::noamFactor, number("factor", {1e-9, 1e9}, "", "noam: scale of the whole curve."))
        .add(&TrainSpec::scheduleSteps,
             integer("steps", kCount, "steps", "linear, cosine, wsd: where the fall ends; 0: the run's last step."))
        .add(&TrainSpec::scheduleEnd, number("end", {0, 1}, "", "linear, cosine, plateau, wsd: lowest rate, as a share of lr."))
        .add(&TrainSpec::scheduleDecay,
             number("decay", {0, 1}, "", "wsd: share of the steps in which the rate falls at the end; 0: it does not fall."))
        .add(&TrainSpec::decayShape,
             choiceOf<DecayShape>("shape", "wsd: the fall is a straight line, or 1 − √ of the share of it that is done."))
        .add(&TrainSpec::plateauFactor,
             number("plateau_factor", {0.001, 0.999}, "", "plateau: what the rate is multiplied with."))
        .add(&TrainSpec::plateauPatience, integer("plateau_patience", kCount, "evaluations",
                                                  "plateau: evaluations without improvement that are waited for."));
}

FieldTable<TrainSpec> batchFields() {
    return FieldTable<TrainSpec>()
        .add(&TrainSpec::batchTokens, integer("tokens", kCount, "tokens",
                                              "Padded tokens of the longer side; 0 (and the default) when sentences is given."))
        .add(&TrainSpec::batchSentences, integer("sentences", kCount, "sentences", "Sentence pairs; 0: tokens decide."))
        .add(&TrainSpec::batchRound,
             integer("round", {0, 1024}, "",
                     "Fill rows, widths and answers up to a multiple, so that steps have few shapes; 0: 8 where they are "
                     "recorded as graphs, else 1."));
}

FieldTable<StartSpec> startFields() {
    return FieldTable<StartSpec>()
        .add(
            &StartSpec::checkpoint,
            withRole(Role::Checkpoint,
                     text("checkpoint",
                          "Folder of a checkpoint, or a published BERT's model.safetensors; heddle train --from fills it in.")))
        .add(&StartSpec::weightsSha256, text("weights_sha256", "SHA-256 of its weights; filled in."))
        .add(&StartSpec::neutral,
             flag("neutral", "Blocks that the checkpoint lacks begin as if they were absent, where they can."))
        .add(
            &StartSpec::withState,
            flag(
                "state",
                "Go on as the checkpoint's run would have done: with its optimizer, step and place in the data. Variant, data, "
                "batches and seed are that run's; heddle fork --exact sets it."))
        .add(&StartSpec::freeze, list("freeze", "Modules whose parameters stay as they are: paths, or their beginnings.",
                                      text("path", "As in heddle variants count: embed, encoder.layers.0, …")))
        .add(&StartSpec::layerDecay,
             number("layer_decay", {0.01, 1}, "", "Learning rate of a layer divided by that of the layer above it."));
}

FieldTable<BudgetSpec> budgetFields() {
    return FieldTable<BudgetSpec>()
        .add(&BudgetSpec::tokens, number("tokens", {0, 1e15}, "tokens", "Tokens read in training; 0: no limit by them."))
        .add(
            &BudgetSpec::flops,
            number("flops", {0, 1e27}, "FLOPs",
                   "Floating-point operations of all steps, by the count of heddle variants count, forward and backward; 0: no "
                   "limit by them."))
        .add(&BudgetSpec::seconds,
             number("seconds", {0, 1e9}, "seconds",
                    "Time of training and evaluation, without preparation and pauses; 0: no limit by it."));
}

FieldTable<TrainSpec> stopFields() {
    return FieldTable<TrainSpec>()
        .add(&TrainSpec::stopMetric,
             choice("metric", stopMetrics(), "The validation metric that must improve; also picks the best checkpoint."))
        .add(&TrainSpec::patience,
             integer("patience", kCount, "evaluations", "Stop after so many without improvement; 0: off."));
}

}  // namespace

FieldTable<TrainSpec> trainFields() {
    return FieldTable<TrainSpec>()
        .group("optimizer", "What turns gradients into updates.", optimizerFields())
        .add(&TrainSpec::groups,
             field("groups", FieldSchema::Type::List,
                   "Factors of learning rate and weight decay of some parameters: [{\"parameters\":\"matrices\",\"rate\":20,"
                   "\"decay\":0}, …] of embeddings, matrices, vectors, head or a pattern of paths (*.ffn.*); the first entry "
                   "that fits a parameter counts."),
             groupFields())
        .add(&TrainSpec::lr, number("lr", {0, 100}, "", "Learning rate at its highest; schedule noam ignores it."))
        .group("schedule", "How the learning rate moves.", scheduleFields())
        .add(&TrainSpec::epochs,
             integer("epochs", kCount, "epochs",
                     "Stop after so many passes over the data; 0: no limit by it (default when steps is given)."))
        .add(&TrainSpec::steps, integer("steps", kCount, "steps", "Stop after so many updates; 0: no limit by it."))
        .add(&TrainSpec::budget, "budget", "What the run may use; what ends first, these or steps or epochs, ends it.",
             budgetFields())
        .add(&TrainSpec::extended,
             list("extended", "The steps after which heddle resume gave the run new limits; filled in, and empty in a new run.",
                  integer("step", kCount, "", "The last step of the run before it was extended.")))
        .group("batch", "Size of a micro-batch; one of the two.", batchFields())
        .add(&TrainSpec::accumulate,
             integer("accumulate", {1, 1 << 20}, "micro-batches", "Micro-batches whose gradients make one update."))
        .add(&TrainSpec::clip, number("clip", {0, 1e9}, "", "Longest global gradient norm; 0: no clipping."))
        .add(&TrainSpec::loss,
             choiceOf<LossKind>(
                 "loss",
                 "auto: mse for numbers, cross-entropy else; hinge: of Weston and Watkins, with one output per class; "
                 "with dims.classes=1 the binary one: a score above 0 is the second class."))
        .add(&TrainSpec::start, "start", "Weights to start from: fine-tuning and forks.", startFields())
        .add(&TrainSpec::labelSmoothing,
             number("label_smoothing", {0, 0.99}, "", "Probability taken from the reference token and spread over all."))
        .add(&TrainSpec::zLoss,
             number("z_loss", {0, 1}, "",
                    "Factor of log²Z that is added to the cross-entropy, Z the sum of the exponentials of the logits (1e-4 as "
                    "PaLM's); 0: none."))
        .add(&TrainSpec::ema,
             number("ema", {0, 0.9999}, "",
                    "Evaluate, keep and use the exponential moving average of the weights with this decay (0.999), over about "
                    "1 ÷ (1 − decay) updates; 0: the weights themselves."))
        .add(&TrainSpec::precision,
             choiceOf<Precision>(
                 "precision",
                 "Matrix products; weights are fp32. bf16: in bfloat16 (autocast); tf32: of fp32 values by TF32 tensor "
                 "cores, on CUDA alone; auto: bf16 on CUDA, fp32 on the CPU."))
        .add(&TrainSpec::deterministic,
             flag("deterministic", "Equal spec, seed and number of threads give equal bits; false allows faster kernels."))
        .add(&TrainSpec::graphs,
             flag("graphs", "On a GPU: capture a step as a CUDA graph when its shape comes again, and replay it."))
        .group("early_stopping", "When to stop before the end.", stopFields())
        .add(&TrainSpec::checkpointEvery,
             integer("checkpoint_every", kCount, "steps",
                     "Write a checkpoint every so many updates; 0: only at the start, the best and the end."))
        .add(&TrainSpec::keepLast, integer("keep_last", kAtLeastOne, "checkpoints", "Regular checkpoints to keep."))
        .add(&TrainSpec::threads,
             withRole(Role::OwnBits,
                      integer("threads", {0, 4096}, "threads",
                              "CPU threads; 0: one a physical core. Another number gives other bits; one named here is part of "
                              "run_hash.")))
        .add(&TrainSpec::device,
             withRole(Role::Label, text("device", "auto, cpu, cuda or cuda:N; auto: CUDA where there is one.")));
}

}  // namespace heddle
