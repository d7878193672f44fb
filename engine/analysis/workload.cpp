// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/workload.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/resources.h"
#include "engine/base/suggestion.h"
#include "engine/spec/cost.h"
#include "engine/spec/task_kinds.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace heddle {
namespace {

constexpr const char* kFile = "bench/workloads.json";

Json workloadDocuments() { return readJsonFile(resourcePath(kFile)).at("workloads"); }

const Json* findDocument(const Json& documents, const std::string& name) {
    const auto found =
        std::find_if(documents.begin(), documents.end(), [&](const Json& one) { return one.at("name") == name; });
    return found == documents.end() ? nullptr : &*found;
}

/// The document merged over the one that its "like" names.
Json expanded(const Json& documents, const std::string& name) {
    const Json& own = *findDocument(documents, name);
    if (!own.contains("like")) return own;
    Json base = expanded(documents, own.at("like"));
    base.merge_patch(own);
    return base;
}

RunSpec specOf(const Json& document) {
    return RunSpec::parse({{"schema", 1},
                           {"variant", document.at("variant")},
                           {"data", {{"task", document.at("task")}}},
                           {"train",
                            {{"optimizer", {{"kind", "adamw"}, {"betas", {0.9, 0.98}}, {"weight_decay", 0.01}}},
                             {"schedule", {{"kind", "constant"}}},
                             {"lr", 1e-4},
                             {"clip", 1.0},
                             {"label_smoothing", document.at("label_smoothing")}}}},
                          builtinCatalogue());
}

Workload::Lengths lengthsNamed(const std::string& name) {
    static const std::map<std::string, Workload::Lengths> kNames{
        {"full", Workload::Lengths::Full}, {"mixed", Workload::Lengths::Mixed}, {"buckets", Workload::Lengths::Buckets}};
    return kNames.at(name);
}

double sum(const std::vector<std::int64_t>& lengths) { return std::accumulate(lengths.begin(), lengths.end(), 0.0); }

/// Σ q·k over the rows.
double products(const std::vector<std::int64_t>& queries, const std::vector<std::int64_t>& keys) {
    return std::inner_product(queries.begin(), queries.end(), keys.begin(), 0.0);
}

/// Forward multiply-adds of a block, a vector, as it says itself.
double ownProducts(const std::string& slot, const BlockChoice& choice, const BlockContext& where) {
    return builtinCatalogue().at(slot, choice.id).flopsPerToken(where, choice.params) / 2;
}

/// Forward multiply-adds of a sublayer's projections per query (and per key, where the keys are another sequence).
struct Maps {
    double query = 0, key = 0;
};

Maps mapsOf(const ResolvedSublayer& sublayer, const Dims& dims) {
    const auto d = static_cast<double>(dims.d), widths = static_cast<double>(dims.keyDim + dims.valueDim);
    const Maps ofHeads{d * widths * static_cast<double>(dims.heads), d * widths * static_cast<double>(dims.keyHeads())};
    BlockContext where;
    where.dims = dims;
    where.sublayer = choiceNamed<SublayerName>(sublayer.name);
    Maps maps;
    if (isFeedForward(sublayer.name)) maps.query = ownProducts("ffn", sublayer.slots.at("ffn"), where);
    if (sublayer.name == "self") maps.query = ofHeads.query + ofHeads.key;  // q o, k v
    if (sublayer.name == "star") maps.query = 4 * d * d;                    // M U Q V
    if (sublayer.name == "cross") maps = ofHeads;
    for (const char* slot : {"adjuster", "parallel", "residual"})
        maps.query += ownProducts(slot, sublayer.slots.at(slot), where);
    return maps;
}

bool isGated(const ResolvedSublayer& sublayer) {
    const auto rule = sublayer.slots.find("score");
    return rule != sublayer.slots.end() && rule->second.params.contains("gate") && !rule->second.params.at("gate").is_null();
}

struct Rows {
    const std::vector<std::int64_t>&own, &memory;
};

/// Forward multiply-adds of a stack on its rows.
double stackProducts(const std::vector<ResolvedLayer>& layers, const Dims& dims, const Rows& rows) {
    const auto d = static_cast<double>(dims.d), heads = static_cast<double>(dims.heads),
               widths = static_cast<double>(dims.keyDim + dims.valueDim);
    double total = 0;
    bool isFirst = true;
    for (const ResolvedLayer& layer : layers) {
        for (const ResolvedSublayer& sublayer : layer.sublayers) {
            const auto& keys = sublayer.name == "cross" ? rows.memory : rows.own;
            const Maps maps = mapsOf(sublayer, dims);
            total += maps.query * sum(rows.own) + maps.key * sum(keys);
            if (isFeedForward(sublayer.name)) continue;
            // star mixes values of two sides
            total += (sublayer.name == "star" ? 3 * d : heads * widths) * products(rows.own, keys);
            if (isFirst || sublayer.name != "self" || !isGated(sublayer)) continue;
            for (const std::int64_t length : rows.own) {
                const auto s = static_cast<double>(length);
                total += heads * s * s * s;
            }
        }
        isFirst = false;
    }
    return total;
}

}  // namespace

std::vector<std::string> workloadNames() {
    std::vector<std::string> names;
    for (const Json& one : workloadDocuments()) names.push_back(one.at("name"));
    return names;
}

Workload findWorkload(const std::string& name, WorkloadSize size) {
    const Json documents = workloadDocuments();
    if (!findDocument(documents, name))
        throw Error(ErrorCode::Usage, "unknown workload \"" + name + "\"", "heddle bench train",
                    suggestion(name, workloadNames()));
    Json document = expanded(documents, name);
    if (size == WorkloadSize::Small) document.merge_patch(document.at("small"));
    const Json& batch = document.at("batch");
    Workload workload;
    workload.name = name;
    workload.summary = document.at("summary");
    workload.spec = specOf(document);
    workload.lengths = lengthsNamed(batch.at("lengths"));
    workload.rows = batch.at("rows");
    workload.width = batch.at("width");
    workload.batches = batch.at("batches");
    workload.sentences = batch.value("sentences", std::int64_t{0});
    workload.tokens = batch.value("tokens", std::int64_t{0});
    workload.bucket = batch.value("bucket", std::int64_t{1});
    workload.parameters = document.value("parameters", std::int64_t{0});
    return workload;
}

Workload stepWorkload(const RunSpec& run) {
    constexpr std::int64_t kBatches = 8, kMeanTokens = 14, kLongest = 512;
    using Target = TaskKind::Target;
    const TaskKind& task = taskKind(run.data.task);
    const bool isPair = task.target == Target::Translation;
    if (task.input != TaskKind::Input::Text ||
        (!isPair && task.target != Target::MaskedTokens && task.target != Target::NextToken && task.target != Target::Class))
        throwInvalid("steps of task " + run.data.task + " can be timed only on its own data", "data.task",
                     "train a few steps: heddle train --steps 20 prints steps/s");
    const ResolvedVariant variant = run.variant.resolve();
    if (!hasVocabulary(variant))
        throwInvalid("the vocabulary size comes from the data and is not known yet", "dims.vocab_src",
                     "assume a size: --set dims.vocab_src=8000 --set dims.vocab_tgt=8000");
    Workload workload;
    workload.name = "step";
    workload.spec = run;
    workload.width = std::min(kLongest, variant.dims.maxLen > 0 ? variant.dims.maxLen : kLongest);
    const bool isByTokens = run.train.batchTokens > 0;
    workload.tokens = isByTokens ? std::max(run.train.batchTokens, workload.width) : 0;
    workload.rows = isByTokens ? std::max<std::int64_t>(1, run.train.batchTokens / workload.width)
                               : std::max<std::int64_t>(1, run.train.batchSentences);
    workload.batches = kBatches;
    if (isPair) {
        workload.lengths = isByTokens ? Workload::Lengths::Buckets : Workload::Lengths::Mixed;
        workload.bucket = 8;
        workload.sentences = kBatches * (isByTokens ? 2 * workload.tokens / kMeanTokens : workload.rows);
    }
    return workload;
}

double stepFlops(const ResolvedVariant& variant, const RowLengths& lengths, std::int64_t labels) {
    BlockContext ofHead;
    ofHead.dims = variant.dims;
    ofHead.sequence = 1;  // a label is of one vector
    const bool hasBoth = !variant.encoder.empty() && !variant.decoder.empty();
    double forward = stackProducts(variant.encoder, variant.dims, {lengths.source, lengths.source});
    forward += stackProducts(variant.decoder, variant.dims, {hasBoth ? lengths.target : lengths.source, lengths.source});
    forward += static_cast<double>(labels) * ownProducts("head", variant.globals.at("head"), ofHead);
    constexpr double kOperations = 2, kPasses = 3;  // a multiply-add is two; backward is twice the forward pass
    return kOperations * kPasses * forward;
}

}  // namespace heddle
