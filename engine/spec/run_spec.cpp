// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/run_spec.h"

#include "engine/base/contains.h"
#include "engine/base/sha256.h"
#include "engine/base/text_limits.h"
#include "engine/spec/data_files.h"
#include "engine/spec/foreign_spec.h"
#include "engine/spec/task_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace heddle {
namespace {

using Role = FieldSchema::Role;

void addMarked(const FieldSchema& schema, const std::string& path, std::vector<MarkedSetting>& marked) {
    if (schema.role != Role::Setting) marked.push_back({path, pointerOf(path), &schema});
    for (const FieldSchema& field : schema.fields) addMarked(field, childPath(path, field.key), marked);
}

/// Erases a member, and the objects around it that are empty then.
void erase(Json& document, Json::json_pointer at) {
    if (!document.contains(at)) return;
    do {
        Json& parent = document.at(at.parent_pointer());
        parent.erase(at.back());
        at.pop_back();
    } while (!at.empty() && document.at(at).empty());
}

/// Adds a hint for the most common mistake: a member of the variant at the top level of the run.
void explainMisplaced(std::vector<Problem>& problems) {
    for (auto& problem : problems)
        if (findField(variantSchema(), problem.path)) problem.next = "write it inside \"variant\"";
}

/// Adds the defaults. A given member disables the default of its alternative: a limit in steps or a budget disables the limit
/// in epochs, and a batch size in sentences the one in tokens.
Json withImpliedDefaults(Json document) {
    const auto lift = [&](const std::string& given, const std::string& alternative) {
        const Json::json_pointer from(given), to(alternative);
        if (document.contains(from) && document[from] != 0 && !document.contains(to)) document[to] = 0;
    };
    lift("/train/steps", "/train/epochs");
    for (const char* limit : {"tokens", "flops", "seconds"}) lift(std::string("/train/budget/") + limit, "/train/epochs");
    lift("/train/batch/sentences", "/train/batch/tokens");
    return withDefaults(runSchema(), document);
}

bool isDevice(const std::string& text) {
    if (text == "auto" || text == "cpu" || text == "cuda") return true;
    const std::string prefix = "cuda:";
    return text.starts_with(prefix) && text.size() > prefix.size() && text.size() < prefix.size() + 4 &&
           text.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
}

/// Returns a function that reports a setting at `path` unless the requirement `holds`.
auto requirementsIn(std::vector<Problem>& problems) {
    return [&problems](bool holds, const std::string& path, const std::string& what, const char* next) {
        if (!holds) problems.push_back({path, what, next});
    };
}

void checkTokenizer(const TokenizerSpec& tokenizer, std::vector<Problem>& problems) {
    const auto require = requirementsIn(problems);
    require(!tokenizer.shared || tokenizer.target.empty(), "data.tokenizer.target",
            "a vocabulary shared by both sides cannot have a separate target",
            "set data.tokenizer.shared to false, or remove target");
    for (const TokenizerSpec& side : {tokenizer, tokenizer.forTarget()}) {
        require(side.vocab.empty() || side.kind == TokenizerKind::WordPiece, "data.tokenizer.vocab",
                "vocab.txt is for wordpiece only",
                "set data.tokenizer.kind to wordpiece, or data.tokenizer.file to a saved tokenizer");
        require(side.vocab.empty() || side.file.empty(), "data.tokenizer.file", "vocab and file cannot be given together",
                "keep one");
        if (!problems.empty()) return;
    }
}

void checkTraining(const RunSpec& run, std::vector<Problem>& problems) {
    const auto require = requirementsIn(problems);
    const TrainSpec& train = run.train;
    const bool isCrossEntropy = train.loss == LossKind::CrossEntropy || train.loss == LossKind::Auto;
    require(train.zLoss == 0 || (isCrossEntropy && taskKind(run.data.task).target != TaskKind::Target::Number), "train.z_loss",
            "the loss is no cross-entropy, so it has no Z", "set train.z_loss to 0, or train.loss to ce");
    require(!train.start.withState || !train.start.checkpoint.empty(), "train.start.state",
            "there is no checkpoint to go on from", "use heddle fork RUN --at STEP --exact, or leave it out");
    for (std::size_t i = 0; i < train.groups.size(); ++i)
        require(!train.groups[i].parameters.empty(), "train.groups." + std::to_string(i) + ".parameters",
                "the group names no parameters", "use embeddings, matrices, vectors, head, or a pattern of parameter paths");
}

void checkTogether(const RunSpec& run, std::vector<Problem>& problems) {
    const auto require = requirementsIn(problems);
    const auto pair = [&](const ParallelFiles& files, const char* path) {
        require(files.source.empty() == files.target.empty(), path, "only one of source and target is given",
                "give source and target, or neither");
    };
    const TaskKind& task = taskKind(run.data.task);
    if (task.readsPairs()) {
        pair(run.data.train, "data.train");
        pair(run.data.valid, "data.valid");
        pair(run.data.test, "data.test");
    }
    const std::string& metric = run.train.stopMetric;
    const bool isMeasured = metric == "loss" || std::count(task.metrics.begin(), task.metrics.end(), metric) > 0;
    require(isMeasured, "train.early_stopping.metric", fmt::format("task {} has no metric {}", task.id, metric),
            "use loss, or a metric of the task");
    checkTokenizer(run.data.tokenizer, problems);
    const auto characters = static_cast<std::size_t>(countCodePoints(run.name));
    require(characters <= kMaxNameCharacters, "name", fmt::format("the name has {} characters", characters), "use at most 200");
    const TrainSpec& train = run.train;
    require(train.batchTokens == 0 || train.batchSentences == 0, "train.batch", "tokens and sentences cannot be given together",
            "set one of them to 0");
    require(train.batchTokens > 0 || train.batchSentences > 0, "train.batch", "the batch size is 0",
            "set tokens or sentences above 0");
    require(train.epochs > 0 || train.steps > 0 || train.patience > 0 || !train.budget.isEmpty(), "train.epochs",
            "training would never end", "set epochs, steps, a budget or early_stopping.patience above 0");
    require(isDevice(train.device), "train.device", "unknown device \"" + train.device + "\"", "use auto, cpu, cuda or cuda:N");
    require(train.precision != Precision::TensorFloat32 || train.device != "cpu", "train.precision",
            "tf32 is not available on a CPU", "use fp32, or another train.device");
    const EvaluateSpec& evaluate = run.evaluate;
    const bool evaluates = evaluate.everyEpochs > 0 || evaluate.everySteps > 0;
    require(train.patience == 0 || evaluates, "train.early_stopping.patience", "evaluation is switched off",
            "set evaluate.every_epochs or evaluate.every_steps above 0");
    require(train.patience == 0 || !isDecodedMetric(train.stopMetric) || evaluate.bleuEveryEpochs > 0,
            "train.early_stopping.metric", train.stopMetric + " is not evaluated",
            "set evaluate.bleu_every_epochs above 0, or choose another metric");
    require(evaluate.beam == 0 || std::any_of(task.metrics.begin(), task.metrics.end(), isDecodedMetric), "evaluate.beam",
            fmt::format("evaluations of task {} decode nothing", task.id), "leave it out");
    require(evaluate.lengthPenalty == 0 || evaluate.beam > 0, "evaluate.length_penalty",
            "greedy decoding has no length penalty", "set evaluate.beam above 0, or evaluate.length_penalty to 0");
}

/// Which hash is meant.
enum class Hashed { Run, Group };

/// All fields of a run but those that are no part of the hash. Of the files that make tokenizers only whether there are some
/// counts here; the contents of all files are among the data hashes, and the weights have a hash of their own.
Json countedFields(const RunSpec& run, Hashed hashed) {
    Json fields = writeRunFields(run);
    for (const MarkedSetting& setting : markedSettings()) {
        const Role role = setting.field->role;
        const bool isCounted = role == Role::OwnBits && hashed == Hashed::Run;
        if (isCounted || !fields.contains(setting.pointer)) continue;
        Json& value = fields.at(setting.pointer);
        if (role != Role::TokenizerFile)
            value = setting.field->defaultValue;
        else if (!value.is_string() || !value.get_ref<const std::string&>().empty())
            value = "file";
    }
    return fields;
}

/// The compact document of a run with these fields.
Json compactRun(const RunSpec& run, const Json& fields) {
    Json document = withoutDefaults(runSchema(), fields);
    // Alternatives imply each other's defaults, so always write both.
    if (run.train.steps > 0 || !run.train.budget.isEmpty()) document["train"]["epochs"] = run.train.epochs;
    if (run.train.batchSentences > 0) document["train"]["batch"]["tokens"] = run.train.batchTokens;
    document["schema"] = 1;
    document["variant"] = run.variant.compact();
    return document;
}

std::string hashOf(const RunSpec& run, Hashed hashed, const std::vector<std::string>& dataHashes) {
    const DataSpec& data = run.data;
    Json document = compactRun(run, countedFields(run, hashed));
    document["data_hashes"] = dataHashes;
    // The hashes have no names. Of training files and those of one other split, the latter are validation files, or test files
    // where validation examples are drawn; what is otherwise is said. (Hashes that are recorded stay as they are.)
    const bool hasValid = !data.valid.source.empty(), hasTest = !data.test.source.empty();
    if (!isGenerated(data.format) && hasValid != hasTest && hasTest != (data.validShare > 0))
        document["data_splits"] = {"train", hasTest ? "test" : "valid"};
    return sha256Hex(canonicalJson(document));
}

}  // namespace

const std::vector<MarkedSetting>& markedSettings() {
    static const std::vector<MarkedSetting> all = [] {
        std::vector<MarkedSetting> marked;
        addMarked(runSchema(), "", marked);
        return marked;
    }();
    return all;
}

bool namesFile(const FieldSchema& field) {
    return field.role == Role::DataFile || field.role == Role::TokenizerFile || field.role == Role::Checkpoint;
}

Json withAbsoluteFiles(const FieldSchema& schema, Json value, const std::string& base) {
    if (value.is_object()) {
        for (const FieldSchema& field : schema.fields)
            if (const auto member = value.find(field.key); member != value.end())
                *member = withAbsoluteFiles(field, std::move(*member), base);
    } else if (value.is_string() && !value.get_ref<const std::string&>().empty() && namesFile(schema)) {
        const std::filesystem::path path = std::filesystem::path(base) / value.get<std::string>();
        value = std::filesystem::absolute(path).lexically_normal().string();
    }
    return value;
}

Json withoutMarked(Json document, const std::vector<Role>& roles) {
    for (const MarkedSetting& setting : markedSettings())
        if (contains(roles, setting.field->role)) erase(document, setting.pointer);
    return document;
}

TokenizerSpec TokenizerSpec::forTarget() const {
    TokenizerSpec spec = *this;
    spec.target = Json::object();
    if (target.contains("kind")) spec.vocab = spec.file = "";
    readTokenizerFields(target, spec);
    return spec;
}

Json asRunDocument(const Json& document) {
    if (!document.is_object()) return document;
    const auto isOfRun = [](const auto& item) { return item.key() == "variant" || findField(runSchema(), item.key()); };
    const auto items = document.items();
    return std::any_of(items.begin(), items.end(), isOfRun) ? document : Json{{"variant", document}};
}

RunSpec RunSpec::parse(const Json& given, const Catalogue& catalogue, const std::string& base) {
    requireOwn(given, "spec");
    std::vector<Problem> problems;
    Json document = asRunDocument(given);
    const Json variant = document.is_object() ? document.value("variant", Json::object()) : Json::object();
    if (document.is_object()) document.erase("variant");
    validate(runSchema(), document, "", problems);
    if (problems.empty() && document.contains("/train/optimizer/betas"_json_pointer) &&
        document["train"]["optimizer"]["betas"].size() != 2)
        problems.push_back({"train.optimizer.betas", "must be a list of two numbers", "write [0.9, 0.98]"});
    explainMisplaced(problems);

    RunSpec run;
    if (problems.empty()) {
        readRunFields(withAbsoluteFiles(runSchema(), withImpliedDefaults(document), base), run);
        checkTogether(run, problems);
        checkTraining(run, problems);
    }
    run.variant = VariantSpec::parse(withSizesFromData(variant), catalogue, problems);
    throwIfAny(problems, "spec");
    return run;
}

Json RunSpec::toJson() const { return compactRun(*this, writeRunFields(*this)); }

Json RunSpec::resolvedJson() const {
    Json document = writeRunFields(*this);
    document["variant"] = variant.resolvedTree();
    return document;
}

std::string RunSpec::hash(const std::vector<std::string>& dataHashes) const { return hashOf(*this, Hashed::Run, dataHashes); }

std::string RunSpec::groupHash(const std::vector<std::string>& dataHashes) const {
    return hashOf(*this, Hashed::Group, dataHashes);
}

}  // namespace heddle
