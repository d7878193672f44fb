// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/fusing.h"
#include "engine/blocks/incremental.h"
#include "engine/kernels/carried_weights.h"
#include "engine/model/mixer.h"
#include "engine/model/module_part.h"

#include <string>
#include <vector>

namespace heddle {

/// The blocks of one attention, in the order of evaluation. The scorer applies `relative`.
struct AttentionParts {
    ModulePart<Mask> mask;
    ModulePart<RelativePosition> relative;
    ModulePart<Scorer> scorer;
    ModulePart<ScoreRule> rule;
    ModulePart<LogitCap> cap;
    ModulePart<Selector> selector;
    ModulePart<Normaliser> normaliser;
    ModulePart<ValueCarry> valueCarry;
    ModulePart<Value> value;
    ModulePart<DirectPath> direct;
    ModulePart<Combine> combine;
    ModulePart<Dropout> dropout;
};

/// The place of an attention.
struct AttentionPlace {
    std::string path;            ///< "encoder.layers.0.self"
    std::string name;            ///< "self", "cross" or "star": attentions of one name in a stack share a chain of scores
    bool carriesScores = false;  ///< some layer of that name reads scores of earlier layers
    bool hasOneRule = false;     ///< all layers of that name have the same score rule with the same options
    bool carriesValues = false;  ///< some layer of that name reads values of earlier layers
};

/// Attention: scores, carried scores, cap, mask, selector, weights, dropout, values with carried ones; then the direct path and
/// its combination (StarSaber). The tap "<sublayer path>.weight" exposes the weights.
class Attention final : public Mixer {
public:
    Attention(AttentionPlace place, AttentionParts parts);

    BiasedProduct mix(const MixInput& of, const InnerAdjuster* inner, const MixContext& context,
                      const Forward& f) const override;
    std::vector<const Linear*> inputMaps() const override { return parts_.direct->maps(); }
    std::vector<const Linear*> memoryMaps() const override { return isCross() ? mapsOfKeys_ : std::vector<const Linear*>(); }
    std::string stepObstacle(Steps steps) const override;
    /// Lists of the parameters that the store keeps contiguous, because one product reads them (heddle::jointParameters);
    /// those of memoryMaps() are the stack's.
    std::vector<std::vector<at::Tensor>> jointParameters() const;

private:
    struct Inputs;
    bool isCross() const { return place_.name == "cross"; }
    LinearInput mapKeys(const at::Tensor& keys_BKD, const MixContext& context) const;
    at::Tensor weights(const Inputs& in, const Forward& f) const;
    at::Tensor weightsOf(const at::Tensor& raw_BHQK, const Inputs& in, const Forward& f) const;
    at::Tensor normalised(const at::Tensor& logits_BHQK, const Inputs& in, const Forward& f) const;
    Selector::Choice chosen(const at::Tensor& logits_BHQK, const Inputs& in, const Forward& f) const;
    const ScoreChain& earlier(const ScoreChain& chain, const Forward& f) const;
    at::Tensor carried(const Inputs& in, const at::Tensor& raw_BHQK, const Forward& f) const;
    at::Tensor carriedInOnePass(const Inputs& in, const at::Tensor& raw_BHQK, const Forward& f) const;
    BiasedProduct mixValues(const Inputs& in, const InnerAdjuster* inner, const Forward& f) const;
    at::Tensor mixCached(const Inputs& in, const InnerAdjuster* inner, const MixContext& context, const Forward& f) const;
    at::Tensor withCarried(const at::Tensor& own_BGKE, PassState& state, const Forward& f) const;
    BiasedProduct mixByReference(const Inputs& in, const InnerAdjuster* inner, const Forward& f) const;
    BiasedProduct mixByOneKernel(const Inputs& in, const InnerAdjuster* inner, const Forward& f) const;
    bool mayUseOneKernel(const Inputs& in, const Forward& f) const;
    void showTaps(const Inputs& in, const Forward& f) const;
    std::optional<CarriedTerm> carriedTerm(const Inputs& in, const Forward& f) const;
    BiasedProduct mixFused(const Inputs& in, const InnerAdjuster* inner, const Forward& f) const;
    at::Tensor mixDirectional(const Inputs& in, const Forward& f) const;
    at::Tensor maskedLogits(const at::Tensor& logits_BHQK, const Inputs& in, const Forward& f) const;
    bool mustUseReference(const Forward& f) const;
    bool weighsInOnePass(const at::Tensor& raw_BHQK, const Forward& f) const;
    CarriedWeights inOnePass(CarriedScores scores, const Forward& f) const;

    AttentionPlace place_;
    AttentionParts parts_;
    const IncrementalScorer* stepScorer_;  ///< incremental interfaces of scorer, value and rule; null: not supported
    const IncrementalValue* stepValue_;
    const IncrementalScoreRule* stepRule_;
    const AddingScoreRule* addingRule_;
    const KeyedDropout* keyedDropout_;
    const TanhCombining* tanh_;
    const OneHeadProduct* oneHead_;
    const DirectionalValues* directional_;
    std::vector<const Linear*> mapsOfKeys_;  ///< projections of the keys' input: keys, values, and in self-attention queries
};

}  // namespace heddle
