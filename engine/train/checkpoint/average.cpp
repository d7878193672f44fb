// SPDX-License-Identifier: Apache-2.0
#include "engine/train/checkpoint/average.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/links.h"
#include "engine/base/sha256.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/checkpoint/safetensors.h"

#include <utility>

namespace heddle {
namespace {

/// What two checkpoints must agree in for their weights to mean the same.
void requireSameModel(const Json& identity, const Json& other, const std::string& where) {
    for (const char* key : {"variant_hash", "tokenizer_hashes", "classes_hash"})
        if (identity.value(key, Json()) != other.value(key, Json()))
            throwInvalid(std::string("the checkpoints belong to different models: they differ in ") + key, where,
                         "average checkpoints of one variant and one vocabulary");
}

CheckpointWritten writeWeights(const std::string& file, const NamedTensors& weights) {
    const std::string bytes = SafetensorsImage(weights).joined();
    writeFileAtomically(file, bytes, Readers::Umask);
    CheckpointWritten written;
    written.weightsSha256 = sha256Hex(bytes);
    written.bytes = bytes.size();
    return written;
}

}  // namespace

void WeightMean::add(NamedTensors weights, const std::string& where) {
    if (count_ > 0) requireSameForm(last_, weights, where);
    requireFinite(weights, where);
    const at::NoGradGuard noGrad;
    for (const auto& [name, tensor] : weights) {
        if (!tensor.is_floating_point()) continue;
        at::Tensor& sum = sums_[name];
        if (sum.defined())
            sum.add_(tensor);
        else
            sum = tensor.to(at::kDouble, /*non_blocking=*/false, /*copy=*/true);
    }
    last_ = std::move(weights);
    ++count_;
}

NamedTensors WeightMean::mean() const {
    NamedTensors mean = last_;
    for (const auto& [name, sum] : sums_) {
        at::Tensor& tensor = mean.at(name);
        tensor = (sum / static_cast<double>(count_)).to(tensor.scalar_type());
    }
    return mean;
}

CheckpointWritten averageCheckpoints(const AverageRequest& request) {
    const auto folderOf = [&](std::int64_t step) {
        requireNoLink(request.runFolder, checkpointName(step));
        return request.runFolder + "/" + checkpointName(step);
    };
    Checkpoint average = readCheckpointState(folderOf(request.steps.back()));
    average.averaged = request.steps;
    WeightMean mean;
    for (const std::int64_t step : request.steps) {
        const std::string folder = folderOf(step);
        requireSameModel(average.identity, readCheckpointIdentity(folder), folder);
        mean.add(readCheckpointWeights(folder), folder);
    }
    average.weights = mean.mean();
    if (!request.file.empty()) return writeWeights(request.file, average.weights);
    CheckpointWritten written = writeCheckpoint(request.runFolder, average);
    written.kinds = {averageName(request.steps)};
    return written;
}

}  // namespace heddle
