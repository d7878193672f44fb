// SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/task.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/reduced.h"
#include "engine/spec/task_kinds.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <map>

// The one explicit list of tasks: TASK(id, Name), and the task's file defines makeNameTask().
#define HEDDLE_TASKS(TASK)            \
    TASK("translation", Translation)  \
    TASK("mlm", MaskedLanguage)       \
    TASK("denoise", Denoising)        \
    TASK("causal_lm", CausalLanguage) \
    TASK("classify", Class)           \
    TASK("image", Image)              \
    TASK("regress", Number)           \
    TASK("tag", Tag)                  \
    TASK("span", Span)

namespace heddle {

#define HEDDLE_DECLARE_TASK(id, Name) std::unique_ptr<Task> make##Name##Task(const RunSpec& spec, const RunData& data);
HEDDLE_TASKS(HEDDLE_DECLARE_TASK)

namespace {

/// Rows of x_RW at some positions. In the backward pass torch would add up the gradients of a position, in deterministic mode
/// after sorting them on a device. Here nothing must be added: positions ascend, and a repeated one (roundedUp) has an ignored
/// target, so its gradient is 0.
class RowsAt : public torch::autograd::Function<RowsAt> {
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
        if (const CudaKernels* const kernels = kernelsFor(OwnKernel::CudaRows, {dy_NW}))
            kernels->scatterRows({dy_NW.size(0), dy_NW.size(1), readFrom(dy_NW), writeTo(dx_RW), elementTypeOf(dy_NW),
                                  positions_N.const_data_ptr<std::int64_t>()},
                                 dy_NW.get_device());
        else
            at::Tensor(dx_RW).index_add_(0, positions_N, dy_NW);
        return {dx_RW, at::Tensor()};
    }
};

/// Whether the batch's positions are those of all rows in their order: there is nothing to gather.
bool hasAllRows(const DeviceBatch& batch, const at::Tensor& hidden_BSW) {
    return batch.positions_N.size(0) == hidden_BSW.size(0) * hidden_BSW.size(1);
}

}  // namespace

std::unique_ptr<Task> makeTask(const RunSpec& spec, const RunData& data) {
    using Make = std::unique_ptr<Task> (*)(const RunSpec&, const RunData&);
#define HEDDLE_MAKE_TASK(id, Name) {id, make##Name##Task},
    static const std::map<std::string, Make> kMakers{HEDDLE_TASKS(HEDDLE_MAKE_TASK)};
    const auto found = kMakers.find(spec.data.task);
    if (found == kMakers.end()) throwInvalid("unknown task \"" + spec.data.task + "\"", "data.task", "see heddle train --help");
    std::unique_ptr<Task> task = found->second(spec, data);
    if (!visibleAnswerWarning(spec).empty()) task->caveat_ = kVisibleAnswer;
    return task;
}

at::Tensor Task::logits(const Model& model, const DeviceBatch& batch, const Forward& f) const {
    return model.logits(headInput(model, batch, f));
}

LossSums Task::lossWithGradient(const at::Tensor& logits, const DeviceBatch& batch, const LossOptions& options) const {
    return crossEntropyWithGradient(logits, batch.labels_N, options);
}

LossSums Task::loss(const at::Tensor& logits, const DeviceBatch& batch) const {
    return crossEntropy(logits, batch.labels_N, {});
}

std::string Task::lossSignature(double smoothing) const {
    return "ce:nats|smoothing:" + canonicalJson(smoothing) + "|per:token";
}

std::string Task::accuracySignature() const { return "teacher-forced|per:token"; }

std::unique_ptr<Predictions> Task::predictions(const EncodedCorpus&, PredictionUse) const {
    return std::make_unique<Predictions>();
}

at::Tensor encodeBatch(const Model& model, const DeviceBatch& batch, const Forward& f) {
    return model.encode(batch.source(), f);
}

at::Tensor rowsAtPositions(const at::Tensor& hidden_BSW, const DeviceBatch& batch) {
    at::Tensor rows_RW = hidden_BSW.flatten(0, 1);
    return hasAllRows(batch, hidden_BSW) ? rows_RW : RowsAt::apply(rows_RW, batch.positions_N);
}

at::Tensor headRows(const Model& model, const at::Tensor& hidden_BSW, const DeviceBatch& batch) {
    const bool takesCopy = hasAllRows(batch, hidden_BSW) && model.headReadsReduced() && hasOfferedCopy(hidden_BSW);
    return rowsAtPositions(takesCopy ? reduced(hidden_BSW) : hidden_BSW, batch);
}

at::Tensor pooledLogits(const Model& model, const at::Tensor& hidden_BSW, const DeviceBatch& batch, const Forward& f) {
    const ModelInput& source = batch.source();
    // On the CPU the means of rows with and without padding are computed alike: a row's last digits do not depend on others.
    const bool isPadded = source.padding != Padding::None || !hidden_BSW.is_cuda();
    return model.logits(model.pool(hidden_BSW, isPadded ? source.ids_BS : at::Tensor(), f));
}

void addMetric(TaskMetrics& metrics, const MetricValue& value) {
    if (!std::isnan(value.value)) metrics.values.push_back({value.name, value.value, value.signature, value.n});
    if (!value.warning.empty()) metrics.warnings.push_back(value.name + ": " + value.warning);
}

LossSums differentiated(const at::Tensor& logits, const std::function<at::Tensor(const at::Tensor&)>& scaled) {
    const at::AutoGradMode withGradient(true);
    const at::Tensor leaf = logits.detach().to(at::kFloat).requires_grad_();
    LossSums sums;
    sums.objective = scaled(leaf);
    sums.objective.backward();
    sums.objective = sums.objective.detach();
    sums.gradient = leaf.grad().to(logits.scalar_type());
    return sums;
}

std::vector<std::int64_t> likeliestClasses(const Outputs& outputs) {
    const at::Tensor chosen_N = outputs.best_N.defined() ? outputs.best_N : outputs.logits.argmax(1);
    const at::Tensor best_N = chosen_N.to(at::kCPU).contiguous();
    return {best_N.const_data_ptr<std::int64_t>(), best_N.const_data_ptr<std::int64_t>() + best_N.numel()};
}

}  // namespace heddle
