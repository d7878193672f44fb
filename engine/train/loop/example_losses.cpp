// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/example_losses.h"

#include "engine/device/torch_pch.h"

namespace heddle {
namespace {

/// The row of the batch that a label belongs to: that of its position where labels have positions. Otherwise labels follow
/// the rows; spans have the beginnings of all rows, then their ends.
std::int64_t rowOf(const Batch& batch, std::int64_t label) {
    if (batch.positions.empty()) return label % batch.rows;
    const std::int64_t width = batch.targetWidth > 0 ? batch.targetWidth : batch.sourceWidth;
    return batch.positions[static_cast<std::size_t>(label)] / width;
}

}  // namespace

void addExampleLosses(const EncodedCorpus& corpus, const Batch& batch, const LossSums& loss,
                      std::vector<SentenceLoss>& examples) {
    const at::Tensor nats_N = loss.nll_N.to(at::kCPU, at::kDouble).contiguous();
    const at::Tensor best_N = loss.best_N.to(at::kCPU).contiguous();
    for (std::int64_t label = 0; label < nats_N.numel(); ++label) {
        const std::int64_t row = batch.indices[static_cast<std::size_t>(rowOf(batch, label))];
        SentenceLoss& sum = examples[static_cast<std::size_t>(corpus.exampleOf(row))];
        sum.nats += nats_N.const_data_ptr<double>()[label];
        sum.correct += best_N.const_data_ptr<std::int64_t>()[label] == batch.labels[static_cast<std::size_t>(label)] ? 1 : 0;
        ++sum.tokens;
    }
}

}  // namespace heddle
