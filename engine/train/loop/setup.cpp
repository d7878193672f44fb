// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/setup.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/links.h"
#include "engine/base/threads.h"
#include "engine/data/batching/encoded_corpus.h"
#include "engine/data/batching/prefetcher.h"
#include "engine/data/loading/run_data.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/affine.h"
#include "engine/kernels/gemm_ceiling.h"
#include "engine/kernels/own_kernels.h"
#include "engine/model/built_modules.h"
#include "engine/model/device_batch.h"
#include "engine/spec/schedules.h"
#include "engine/spec/task_kinds.h"
#include "engine/spec/variant_rules.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/loop/budget.h"
#include "engine/train/loop/identity.h"
#include "engine/train/loop/start.h"
#include "engine/train/loop/word_table.h"
#include "engine/train/step/parameter_groups.h"

#include <torch/version.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <numeric>

namespace heddle {
namespace {

constexpr const char* kTokenizerFolder = "/tokenizer";

void requireAnEnd(const TrainSpec& train) {
    if (train.epochs <= 0 && train.steps <= 0 && train.patience <= 0 && train.budget.isEmpty())
        throwInvalid("training would never end", "train", "set train.epochs, train.steps, train.budget or train.patience");
}

/// Refuses settings that do not fit the model or the data, before the first step.
void requireTrainable(const RunSpec& spec, const Setup& setup) {
    parameterSettings(setup.model->parameters(), spec.train);  // throws for a group without parameters
    if (endsWithRun(spec.train) && setup.lastStep == 0)
        throwInvalid("schedule " + wordOf(spec.train.schedule) + " needs its last step", "train.schedule.steps",
                     "set it, or train.steps, train.epochs, train.budget.tokens or train.budget.flops");
}

std::int64_t countStepsPerEpoch(const RunSpec& spec, const Setup& setup) {
    const auto options = trainingBatches(spec, setup.model->variant().dims);
    const auto batches = static_cast<std::int64_t>(planEpoch(setup.data.train, options, 0).size());
    return (batches + spec.train.accumulate - 1) / spec.train.accumulate;
}

/// The first of several limits; 0: no limit.
std::int64_t earliestOf(std::initializer_list<std::int64_t> limits) {
    std::int64_t first = 0;
    for (const std::int64_t limit : limits)
        if (limit > 0 && (first == 0 || limit < first)) first = limit;
    return first;
}

Json hashesOf(const RunData& data) {
    Json hashes = Json::array();
    for (const auto& tokenizer : {data.sourceTokenizer, data.targetTokenizer})
        if (tokenizer) hashes.push_back(tokenizer->hash());
    return hashes;
}

AttemptDescribed describeAttempt(const RunSpec& spec, const Setup& setup, const ComputeSettings& compute) {
    const DeviceInfo device = deviceInfo(setup.device);
    AttemptDescribed attempt;
    attempt.seed = spec.seed;
    attempt.variantHash = setup.identity.at("variant_hash");
    attempt.runHash = setup.identity.at("run_hash");
    attempt.dataHashes = setup.data.dataHashes;
    attempt.tokenizerHashes = setup.identity.at("tokenizer_hashes").get<std::vector<std::string>>();
    attempt.classesHash = classesHash(setup.data);
    attempt.task = spec.data.task;
    attempt.synthetic = setup.data.synthetic;
    attempt.vocabSource = setup.data.sourceWords();
    attempt.vocabTarget = setup.data.targetWords();
    attempt.classes = std::ssize(setup.data.classes);
    attempt.trainPairs = setup.data.train.size();
    attempt.stepsPerEpoch = setup.stepsPerEpoch;
    attempt.totalSteps = setup.lastStep;
    attempt.parameters = setup.model->parameters().count();
    attempt.batchRound = setup.batchMultiple;
    attempt.threads = compute.threads;
    attempt.device = device.id;
    attempt.deviceName = device.name;
    attempt.precision = wordOf(setup.precision);
    attempt.products = setup.device.is_cpu() && setup.precision == Precision::Float32 ? productLibraryName() : "torch";
    attempt.products += changedKernels();
    attempt.torch = TORCH_VERSION;
    attempt.deterministic = compute.deterministic;
    attempt.graphs = static_cast<bool>(setup.makeGraph);
    return attempt;
}

/// A run that starts from another run's checkpoint copies its tokenizers.
DataFolders dataFolders(const TrainRequest& request) {
    DataFolders folders{request.cacheFolder, ""};
    const StartSpec& start = request.spec.train.start;
    if (start.checkpoint.empty() || startsFromRelease(start)) return folders;
    const bool isNew = request.resumeFrom.empty();
    const std::string& checkpoint = isNew ? start.checkpoint : request.resumeFrom;
    folders.tokenizers = isNew ? tokenizerFolderOf(checkpoint) : request.runFolder + kTokenizerFolder;
    folders.recorded = recordedFiles(readCheckpointIdentity(checkpoint), checkpoint);
    return folders;
}

/// Whether a resumed run has all files of saveVocabulary(). A file that differs from the recorded one is an error.
bool hasVocabulary(const TrainRequest& request, const RunData& data) {
    const std::string folder = request.runFolder + kTokenizerFolder;
    const auto isThere = [&](const std::string& name) {
        return std::filesystem::exists(folder + "/" + name + ".json") ||
               std::filesystem::exists(folder + "/" + name + ".model");
    };
    const RecordedFiles recorded = recordedFiles(readCheckpointIdentity(request.resumeFrom), request.resumeFrom);
    requireNoLinkedVocabulary(folder);
    const std::pair<const char*, std::size_t> sides[] = {{"source", 0}, {"target", 1}};
    for (const auto& [name, side] : sides) {
        if (side >= recorded.tokenizers.size()) continue;
        if (!isThere(name)) return false;
        loadTokenizer(folder, name, recorded.tokenizers[side]);
    }
    if (!data.classes.empty() && !isThere("classes")) return false;
    loadClasses(folder, recorded);
    return true;
}

/// Saves tokenizers and class names. A resumed run already has them; deleted files are written again.
void saveVocabulary(const TrainRequest& request, const RunData& data) {
    const std::string folder = request.runFolder + kTokenizerFolder;
    if (!request.resumeFrom.empty() && hasVocabulary(request, data)) return;
    createFolderDurably(folder);
    saveTokenizers(data, folder);
    saveClasses(data, folder);
}

/// A resumed run keeps its precision on every device.
Precision precisionOf(const TrainRequest& request, const at::Device& device) {
    const Precision wanted = request.spec.train.precision;
    return precisionFor(wanted == Precision::Auto ? request.precision : wanted, device);
}

/// Processes on one machine share its cores; 0: all of them.
int threadsOf(const TrainSpec& train, const ProcessPlace& place) {
    if (train.threads > 0 || place.localSize == 1) return static_cast<int>(train.threads);
    return std::max(1, physicalCores() / place.localSize);
}

/// Refuses a checkpoint whose training state the run cannot continue (train.start.state): of another seed, variant, data or
/// tokenizer, or without such a state.
void requireContinuable(const RunSpec& spec, const Setup& setup) {
    const std::string& folder = spec.train.start.checkpoint;
    if (startsFromRelease(spec.train.start))
        throwInvalid("published weights have no training state", "train.start.state", "leave it out");
    const Checkpoint checkpoint = readCheckpointState(folder);
    if (!checkpoint.averaged.empty())
        throwInvalid("an average of checkpoints has no training state", folder, "name the checkpoint of a step");
    requireSameRun(checkpoint.identity, setup.identity, spec, folder);
    if (checkpoint.identity.value("seed", Json()) != setup.identity.at("seed"))
        throwInvalid("the seed differs from that of the checkpoint", "seed", "leave it as it was");
}

void startFromWeights(const RunSpec& spec, const Setup& setup, Emitter& emitter) {
    const StartedFrom started = startFrom(*setup.model, spec.train.start, publishedRows(spec, setup.data), setup.data.classes);
    emitter.emit(started);
    for (const std::string& warning : started.warnings) emitter.emit(Remark{Remark::Kind::Warning, warning});
}

/// Reports the chosen precision if the spec leaves it open, unless it is fp32 because of the CPU.
void reportPrecision(const TrainRequest& request, const Setup& setup, Emitter& emitter) {
    if (request.spec.train.precision != Precision::Auto) return;
    const std::string name = wordOf(setup.precision);
    if (setup.precision != precisionFor(Precision::Auto, setup.device))
        emitter.emit(Remark{Remark::Kind::Info, "matrix products stay in " + name + ", as in earlier attempts"});
    else if (setup.device.is_cuda())
        emitter.emit(Remark{Remark::Kind::Info, "matrix products in " + name + ", the default on a GPU: see train.precision"});
}

/// Warns if this CPU multiplies more slowly in bfloat16 than in float32.
void warnOfSlowPrecision(const Setup& setup, Emitter& emitter) {
    if (!setup.device.is_cpu() || setup.precision != Precision::BFloat16) return;
    if (const double gain = bfloat16Gain(); gain < 1) emitter.emit(SlowPrecision{gain});
}

}  // namespace

BatchOptions trainingBatches(const RunSpec& spec, const Dims& dims) {
    BatchOptions options;
    options.tokens = spec.train.batchTokens;
    options.sentences = spec.train.batchSentences;
    // Rows of other tasks were cut to what the model takes.
    if (taskKind(spec.data.task).target == TaskKind::Target::Translation)
        options.maxTokens = spec.data.maxTokens > 0 ? std::min(spec.data.maxTokens, dims.maxLen) : dims.maxLen;
    options.seed = spec.seed;
    return options;
}

std::int64_t batchMultiple(const TrainSpec& train, const MakeDeviceGraph& makeGraph) {
    constexpr std::int64_t kCapturedMultiple = 8;  // gives few shapes, and bfloat16 products are fastest with multiples of 8
    return train.batchRound > 0 ? train.batchRound : makeGraph ? kCapturedMultiple : 1;
}

at::Device deviceOf(const TrainSpec& train, const ProcessPlace& place) {
    const at::Device chosen = chooseDevice(train.device);
    if (place.localSize == 1 || !chosen.is_cuda()) return chosen;
    if (train.device != "auto" && train.device != "cuda")
        throwUsage("several processes cannot train on one GPU", "train.device " + train.device,
                   "set train.device to cuda: each process takes the GPU of its local rank");
    return chooseDevice("cuda:" + std::to_string(place.localRank));
}

Setup setUp(const RunSpec& spec, RunData data, const at::Device& device) {
    requireAnEnd(spec.train);
    Setup setup;
    setup.data = std::move(data);
    setup.device = device;
    setup.precision = precisionFor(spec.train.precision, setup.device);
    if (spec.train.graphs) setup.makeGraph = deviceGraphsOf(setup.device);
    setup.batchMultiple = batchMultiple(spec.train, setup.makeGraph);
    const auto vocabSource = setup.data.sourceWords(), vocabTarget = setup.data.targetWords();
    const auto classes = outputsFor(spec, std::ssize(setup.data.classes));
    setup.model = buildModel(spec.variant.resolve(vocabSource, vocabTarget, classes), spec.seed);
    setup.vectorHashes = fillFrozenTables(*setup.model, spec, setup.data);
    setup.model->to(setup.device);
    setup.task = makeTask(spec, setup.data);
    setup.stepsPerEpoch = countStepsPerEpoch(spec, setup);
    setup.budgetStep = lastStepOfBudget(spec, setup.model->variant(), setup.data.train);
    setup.lastStep = earliestOf({spec.train.epochs * setup.stepsPerEpoch, spec.train.steps, setup.budgetStep});
    setup.identity = {{"seed", std::to_string(spec.seed)},
                      {"variant_hash", spec.variant.hash()},
                      {"run_hash", spec.hash(setup.data.dataHashes)},
                      {"data_hashes", setup.data.dataHashes},
                      {"tokenizer_hashes", hashesOf(setup.data)},
                      {"vocab_source", vocabSource},
                      {"vocab_target", vocabTarget}};
    if (const std::string hash = classesHash(setup.data); !hash.empty()) setup.identity["classes_hash"] = hash;
    return setup;
}

Setup setUp(const RunSpec& spec, RunData data) { return setUp(spec, std::move(data), chooseDevice(spec.train.device)); }

Setup prepareTraining(const TrainRequest& request, Emitter& emitter, const std::function<bool()>& stopRequested) {
    const RunSpec& spec = request.spec;
    throwIfNotTrainable(spec);
    if (request.resumeFrom.empty()) throwIfAnswerIsVisible(spec);
    const std::filesystem::path run = request.runFolder;  // a foreign database may have links in place of folders
    requireNoLink(run.parent_path().string(), run.filename().string() + kTokenizerFolder);
    // Reports a wrong device or precision before reading data, and loads the CUDA module first.
    const at::Device device = deviceOf(spec.train, request.processes);
    const Precision precision = precisionOf(request, device);
    const auto compute = configureComputeThread({threadsOf(spec.train, request.processes), spec.train.deterministic});
    allowTensorFloat32(device, precision);
    Setup setup = setUp(spec, loadRunData(spec, dataFolders(request), stopRequested), device);
    setup.precision = precision;
    setup.threads = compute.threads;
    if (!request.resumeFrom.empty() && request.processes.isLeader())
        requireSameRun(readCheckpointIdentity(request.resumeFrom), setup.identity, spec, request.resumeFrom);
    if (request.processes.isLeader()) saveVocabulary(request, setup.data);
    if (request.resumeFrom.empty() && spec.train.start.withState) requireContinuable(spec, setup);
    if (request.resumeFrom.empty() && !spec.train.start.checkpoint.empty())
        startFromWeights(spec, setup, emitter);
    else
        freezeParameters(*setup.model, spec.train.start);
    requireTrainable(spec, setup);
    for (const std::string& note : setup.data.notes) emitter.emit(Remark{Remark::Kind::Data, note});
    for (const SplitWarning& warning : setup.data.warnings) emitter.emit(DataWarning{warning.text});
    if (const std::string warning = visibleAnswerWarning(spec); !warning.empty()) emitter.emit(DataWarning{warning});
    for (const TokenizerReport& report : setup.data.reports) emitter.emit(TokenizerReported{report});
    for (const std::string& note : compositionNotes(setup.model->variant())) emitter.emit(Remark{Remark::Kind::Info, note});
    if (setup.budgetStep > 0 && setup.budgetStep == setup.lastStep)
        emitter.emit(Remark{Remark::Kind::Info, "train.budget ends the run after step " + std::to_string(setup.budgetStep)});
    for (const std::string& warning : scheduleWarnings(spec.train, setup.lastStep))
        emitter.emit(Remark{Remark::Kind::Warning, warning});
    reportPrecision(request, setup, emitter);
    warnOfSlowPrecision(setup, emitter);
    emitter.emit(describeAttempt(spec, setup, compute));
    emitter.emit(ModelBuilt{builtModules(*setup.model)});
    return setup;
}

Rehearsal rehearseTraining(const RunSpec& spec, const RehearsalFolders& folders) {
    throwIfNotTrainable(spec);
    throwIfAnswerIsVisible(spec);
    const at::Device device = chooseDevice(spec.train.device);
    configureComputeThread({static_cast<int>(spec.train.threads), spec.train.deterministic});
    allowTensorFloat32(device, precisionFor(spec.train.precision, device));
    TrainRequest request;
    request.spec = spec;
    request.cacheFolder = folders.cache;
    const bool isWritten = std::filesystem::is_directory(spec.train.start.checkpoint);
    const DataFolders from = isWritten ? dataFolders(request) : DataFolders{folders.cache, folders.tokenizersFrom};
    const Setup setup = setUp(spec, loadRunData(spec, from, {}), device);
    if (!folders.tokenizersTo.empty()) {
        std::filesystem::create_directories(folders.tokenizersTo);
        saveTokenizers(setup.data, folders.tokenizersTo);
    }
    freezeParameters(*setup.model, spec.train.start);
    requireTrainable(spec, setup);
    std::vector<std::int64_t> first(static_cast<std::size_t>(std::min<std::int64_t>(2, setup.data.train.size())));
    std::iota(first.begin(), first.end(), 0);
    const DeviceBatch batch = toDevice(setup.task->makeBatch(setup.data.train, first, 0), setup.device);
    const at::NoGradGuard noGrad;
    const Forward forward;
    const AutocastScope autocast(setup.device, setup.precision);
    setup.task->loss(setup.task->logits(*setup.model, batch, forward), batch);
    return {exampleCount(setup.data.train), setup.stepsPerEpoch,      setup.lastStep,
            setup.data.sourceWords(),       setup.data.targetWords(), setup.model->parameters().count()};
}

}  // namespace heddle
