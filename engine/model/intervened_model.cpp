// SPDX-License-Identifier: Apache-2.0
#include "engine/model/intervened_model.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/variant_spec.h"

namespace heddle {
namespace {

/// A forward pass with the changes; taps that watch it already see the changed values.
class InterventionPath {
public:
    /// `ids_BS`: what the pass reads, tokens or patches; undefined: there is no padding.
    InterventionPath(const TapChanges& changes, const Forward& f, OutputSums* sums = nullptr, const at::Tensor& ids_BS = {})
        : taps_(changes, {f.taps, sums, sums || changes.readsPadding() ? paddingAmong(ids_BS) : at::Tensor()}), forward_(f) {
        forward_.taps = &taps_;
    }
    InterventionPath(const InterventionPath&) = delete;
    InterventionPath& operator=(const InterventionPath&) = delete;
    operator const Forward&() const { return forward_; }

private:
    static at::Tensor paddingAmong(const at::Tensor& ids_BS) {
        const bool areTokens = ids_BS.defined() && at::isIntegralType(ids_BS.scalar_type(), /*includeBool=*/false);
        return areTokens ? ids_BS.eq(kPad) : at::Tensor();
    }

    InterveningTaps taps_;
    Forward forward_;
};

/// Returns the ids if there may be padding among them; else an undefined tensor.
at::Tensor paddedIds(const ModelInput& input) { return input.padding != Padding::None ? input.ids_BS : at::Tensor(); }

class IntervenedState final : public DecodingState {
public:
    IntervenedState(std::unique_ptr<DecodingState> state, const TapChanges& changes)
        : state_(std::move(state)), changes_(changes) {}

    at::Tensor step(const at::Tensor& ids_BT, const Forward& f) override {
        return state_->step(ids_BT, InterventionPath(changes_, f));
    }
    void reorder(const std::vector<std::int64_t>& rows) override { state_->reorder(rows); }
    std::int64_t length() const override { return state_->length(); }

private:
    std::unique_ptr<DecodingState> state_;
    const TapChanges& changes_;
};

/// The parameters of a block with the values that make it as good as absent.
std::vector<std::pair<std::string, double>> neutralParameters(const ResolvedVariant& variant, const std::string& block) {
    std::vector<std::pair<std::string, double>> values;
    forEachBlock(variant, [&](const std::string& path, const std::string& slot, const BlockChoice& choice, const auto&) {
        if (path != block) return;
        for (const auto& [name, value] : builtinCatalogue().at(slot, choice.id).neutral)
            values.emplace_back(path + "." + name, value);
    });
    return values;
}

}  // namespace

IntervenedModel::IntervenedModel(Model& model, const std::vector<Intervention>& interventions, const OutputMeans& means)
    : ForwardingModel(model), changes_(interventions, model.variant(), means), isChanged_(!interventions.empty()) {}

IntervenedModel::IntervenedModel(Model& model, OutputSums& sums) : ForwardingModel(model), sums_(&sums), isChanged_(true) {}

void IntervenedModel::set(const std::vector<Intervention>& interventions) {
    changes_ = TapChanges(interventions, inner().variant());
    isChanged_ = !interventions.empty();
}

at::Tensor IntervenedModel::encode(const ModelInput& source, const Forward& f) const {
    if (!isChanged_) return inner().encode(source, f);
    return inner().encode(source, InterventionPath(changes_, f, sums_, paddedIds(source)));
}

at::Tensor IntervenedModel::decode(const ModelInput& target, const Memory& memory, const Forward& f) const {
    if (!isChanged_) return inner().decode(target, memory, f);
    return inner().decode(target, memory, InterventionPath(changes_, f, sums_, paddedIds(target)));
}

at::Tensor IntervenedModel::pool(const at::Tensor& hidden_BSW, const at::Tensor& ids_BS, const Forward& f) const {
    if (!isChanged_) return inner().pool(hidden_BSW, ids_BS, f);
    return inner().pool(hidden_BSW, ids_BS, InterventionPath(changes_, f, sums_, ids_BS));
}

std::unique_ptr<DecodingState> IntervenedModel::startDecoding(const Memory& memory, DecodingMemory kept) const {
    if (!isChanged_) return inner().startDecoding(memory, kept);
    return std::make_unique<IntervenedState>(inner().startDecoding(memory, kept), changes_);
}

std::unique_ptr<ReplayableState> IntervenedModel::makeReplayableState(std::int64_t capacity) const {
    TORCH_INTERNAL_ASSERT(!isChanged_, "this model's steps cannot be captured");
    return inner().makeReplayableState(capacity);
}

NeutralWeights::NeutralWeights(Model& model, const std::vector<Intervention>& interventions) {
    const at::NoGradGuard noGrad;
    std::vector<std::pair<at::Tensor, double>> values;
    for (const Intervention& intervention : interventions) {
        const auto* const neutral = std::get_if<NeutralBlock>(&intervention);
        if (!neutral) continue;
        for (const auto& [path, value] : neutralParameters(model.variant(), neutral->path)) {
            const at::Tensor parameter = model.parameters().find(path);
            if (!parameter.defined())
                throw Error(ErrorCode::Usage, "with its settings the block " + neutral->path + " has no parameter " + path,
                            "--neutral", "clamp one of its exposures instead, or choose another block");
            values.emplace_back(parameter, value);
        }
    }
    for (const auto& [parameter, value] : values) {
        changed_.push_back({parameter, parameter.clone(), parameter.requires_grad()});
        parameter.fill_(value);
        parameter.set_requires_grad(false);
    }
}

NeutralWeights::~NeutralWeights() {
    const at::NoGradGuard noGrad;
    for (const Changed& one : changed_) {
        one.parameter.copy_(one.before);
        one.parameter.set_requires_grad(one.hadGradient);
    }
}

}  // namespace heddle
