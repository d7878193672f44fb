// SPDX-License-Identifier: Apache-2.0
#include "engine/library/opened_model.h"

#include "engine/data/loading/run_data.h"
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/task_kinds.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/loop/identity.h"
#include "engine/train/loop/word_table.h"

#include <tuple>
#include <utility>

namespace heddle {
namespace {

/// The run's saved vocabularies (images have none) and classes, checked against the hashes in the checkpoint.
RunData savedData(const RunSpec& spec, const std::string& runFolder, const RecordedFiles& recorded) {
    const std::string folder = runFolder + "/tokenizer";
    RunData data;
    if (taskKind(spec.data.task).hasTokenizer())
        std::tie(data.sourceTokenizer, data.targetTokenizer) = loadTokenizers(folder, recorded);
    data.classes = loadClasses(folder, recorded);
    return data;
}

}  // namespace

OpenedModel openModel(const RunSpec& spec, const std::string& runFolder, const std::string& checkpointFolder,
                      const std::string& device) {
    const at::Device chosen = chooseDevice(device);
    configureComputeThread({static_cast<int>(spec.train.threads), spec.train.deterministic});
    const Json identity = readCheckpointIdentity(checkpointFolder);
    requireSameAnswers(identity, spec);
    RunData data = savedData(spec, runFolder, recordedFiles(identity, checkpointFolder));
    OpenedModel opened{spec, std::move(data), nullptr, nullptr, chosen, readingPrecisionFor(spec.train.precision, chosen)};
    const std::int64_t outputs = outputsFor(spec, std::ssize(opened.data.classes));
    opened.model = buildModel(spec.variant.resolve(opened.data.sourceWords(), opened.data.targetWords(), outputs), spec.seed);
    opened.task = makeTask(spec, opened.data);
    allowTensorFloat32(chosen, opened.precision);
    requireSameVectors(identity, spec, fillFrozenTables(*opened.model, spec, opened.data));
    const NamedTensors weights = readCheckpointWeights(checkpointFolder);
    requireFinite(weights, checkpointFolder);
    loadWeights(*opened.model, weights, checkpointFolder);
    opened.model->to(chosen);
    return opened;
}

}  // namespace heddle
