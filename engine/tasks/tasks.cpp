// SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/task.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <map>

namespace heddle {
namespace {

using Make = std::unique_ptr<Task> (*)(const RunSpec&, const RunData&);

const std::map<std::string, Make> kTasks{
    {"translation", makeTranslationTask},
    {"mlm", makeMaskedLanguageTask},
    {"denoise", makeMaskedLanguageTask},
    {"causal_lm", makeCausalLanguageTask},
    {"classify", makeClassTask},
    {"image", makeClassTask},
    {"regress", makeNumberTask},
    {"tag", makeTagTask},
    {"span", makeSpanTask},
};

/// Rows of x_RW that are asked for. On the way back torch would add them up, in deterministic mode after sorting them on a
/// device; but positions ascend, and one that comes again (roundedUp) has a target that no loss counts, so a gradient of 0.
class AskedRows : public torch::autograd::Function<AskedRows> {
public:
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x_RW,
                              const at::Tensor& positions_N) {
        context->save_for_backward({positions_N});
        context->saved_data["rows"] = x_RW.size(0);
        return x_RW.index_select(0, positions_N);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const at::Tensor positions_N = context->get_saved_variables()[0], dy_NW = gradients[0].contiguous();
        const at::Tensor dx_RW = at::zeros({context->saved_data["rows"].toInt(), dy_NW.size(1)}, dy_NW.options());
        if (const CudaKernels* const kernels = kernelsFor({dy_NW}))
            kernels->scatterRows({dy_NW.size(0), dy_NW.size(1), readFrom(dy_NW), writeTo(dx_RW), elementTypeOf(dy_NW),
                                  positions_N.const_data_ptr<std::int64_t>()},
                                 dy_NW.get_device());
        else
            at::Tensor(dx_RW).index_add_(0, positions_N, dy_NW);
        return {dx_RW, at::Tensor()};
    }
};

}  // namespace

std::unique_ptr<Task> makeTask(const RunSpec& spec, const RunData& data) {
    const auto found = kTasks.find(spec.data.task);
    if (found == kTasks.end()) throwInvalid("unknown task \"" + spec.data.task + "\"", "data.task", "see heddle train --help");
    return found->second(spec, data);
}

at::Tensor Task::answers(const Model& model, const DeviceBatch& batch, const Forward& f) const {
    return model.logits(asked(model, batch, f));
}

LossSums Task::lossWithGradient(const at::Tensor& answers, const DeviceBatch& batch, const LossOptions& options) const {
    return crossEntropyWithGradient(answers, batch.targets_N, options);
}

LossSums Task::loss(const at::Tensor& answers, const DeviceBatch& batch) const {
    return crossEntropy(answers, batch.targets_N, {});
}

std::string Task::lossSignature(double smoothing) const {
    return "ce:nats|smoothing:" + canonicalJson(smoothing) + "|per:token";
}

std::string Task::accuracySignature() const { return "teacher-forced|per:token"; }

Predictions roomFor(const EncodedCorpus& corpus) {
    const auto count = static_cast<std::size_t>(corpus.size());
    Predictions predictions;
    predictions.classes.resize(count);
    predictions.numbers.resize(count);
    predictions.words.resize(count);
    predictions.spans.resize(count);
    predictions.losses.resize(count);
    return predictions;
}

at::Tensor encodeBatch(const Model& model, const DeviceBatch& batch, const Forward& f) {
    const at::Tensor& read = batch.patches_BSP.defined() ? batch.patches_BSP : batch.source_BS;
    return model.encode({read, batch.types_BS, batch.sourcePadding}, f);
}

at::Tensor rowsAtPositions(const at::Tensor& hidden_BSW, const DeviceBatch& batch) {
    at::Tensor rows_RW = hidden_BSW.flatten(0, 1);
    const bool asksForAll = batch.positions_N.size(0) == rows_RW.size(0);  // then they are 0, 1, 2, …: nothing to gather
    return asksForAll ? rows_RW : AskedRows::apply(rows_RW, batch.positions_N);
}

at::Tensor pooledLogits(const Model& model, const at::Tensor& hidden_BSW, const DeviceBatch& batch, const Forward& f) {
    const at::Tensor& read = batch.patches_BSP.defined() ? batch.patches_BSP : batch.source_BS;
    return model.logits(model.pool(hidden_BSW, read, f));
}

void addValue(TaskScores& scores, const MetricValue& value) {
    if (!std::isnan(value.value)) scores.values.push_back({value.name, value.value, value.signature, value.n});
    if (!value.warning.empty()) scores.warnings.push_back(value.name + ": " + value.warning);
}

LossSums differentiated(const at::Tensor& answers, const std::function<at::Tensor(const at::Tensor&)>& scaled) {
    const at::AutoGradMode withGradient(true);
    const at::Tensor leaf = answers.detach().to(at::kFloat).requires_grad_();
    LossSums sums;
    sums.objective = scaled(leaf);
    sums.objective.backward();
    sums.objective = sums.objective.detach();
    sums.gradient = leaf.grad().to(answers.scalar_type());
    return sums;
}

std::vector<std::int64_t> likeliestClasses(const Answered& answered) {
    const at::Tensor chosen_N = answered.best_N.defined() ? answered.best_N : answered.answers.argmax(1);
    const at::Tensor best_N = chosen_N.to(at::kCPU).contiguous();
    return {best_N.const_data_ptr<std::int64_t>(), best_N.const_data_ptr<std::int64_t>() + best_N.numel()};
}

}  // namespace heddle
