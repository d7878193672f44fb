// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/spec_source.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/split.h"
#include "engine/base/suggestion.h"
#include "engine/run/engine.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/cost.h"
#include "engine/spec/diff.h"
#include "engine/spec/match.h"
#include "engine/spec/schedules.h"
#include "engine/spec/variant_rules.h"

#include <fmt/format.h>

#include <optional>
#include <ostream>

namespace heddle::app {
namespace {

struct VariantOptions {
    std::vector<std::string> specs, set;
    std::string spec;
    std::string to, by = "params", free = "f";
    bool resolved = false, memory = false;
    std::optional<std::int64_t> batch, length;
    std::optional<double> tolerance;  ///< in percent
};

int listVariants(const Context& context) {
    Json all = Json::array();
    Table table({"preset", "title", "reference"});
    for (const auto& preset : presetNames()) {
        const Json document = presetDocument(preset);
        const Json meta = document.value("meta", Json::object());
        all.push_back(
            {{"name", preset}, {"meta", meta}, {"variant_hash", VariantSpec::parse(document, builtinCatalogue()).hash()}});
        table.add({preset, meta.value("title", ""), meta.value("reference", "")});
    }
    context.print({{"schema", "heddle.variants/1"}, {"variants", all}}, table.text());
    return 0;
}

int show(const VariantOptions& options, const Context& context) {
    const VariantSpec variant = readVariant(options.spec, options.set);
    Json document = {{"schema", "heddle.variant/1"}, {"variant_hash", variant.hash()}, {"variant", variant.compact()}};
    if (options.resolved) document["resolved"] = variant.resolvedTree();
    context.print(document, document[options.resolved ? "resolved" : "variant"].dump(2) + "\n");
    return 0;
}

/// The batch for the memory estimate.
BatchShape shapeOf(const VariantOptions& options, const Dims& dims) {
    const auto atLeastOne = [](const std::optional<std::int64_t>& given, std::int64_t otherwise, const char* name) {
        if (given && *given < 1) throw Error(ErrorCode::Usage, "the value must be at least 1", name, "give a number above 0");
        return given.value_or(otherwise);
    };
    if (!options.memory && (options.batch || options.length))
        throw Error(ErrorCode::Usage, "--batch and --length need --memory", "--batch, --length", "add --memory");
    BatchShape shape;
    shape.sentences = atLeastOne(options.batch, shape.sentences, "--batch");
    shape.source = shape.target = atLeastOne(options.length, dims.maxLen, "--length");
    constexpr std::int64_t kMostTokens = 1 << 24;  // whatever the sizes of the model, 64 bits hold what they take
    if (shape.sentences > kMostTokens / shape.source)
        throw Error(ErrorCode::Usage,
                    fmt::format("a batch of {} sentences of {} tokens is too large", shape.sentences, shape.source),
                    "--batch, --length", fmt::format("use a product of at most {}", kMostTokens));
    return shape;
}

double activationsOf(const StepMemory& memory, const std::string& module) {
    const auto found = memory.activationBytesByModule.find(module);
    return found == memory.activationBytesByModule.end() ? 0 : found->second;
}

std::string mebibytes(double bytes) { return fmt::format("{:.1f}", bytes / (1 << 20)); }

/// `memory`: of a training step, or null.
void printCount(const Cost& cost, const StepMemory* memory, const Context& context) {
    std::vector<std::string> head{"module", "parameters", "FLOPs/token"};
    if (memory) head.insert(head.end(), {"backward", "activations MiB"});
    Table table(head);
    const auto row = [&](const std::string& name, const ModuleCost& m, double activationBytes) {
        std::vector<std::string> cells{name, countText(m.parameters), countText(static_cast<std::int64_t>(m.flopsPerToken))};
        if (memory) {
            cells.push_back(countText(static_cast<std::int64_t>(m.flopsBackwardPerToken)));
            cells.push_back(mebibytes(activationBytes));
        }
        table.add(std::move(cells));
    };
    ModuleCost total;
    for (const auto& m : cost.modules) {
        row(m.path, m, memory ? activationsOf(*memory, m.path) : 0);
        total.flopsPerToken += m.flopsPerToken;
        total.flopsBackwardPerToken += m.flopsBackwardPerToken;
    }
    total.parameters = cost.parameters;
    row("total", total, memory ? memory->activationBytes : 0);
    context.out << (memory ? table.right({1, 2, 3, 4}) : table.right({1, 2})).text();
}

int count(const VariantOptions& options, const Context& context) {
    const VariantSpec variant = readVariant(options.spec, options.set);
    const ResolvedVariant resolved = variant.resolve();
    BatchShape shape = shapeOf(options, resolved.dims);
    const Cost cost = countCost(resolved, options.memory ? shape.source : 0);
    std::optional<StepMemory> memory;
    if (options.memory) {
        const RunSpec run = readRunSpec(options.spec, options.set);
        shape.optimizer = run.train.optimizer;
        shape.documents = run.data.packing == Packing::Documents;
        memory = context.engine()->measureStepMemory(variant, shape);
    }
    if (!context.json) {
        printCount(cost, memory ? &*memory : nullptr, context);
        if (memory)
            context.out << fmt::format(
                "a training step on {} sentences of {} tokens in float32 takes {} MiB at most on a CPU: parameters and their "
                "moments {}, the rest gradients, activations and temporaries. Not counted: the program itself and the data, "
                "evaluation, decoding, and reading or writing checkpoints, which can take more\n",
                shape.sentences, shape.source, mebibytes(memory->peakBytes), mebibytes(memory->stateBytes));
        return 0;
    }
    Json modules = Json::array();
    for (const auto& m : cost.modules) {
        modules.push_back({{"path", m.path}, {"parameters", m.parameters}, {"flops_per_token", m.flopsPerToken}});
        if (!memory) continue;
        modules.back()["flops_backward_per_token"] = m.flopsBackwardPerToken;
        modules.back()["activation_bytes"] = activationsOf(*memory, m.path);
    }
    Json document{{"schema", "heddle.count/1"},
                  {"variant", options.spec},
                  {"variant_hash", variant.hash()},
                  {"parameters", cost.parameters},
                  {"modules", modules}};
    if (memory) {
        document["batch"] = {{"sentences", shape.sentences}, {"length", shape.source}};
        document["activation_bytes"] = memory->activationBytes;
        document["peak_bytes"] = memory->peakBytes;
        document["peak_of"] = "training step";  // not of the process, its evaluations or its checkpoints
    }
    context.print(document);
    return 0;
}

int check(const VariantOptions& options, const Context& context) {
    std::string base;
    const Json document = readSpec(options.spec, options.set, base);
    // A document with data or training settings is checked as a whole run; throws with every problem.
    const RunSpec spec = RunSpec::parse(document, builtinCatalogue(), base);
    std::vector<std::string> notes = compositionNotes(spec.variant.resolve());
    // Epochs have a length only when the data are read: train --dry-run knows it.
    for (std::string& warning : scheduleWarnings(spec.train, spec.train.steps)) notes.push_back(std::move(warning));
    if (context.json) {
        context.print({{"schema", "heddle.check/1"}, {"ok", true}, {"variant_hash", spec.variant.hash()}, {"notes", notes}});
        return 0;
    }
    context.out << "valid: variant " << spec.variant.hash() << "\n";
    for (const std::string& note : notes) context.out << "note: " << note << "\n";
    return 0;
}

int diff(const VariantOptions& options, const Context& context) {
    if (options.specs.size() < 2)
        throw Error(ErrorCode::Usage, "variants diff needs two variants", "variants diff", "give two files or presets");
    std::vector<Json> trees;
    for (const auto& spec : options.specs) trees.push_back(readVariant(spec, options.set).resolvedTree());
    const auto differences = diffDocuments(trees);
    if (context.json) {
        Json all = Json::array();
        for (const auto& d : differences) all.push_back({{"path", d.path}, {"values", d.values}});
        context.print({{"schema", "heddle.diff/1"}, {"variants", options.specs}, {"differences", all}});
        return 0;
    }
    std::vector<std::string> head{"path"};
    head.insert(head.end(), options.specs.begin(), options.specs.end());
    Table table(head);
    for (const auto& d : differences) {
        std::vector<std::string> row{d.path};
        for (const auto& value : d.values) row.push_back(value.is_null() ? "–" : printable(value.dump()));
        table.add(std::move(row));
    }
    context.out << table.text();
    return 0;
}

int match(const VariantOptions& options, const Context& context) {
    if (options.by != "params" && options.by != "flops")
        throw Error(ErrorCode::Usage, fmt::format("unknown budget \"{}\"", options.by), "--by",
                    suggestion(options.by, {"params", "flops"}));
    const double tolerance = options.tolerance.value_or(100 * kMatchTolerance);
    if (!(tolerance >= 0))
        throw Error(ErrorCode::Usage, "the tolerance must be at least 0", "--tolerance", "give it in percent");
    const Budget by = options.by == "params" ? Budget::Parameters : Budget::FlopsPerToken;
    const VariantSpec family = readVariant(options.spec, options.set), other = readVariant(options.to, options.set);
    const double target = budgetOf(other, by);
    const Match found = matchBudget({family.compact(), target, by, splitAt(options.free, ',')});
    const VariantSpec variant = VariantSpec::parse(found.variant, builtinCatalogue());
    const double percent = 100 * found.difference / target;
    const bool isMatch = found.isWithin(tolerance / 100);
    if (context.json) {
        context.print({{"schema", "heddle.match/1"},
                       {"by", options.by},
                       {"matched", isMatch},
                       {"tolerance_percent", tolerance},
                       {"target", target},
                       {"budget", found.budget},
                       {"difference", found.difference},
                       {"variant_hash", variant.hash()},
                       {"variant", variant.compact()}});
        return isMatch ? 0 : 1;
    }
    const Dims before = family.resolve().dims, after = variant.resolve().dims;
    Table table({"", "d", "f", "layers", options.by == "params" ? "parameters" : "FLOPs/token"});
    const auto row = [&](const std::string& name, const Dims& dims, double budget) {
        table.add({name, countText(dims.d), countText(dims.f), fmt::format("{}+{}", dims.layersEnc, dims.layersDec),
                   countText(static_cast<std::int64_t>(budget))});
    };
    row(options.to, other.resolve().dims, target);
    row(options.spec, before, budgetOf(family, by));
    row(options.spec + (isMatch ? ", matched" : ", nearest"), after, found.budget);
    context.out << table.right({1, 2, 4}).text()
                << fmt::format("difference: {:+} ({:+.3g} %)\n", static_cast<std::int64_t>(found.difference), percent);
    if (!isMatch)
        context.err << fmt::format(
            "heddle: no match: of all that --free {} gives, the nearest differs by {:+.3g} %, more than {:g} %; free other "
            "sizes (f,d,layers), or allow more with --tolerance\n",
            options.free, percent, tolerance);
    return isMatch ? 0 : 1;
}

}  // namespace

void addVariants(CommandBuilder& root) {
    CommandBuilder variants = root.command("variants", "Presets and variants: what they are, what they cost");
    variants.command("list", "List the presets").examples("heddle variants list").action([](Context& context) {
        return listVariants(context);
    });

    const auto o = std::make_shared<VariantOptions>();
    variants.command("show", "Show a variant's compact form")
        .spec(o->spec)
        .set(o->set)
        .flag("--resolved", o->resolved, "Show the resolved tree instead: one entry per module path")
        .examples("heddle variants show eau-full\nheddle variants show eau-full --resolved --set dims.layers_enc=2")
        .action([o](Context& context) { return show(*o, context); });
    variants.command("count", "Count parameters, FLOPs and memory per module")
        .spec(o->spec)
        .set(o->set)
        .flag("--memory", o->memory, "Also what a training step costs: FLOPs backward, activations, peak memory")
        .option("--batch", o->batch, "N", "Sentences of that step (default: 32)")
        .option("--length", o->length, "N", "Tokens of every sentence (default: dims.max_len)")
        .examples(
            "heddle variants count eau-full --set dims.d=256 --set dims.vocab_src=5893 --set dims.vocab_tgt=7853\n"
            "heddle variants count bert-base --memory --batch 16 --length 512")
        .action([o](Context& context) { return count(*o, context); });
    variants.command("check", "Say what is wrong with a spec, if anything")
        .spec(o->spec)
        .set(o->set)
        .examples("heddle variants check spec.json --set dims.heads=6")
        .action([o](Context& context) { return check(*o, context); });
    variants.command("match", "Find the sizes at which one variant costs as much as another")
        .positional("SPEC", o->spec, "The variant whose sizes may change: a file or a preset")
        .option("--to", o->to, "SPEC", "The variant whose cost is to be met")
        .required("--to")
        .option("--by", o->by, "params|flops", "What is to be equal (default: params)")
        .option("--free", o->free, "SIZES", "Sizes that may change: f,d,layers (default: f)")
        .option("--tolerance", o->tolerance, "PERCENT", "Largest difference that counts as a match (default: 1); else exit 1")
        .set(o->set, "one value of both")
        .examples(
            "heddle variants match eau-base --to eau-full --set dims.vocab_src=5893 --set dims.vocab_tgt=7853\n"
            "heddle variants match eau-base --to eau-full --by flops --free d,f --set dims.vocab_src=5893 "
            "--set dims.vocab_tgt=7853")
        .action([o](Context& context) { return match(*o, context); });
    variants.command("diff", "Compare the resolved trees of two or more variants")
        .positionals("SPEC", o->specs, "JSON files or names of presets")
        .set(o->set, "one value of all of them")
        .examples("heddle variants diff eau-base eau-full")
        .action([o](Context& context) { return diff(*o, context); });
}

}  // namespace heddle::app
