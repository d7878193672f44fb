// SPDX-License-Identifier: Apache-2.0
#include "engine/train/setup.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/error.h"
#include "engine/spec/trainable.h"
#include "engine/train/files.h"

#include <torch/version.h>

#include <algorithm>

namespace heddle {
namespace {

void requireAnEnd(const TrainSpec& train) {
    if (train.epochs <= 0 && train.steps <= 0 && train.patience <= 0)
        throwInvalid("training would never end", "train", "set train.epochs, train.steps or train.patience");
}

Json describeAttempt(const RunSpec& spec, const Setup& setup, const ComputeSettings& compute) {
    const auto options = trainingBatches(spec, setup.model->variant().dims);
    const auto batches = static_cast<std::int64_t>(planEpoch(setup.data.train, options, 0).size());
    const auto stepsPerEpoch = (batches + spec.train.accumulate - 1) / spec.train.accumulate;
    std::int64_t total = spec.train.epochs * stepsPerEpoch;
    if (spec.train.steps > 0) total = total > 0 ? std::min(total, spec.train.steps) : spec.train.steps;

    Json description = setup.identity;
    std::string device = "cpu", name;
    if (setup.device.is_cuda()) device = "cuda:" + std::to_string(static_cast<int>(setup.device.index()));
    for (const DeviceInfo& info : listDevices())
        if (info.id == device) name = info.name;
    description.update({{"threads", compute.threads},
                        {"deterministic", compute.deterministic},
                        {"device", device},
                        {"device_name", name},
                        {"precision", spec.train.precision},
                        {"torch", TORCH_VERSION},
                        {"parameters", setup.model->parameters().count()},
                        {"train_pairs", setup.data.train.size()},
                        {"steps_per_epoch", stepsPerEpoch},
                        {"total_steps", total}});
    return description;
}

}  // namespace

BatchOptions trainingBatches(const RunSpec& spec, const Dims& dims) {
    BatchOptions options;
    options.tokens = spec.train.batchTokens;
    options.sentences = spec.train.batchSentences;
    options.maxTokens = spec.data.maxTokens > 0 ? std::min(spec.data.maxTokens, dims.maxLen) : dims.maxLen;
    options.seed = spec.seed;
    return options;
}

Setup setUp(const RunSpec& spec, TranslationData data) {
    requireAnEnd(spec.train);
    Setup setup;
    setup.data = std::move(data);
    setup.device = chooseDevice(spec.train.device);
    setup.precision = precisionFromName(spec.train.precision);
    const auto vocabSource = setup.data.sourceTokenizer->size(), vocabTarget = setup.data.targetTokenizer->size();
    setup.model = buildModel(spec.variant.resolve(vocabSource, vocabTarget), spec.seed);
    setup.model->to(setup.device);
    setup.identity = {{"seed", std::to_string(spec.seed)},
                      {"variant_hash", spec.variant.hash()},
                      {"run_hash", spec.hash(setup.data.dataHashes)},
                      {"data_hashes", setup.data.dataHashes},
                      {"tokenizer_hashes", {setup.data.sourceTokenizer->hash(), setup.data.targetTokenizer->hash()}},
                      {"vocab_source", vocabSource},
                      {"vocab_target", vocabTarget}};
    return setup;
}

Setup prepareTraining(const TrainRequest& request, Emitter& emitter, const std::function<bool()>& stopRequested) {
    const RunSpec& spec = request.spec;
    throwIfNotTrainable(spec.variant);
    chooseDevice(spec.train.device);  // a wrong device is told before the data are read; loads the CUDA module first of all
    const auto compute = configureComputeThread({static_cast<int>(spec.train.threads), spec.train.deterministic});
    Setup setup = setUp(spec, loadTranslationData(spec, request.cacheFolder, stopRequested));
    createFolderDurably(request.runFolder + "/tokenizer");
    saveTokenizers(setup.data, request.runFolder + "/tokenizer");
    for (const std::string& note : setup.data.notes) emitter.emit(Note{"data", note, {}});
    emitter.emit(Note{"info", "attempt", describeAttempt(spec, setup, compute)});
    return setup;
}

}  // namespace heddle
