// SPDX-License-Identifier: Apache-2.0
#include "engine/library/sessions.h"

#include "engine/base/cancellation.h"
#include "engine/base/error.h"
#include "engine/data/loading/run_data.h"
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/loop/identity.h"
#include "engine/train/loop/reports.h"
#include "engine/train/loop/setup.h"

#include <chrono>

namespace heddle {

std::vector<std::string> warningsOfData(const RunData& data, const std::string& split) {
    std::vector<std::string> warnings;
    const std::string other = split == "valid" ? "test" : "valid";
    for (const SplitWarning& warning : data.warnings)
        if (warning.split != "train" && warning.split != other) warnings.push_back(warning.text);
    if (!data.synthetic.empty()) warnings.push_back("synthetic data: " + data.synthetic);
    return warnings;
}

EvaluationReport evaluateRun(const EvaluationRequest& request) {
    if (request.split != "valid" && request.split != "test")
        throw Error(ErrorCode::Usage, "unknown split \"" + request.split + "\"", "--split", "choose valid or test");
    RunSpec spec = request.spec;
    spec.train.device = request.device;
    const at::Device device = chooseDevice(spec.train.device);  // reports a wrong device before reading data
    const Precision precision = readingPrecisionFor(spec.train.precision, device);
    spec.train.precision = precision;
    configureComputeThread({static_cast<int>(spec.train.threads), spec.train.deterministic});
    allowTensorFloat32(device, precision);
    const Checkpoint checkpoint = readCheckpoint(request.checkpointFolder);
    requireSameAnswers(checkpoint.identity, spec);
    const DataFolders folders{request.cacheFolder, tokenizerFolderOf(request.checkpointFolder),
                              recordedFiles(checkpoint.identity, request.checkpointFolder)};
    Setup setup = setUp(spec, loadRunData(spec, folders, request.stopRequested));
    requireSameVectors(checkpoint.identity, spec, setup.vectorHashes);
    std::vector<std::string> warnings;
    if (!request.otherFiles) warnings = requireOwnExamples(checkpoint.identity, spec, setup.data.dataHashes, request.split);
    const EncodedCorpus& corpus = request.split == "valid" ? setup.data.valid : setup.data.test;
    if (corpus.size() == 0)
        throwInvalid("the run's spec has no " + request.split + " data", "data." + request.split,
                     "choose the other split, or --set data." + request.split + ".source=FILE");
    requireFinite(checkpoint.weights, request.checkpointFolder);
    loadWeights(*setup.model, checkpoint.weights, request.checkpointFolder);

    DecodeOptions options{setup.device, setup.precision};
    if (request.stopRequested) options.interrupted = request.stopRequested;
    options.search = searchOf(spec.evaluate);
    options.makeGraph = setup.makeGraph;
    options.onCaptureFailure = [&](const std::string& why) { warnings.push_back(uncapturedDecodingWarning(why)); };
    const auto began = std::chrono::steady_clock::now();
    const Evaluator evaluator(*setup.model, *setup.task, std::move(options));
    auto evaluation = evaluator.evaluate(corpus, request.decode ? Depth::Decoded : Depth::Scored, request.sentences);
    if (!evaluation) throwStopped("evaluating the " + request.split + " split");
    if (evaluation->metrics.decoded > 0) {
        evaluation->metrics.values.push_back(evaluator.decodingTime(evaluation->metrics));
        if (spec.evaluate.timedUncached) {
            const auto uncached = evaluator.timeUncachedDecoding(corpus, evaluation->metrics.decoded);
            if (!uncached) throwStopped("timing the decoding of the " + request.split + " split");
            evaluation->metrics.values.push_back(*uncached);
        }
    }
    EvaluationReport report{evaluationDone(request.split, checkpoint.state.epoch, *setup.task, *evaluation),
                            std::move(evaluation->metrics.samples), std::move(evaluation->metrics.warnings)};
    markAveraged(report.measured, spec.train);
    report.warnings.insert(report.warnings.end(), warnings.begin(), warnings.end());
    report.measured.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    for (std::string& warning : warningsOfData(setup.data, request.split)) report.warnings.push_back(std::move(warning));
    return report;
}

}  // namespace heddle
