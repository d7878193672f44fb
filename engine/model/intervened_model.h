// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/forwarding_model.h"
#include "engine/model/intervening_taps.h"

#include <utility>
#include <vector>

namespace heddle {

/// Applies a list of interventions to every forward pass of a model. Training, evaluation, decoding and telemetry use it like
/// any other model. It shares the weights of `model`, which must outlive it; NeutralWeights must set the weights of neutral
/// blocks. An empty list changes nothing; with any other list devices do not capture the steps.
class IntervenedModel final : public ForwardingModel {
public:
    /// `means`: of every MeanOutput in the list. A ResampleOutput needs passes over whole batches: decoding steps have other
    /// rows.
    explicit IntervenedModel(Model& model, const std::vector<Intervention>& interventions = {}, const OutputMeans& means = {});
    /// Changes nothing and adds the outputs of every pass to `sums`, which must outlive this.
    IntervenedModel(Model& model, OutputSums& sums);

    /// Replaces the list, which must have no MeanOutput. No decoding may be in progress.
    void set(const std::vector<Intervention>& interventions);

    at::Tensor encode(const ModelInput& source, const Forward& f) const override;
    at::Tensor decode(const ModelInput& target, const Memory& memory, const Forward& f) const override;
    std::unique_ptr<DecodingState> startDecoding(const Memory& memory, DecodingMemory kept) const override;
    using Model::startDecoding;
    std::unique_ptr<ReplayableState> makeReplayableState(std::int64_t capacity) const override;
    std::string stepCaptureObstacle() const override { return isChanged_ ? obstacle() : inner().stepCaptureObstacle(); }
    std::string captureObstacle() const override { return isChanged_ ? obstacle() : inner().captureObstacle(); }
    at::Tensor pool(const at::Tensor& hidden_BSW, const at::Tensor& ids_BS, const Forward& f) const override;

private:
    static std::string obstacle() { return "interventions change its passes"; }

    TapChanges changes_;
    OutputSums* sums_ = nullptr;
    bool isChanged_ = false;
};

/// During its lifetime the parameters of a list's neutral blocks have their neutral values and get no gradients; afterwards
/// they have their former values again. One thread at a time.
class NeutralWeights {
public:
    /// Throws Error(Usage) for a block whose settings leave out a parameter that makes it neutral.
    NeutralWeights(Model& model, const std::vector<Intervention>& interventions);
    ~NeutralWeights();
    NeutralWeights(const NeutralWeights&) = delete;
    NeutralWeights& operator=(const NeutralWeights&) = delete;

private:
    struct Changed {
        at::Tensor parameter, before;
        bool hadGradient = false;
    };
    std::vector<Changed> changed_;
};

}  // namespace heddle
