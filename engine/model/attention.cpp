// SPDX-License-Identifier: Apache-2.0
#include "engine/model/attention.h"

#include "engine/blocks/connections.h"
#include "engine/device/meta_device.h"
#include "engine/device/torch_pch.h"
#include "engine/device/torch_private.h"
#include "engine/kernels/added_objective.h"
#include "engine/kernels/directional_attention.h"
#include "engine/kernels/head_products.h"
#include "engine/kernels/short_attention.h"
#include "engine/spec/variant_spec.h"

namespace heddle {

namespace {

/// Uses torch's fused operators. The fast ones on a GPU support only a causal mask; elsewhere an additive mask is as fast and
/// also hides padding.
at::Tensor sdpa(const Scorer::Product& of, const at::Tensor& v_BHKE, const AttentionMask& mask) {
    const bool isCausal = v_BHKE.is_cuda() && mask.isCausal();
    std::optional<at::Tensor> bias;
    if (!isCausal && mask.bias().defined()) bias = mask.bias();
    if (v_BHKE.is_meta()) return torch_private::cpuAttention({of.q_BHQE, of.k_BHKE, v_BHKE, bias, of.scale});
    return at::scaled_dot_product_attention(of.q_BHQE, of.k_BHKE, v_BHKE, bias, 0.0, isCausal, of.scale);
}

}  // namespace

struct Attention::Inputs {
    LinearInput query, keys, values;  ///< equal in self-attention, unless a residual over depth feeds them apart
    const KeyMasks& masks;
    const AttentionMask& mask;
    PassState& state;
    at::Tensor carried_BHKE = {};  ///< the values with those of earlier layers, normed; undefined: the layer's own
};

Attention::Attention(AttentionPlace place, AttentionParts parts)
    : place_(std::move(place)),
      parts_(std::move(parts)),
      stepScorer_(dynamic_cast<const IncrementalScorer*>(parts_.scorer.get())),
      stepValue_(dynamic_cast<const IncrementalValue*>(parts_.value.get())),
      stepRule_(dynamic_cast<const IncrementalScoreRule*>(parts_.rule.get())),
      addingRule_(dynamic_cast<const AddingScoreRule*>(parts_.rule.get())),
      keyedDropout_(dynamic_cast<const KeyedDropout*>(parts_.dropout.get())),
      tanh_(dynamic_cast<const TanhCombining*>(parts_.combine.get())),
      oneHead_(dynamic_cast<const OneHeadProduct*>(parts_.scorer.get())),
      directional_(dynamic_cast<const DirectionalValues*>(parts_.value.get())),
      mapsOfKeys_(parts_.scorer->keyMaps()) {
    const auto alsoMade = [this](const std::vector<const Linear*>& maps) {
        mapsOfKeys_.insert(mapsOfKeys_.end(), maps.begin(), maps.end());
    };
    alsoMade(parts_.value->maps());
    if (!isCross()) alsoMade(parts_.scorer->queryMaps());
}

std::vector<std::vector<at::Tensor>> Attention::jointParameters() const {
    return isCross() ? std::vector<std::vector<at::Tensor>>() : heddle::jointParameters(mapsOfKeys_);
}

std::string Attention::stepObstacle(Steps steps) const {
    const auto obstacle = [this](const std::string& what) { return place_.path + ": " + what; };
    if (!stepScorer_) return obstacle("its scorer needs whole sequences");
    if (!stepValue_) return obstacle("its values need whole sequences");
    if (parts_.selector->selects()) return obstacle("its selector needs whole sequences");
    if (!isCross() && !parts_.mask->hidesFuture() && !parts_.scorer->givesWeights())
        return obstacle("its mask shows later positions, so that earlier ones change with every new token");
    if (!place_.carriesScores) return {};
    if (!stepRule_) return obstacle("its score rule needs whole sequences");
    using Keys = IncrementalScoreRule::Keys;
    const Keys ownKeys = steps == Steps::Replayed ? Keys::Roomy : Keys::Growing;
    const std::string ofRule = stepRule_->stepObstacle(isCross() ? Keys::Fixed : ownKeys);
    return ofRule.empty() ? ofRule : obstacle(ofRule);
}

BiasedProduct Attention::mix(const MixInput& of, const InnerAdjuster* inner, const MixContext& context,
                             const Forward& f) const {
    const ModuleScope scope(parts_.mask.path());  // of what no other part does: masks, and scores that they fill
    const KeyMasks& masks = *(isCross() ? context.cross : context.self);
    const at::Tensor& u_BSD = of.u_BSD;
    const bool isApart = !isCross() && of.k_BSD.defined();
    const at::Tensor& keys_BKD = isCross() ? context.memory_BKD : isApart ? of.k_BSD : u_BSD;
    const bool mapsOneByOne = context.cache || f.path == Forward::Path::Reference || isApart;
    const LinearInput keys = mapsOneByOne ? LinearInput(keys_BKD) : mapKeys(keys_BKD, context);
    const LinearInput values = isApart ? LinearInput(of.v_BSD) : keys;
    Inputs in{isCross() || isApart ? LinearInput(u_BSD) : keys, keys, values, masks, masks.of(*parts_.mask), *context.state};
    if (place_.carriesValues && !context.cache) in.carried_BHKE = withCarried(parts_.value->heads(values), in.state, f);
    const BiasedProduct values_BSD = context.cache ? BiasedProduct(mixCached(in, inner, context, f)) : mixValues(in, inner, f);
    const at::Tensor direct_BSD = parts_.direct->path(context.input);
    if (!parts_.combine->combines() && !direct_BSD.defined()) return values_BSD;
    const at::Tensor mixed_BSD = values_BSD;
    const Combine::Inputs combined{mixed_BSD, direct_BSD, u_BSD, context.input.x(), context.state->cell};
    if (of.beforeTanh && tanh_) {
        const ModuleScope ofCombine(parts_.combine.path());
        *of.beforeTanh = tanh_->beforeTanh(combined, f);
        if (*of.beforeTanh) return {};
    }
    return parts_.combine->combine(combined, f);
}

LinearInput Attention::mapKeys(const at::Tensor& keys_BKD, const MixContext& context) const {
    if (isCross() && context.memory.x().defined()) return context.memory;
    const ModuleScope scope(parts_.scorer.path());
    return {keys_BKD, mapsOfKeys_};
}

/// Attends to the cache, to which the new positions are appended; the memory is cached at the first position.
at::Tensor Attention::mixCached(const Inputs& in, const InnerAdjuster* inner, const MixContext& context,
                                const Forward& f) const {
    CachedAttention& cached = context.cache->next(isCross() ? CachedAttention::Of::Memory : CachedAttention::Of::Stream);
    const StepPosition& queries = context.position;
    if (!isCross() || cached.keys.empty()) {
        const StepPosition keys = isCross() ? StepPosition{} : queries;
        cached.keys.append(stepScorer_->keep(in.keys.x(), keys), keys);
        const at::Tensor own_BGKE = stepValue_->keep(in.values.x());
        const at::Tensor values_BGKE =
            place_.carriesValues ? withCarried(own_BGKE, in.state, f) : parts_.value->normedValues(own_BGKE);
        cached.values.append(values_BGKE, keys);
    }
    const at::Tensor raw_BHQK = stepScorer_->scoreCached(in.query.x(), queries, cached.keys.all(), f);
    const at::Tensor mixing_BHQK = f.pass(place_.path, kMixingWeight, weightsOf(raw_BHQK, in, f));
    return stepValue_->mixCached(mixing_BHQK, {cached.values.all(), queries.onDevice_1}, inner, f);
}

/// Mixes values with those of earlier layers, and lets later layers read them. The norm of the values follows.
at::Tensor Attention::withCarried(const at::Tensor& own_BGKE, PassState& state, const Forward& f) const {
    ValueChain& chain = state.values[place_.name];
    const at::Tensor mixed_BGKE = parts_.valueCarry->mixed(own_BGKE, chain, f);
    chain.push_back(own_BGKE);
    return parts_.value->normedValues(mixed_BGKE);
}

BiasedProduct Attention::mixValues(const Inputs& in, const InnerAdjuster* inner, const Forward& f) const {
    if (BiasedProduct mixed = mixByOneKernel(in, inner, f); mixed.y.defined()) return mixed;
    if (mustUseReference(f)) return mixByReference(in, inner, f);
    BiasedProduct fused = mixDirectional(in, f);
    if (!fused.y.defined()) fused = mixFused(in, inner, f);
    if (!fused.y.defined()) return mixByReference(in, inner, f);
    if (f.wants(place_.path, kAttentionWeight) || parts_.scorer->isWatched(f)) {
        const at::NoGradGuard forTheTapsAlone;
        weights(in, f);
    }
    return fused;
}

bool Attention::mustUseReference(const Forward& f) const {
    return f.path == Forward::Path::Reference || place_.carriesScores || !parts_.normaliser->isSoftmax() ||
           parts_.cap->caps() || parts_.selector->selects() || parts_.dropout->dropsAttention(f) ||
           f.replaces(place_.path, kAttentionWeight) || f.replaces(place_.path, kMixingWeight) || parts_.scorer->isReplaced(f);
}

at::Tensor Attention::weights(const Inputs& in, const Forward& f) const {
    return weightsOf(parts_.scorer->score(in.query, in.keys, f), in, f);
}

/// The weights after dropout.
at::Tensor Attention::weightsOf(const at::Tensor& raw_BHQK, const Inputs& in, const Forward& f) const {
    const ModulePart<Dropout>& dropout = parts_.dropout;
    if (parts_.scorer->givesWeights()) return dropout->attention(f.pass(place_.path, kAttentionWeight, raw_BHQK), f);
    if (place_.carriesScores) return carried(in, raw_BHQK, f);
    const at::Tensor nothing;
    if (weighsInOnePass(raw_BHQK, f)) return inOnePass({raw_BHQK, nothing, in.mask.hidden()}, f).dropped;
    return dropout->attention(normalised(maskedLogits(raw_BHQK, in, f), in, f), f);
}

at::Tensor Attention::maskedLogits(const at::Tensor& logits_BHQK, const Inputs& in, const Forward& f) const {
    const at::Tensor capped_BHQK = parts_.cap->caps() ? parts_.cap->capped(logits_BHQK, f) : logits_BHQK;
    return in.mask.hidden().defined() ? capped_BHQK.masked_fill(in.mask.hidden(), kHiddenScore) : capped_BHQK;
}

bool Attention::weighsInOnePass(const at::Tensor& raw_BHQK, const Forward& f) const {
    return f.path != Forward::Path::Reference && parts_.normaliser->isSoftmax() && !parts_.cap->caps() &&
           !parts_.selector->selects() && takesScores(raw_BHQK);
}

/// With dropout if enabled; taps see, and may replace, the weights before dropout.
CarriedWeights Attention::inOnePass(CarriedScores scores, const Forward& f) const {
    const bool dropsThere = keyedDropout_ && parts_.dropout->dropsAttention(f) && !f.replaces(place_.path, kAttentionWeight);
    if (dropsThere) {
        const KeyedDropout::Draw draw = keyedDropout_->attentionDraw(f);
        scores.key = draw.key, scores.p = draw.p;
    }
    CarriedWeights made = carriedWeights(scores);
    made.weights = f.pass(place_.path, kAttentionWeight, made.weights);
    if (!dropsThere) made.dropped = parts_.dropout->attention(made.weights, f);
    return made;
}

/// The weights of the keys chosen by the selector, scaled, plus its additional weights.
at::Tensor Attention::normalised(const at::Tensor& logits_BHQK, const Inputs& in, const Forward& f) const {
    if (!parts_.selector->selects()) return f.pass(place_.path, kAttentionWeight, parts_.normaliser->normalise(logits_BHQK));
    const Selector::Choice choice = chosen(logits_BHQK, in, f);
    // A row without chosen keys has zero weights.
    const at::Tensor left_BHQK = parts_.normaliser->normalise(logits_BHQK.masked_fill(choice.hidden_BHQK, kHiddenScore));
    const at::Tensor weights_BHQK = f.pass(place_.path, kAttentionWeight, left_BHQK.masked_fill(choice.hidden_BHQK, 0));
    const at::Tensor mixing_BHQK = choice.scale_BHQ1 * weights_BHQK + choice.rest_BHQK;
    return choice.objective.defined() ? withObjective(mixing_BHQK, choice.objective) : mixing_BHQK;
}

Selector::Choice Attention::chosen(const at::Tensor& logits_BHQK, const Inputs& in, const Forward& f) const {
    const auto product = parts_.scorer->product(in.query, in.keys);
    const at::Tensor v_BHKE = parts_.value->heads(in.values);
    TORCH_INTERNAL_ASSERT(product && v_BHKE.defined(), "the rules let a selector stand beside this scorer or value");
    const auto dense = [&] {
        const at::NoGradGuard noGrad;
        return parts_.normaliser->normalise(logits_BHQK);
    };
    const at::Tensor normed_BHKE = parts_.value->normedValues(v_BHKE);
    return parts_.selector->choose({product->q_BHQE, product->k_BHKE, product->scale, normed_BHKE, in.mask.hidden(),
                                    in.masks.padding(), parts_.mask->hidesFuture(), dense},
                                   f);
}

/// What the rule reads of earlier layers; in the first layer, and where the carry is cut, nothing.
const ScoreChain& Attention::earlier(const ScoreChain& chain, const Forward& f) const {
    static const ScoreChain kNothing;
    return isCut(f, place_.path, kScoreCarry) ? kNothing : chain;
}

/// The same with carried scores; carried scores are never masked.
at::Tensor Attention::carried(const Inputs& in, const at::Tensor& raw_BHQK, const Forward& f) const {
    ScoreChain& chain = in.state.chains[place_.name];
    if (at::Tensor fused_BHQK = carriedInOnePass(in, raw_BHQK, f); fused_BHQK.defined()) return fused_BHQK;
    const ScoreRule::Sum sum = parts_.rule->add(raw_BHQK, {earlier(chain, f), in.mask.hidden()}, f);
    const at::Tensor weights_BHQK = normalised(maskedLogits(sum.logits, in, f), in, f);
    chain.push_back({raw_BHQK, sum.carried, weights_BHQK, parts_.rule.get()});
    return parts_.dropout->attention(weights_BHQK, f);
}

/// Undefined if rule, normaliser or scores do not support the fused path.
at::Tensor Attention::carriedInOnePass(const Inputs& in, const at::Tensor& raw_BHQK, const Forward& f) const {
    if (!addingRule_ || !weighsInOnePass(raw_BHQK, f)) return {};
    const ModuleScope scope(parts_.rule.path());
    ScoreChain& chain = in.state.chains[place_.name];
    const auto added = addingRule_->added(raw_BHQK, {earlier(chain, f), in.mask.hidden()}, f);
    if (!added) return {};
    const bool keepsSum = added->keepsSum || !place_.hasOneRule;  // another rule may read it
    CarriedWeights made = inOnePass({raw_BHQK, added->added_BHQK, in.mask.hidden(), added->divisor, keepsSum}, f);
    chain.push_back({raw_BHQK, made.sum, made.weights, parts_.rule.get()});
    return made.dropped;
}

BiasedProduct Attention::mixByReference(const Inputs& in, const InnerAdjuster* inner, const Forward& f) const {
    const at::Tensor mixing_BHQK = f.pass(place_.path, kMixingWeight, weights(in, f));
    if (in.carried_BHKE.defined()) return parts_.value->merge(headMix(mixing_BHQK, in.carried_BHKE), inner, f);
    return parts_.value->aggregate(mixing_BHQK, in.values, inner, f);
}

/// Undefined if a block, a tap that replaces a value, or the kernel asks for another path.
BiasedProduct Attention::mixByOneKernel(const Inputs& in, const InnerAdjuster* inner, const Forward& f) const {
    if (!mayUseOneKernel(in, f)) return {};
    const auto carried = carriedTerm(in, f);
    if (!carried) return {};
    const at::Tensor v_BHKE = parts_.value->heads(in.values);
    if (!v_BHKE.defined()) return {};
    const auto product = parts_.scorer->product(in.query, in.keys);
    if (!product) return {};
    const at::Tensor normed_BHKE = parts_.value->normedValues(v_BHKE);
    ShortAttention of{product->q_BHQE, product->k_BHKE, normed_BHKE, product->scale, in.mask.hidden()};
    if (parts_.dropout->dropsAttention(f)) {
        const KeyedDropout::Draw draw = keyedDropout_->attentionDraw(f);
        of.key = draw.key, of.p = draw.p;
    }
    of.carried = *carried;
    if (!takesShortAttention(of)) return {};
    showTaps(in, f);
    const ModuleScope scope(parts_.value.path());
    const ShortAttentionResult made = shortAttention(of);
    if (place_.carriesScores) {
        ScoreRecord record{{}, {}, {}, parts_.rule.get()};
        (carried->next == CarriedTerm::Next::Sum ? record.sum : record.raw) = made.next_BHQK;
        in.state.chains[place_.name].push_back(std::move(record));
    }
    return parts_.value->merge(made.mixed_BHQE, inner, f);
}

/// Passes to the taps what they want and one kernel does not return.
void Attention::showTaps(const Inputs& in, const Forward& f) const {
    const bool isWatched = f.wants(place_.path, kAttentionWeight) || f.wants(place_.path, kMixingWeight) ||
                           parts_.scorer->isWatched(f) || (place_.carriesScores && addingRule_->isWatched(f));
    if (!isWatched) return;
    const at::NoGradGuard forTheTapsAlone;
    const ScoreChain before = in.state.chains[place_.name];
    f.pass(place_.path, kMixingWeight, weights(in, f));
    in.state.chains[place_.name] = before;
}

bool Attention::mayUseOneKernel(const Inputs& in, const Forward& f) const {
    const at::Tensor &query = in.query.x(), &keys = in.keys.x();
    if (!isShortAttention(query, query.size(1), keys.size(1)) || f.path == Forward::Path::Reference) return false;
    if (!parts_.normaliser->isSoftmax() || parts_.cap->caps() || parts_.selector->selects() || in.carried_BHKE.defined() ||
        parts_.scorer->givesWeights())
        return false;
    if (parts_.dropout->dropsAttention(f) && !keyedDropout_) return false;
    return !f.replaces(place_.path, kAttentionWeight) && !f.replaces(place_.path, kMixingWeight) &&
           !parts_.scorer->isReplaced(f);
}

/// What the rule adds; nothing if it has no such form.
std::optional<CarriedTerm> Attention::carriedTerm(const Inputs& in, const Forward& f) const {
    if (!place_.carriesScores) return CarriedTerm{};
    if (!addingRule_ || !place_.hasOneRule) return std::nullopt;
    const ModuleScope scope(parts_.rule.path());
    return addingRule_->term({earlier(in.state.chains[place_.name], f), in.mask.hidden()}, f);
}

/// Undefined if scorer or value do not have this form.
at::Tensor Attention::mixDirectional(const Inputs& in, const Forward& f) const {
    if (!oneHead_ || !directional_ || in.carried_BHKE.defined() || !attendsInOneFunction(in.keys.x())) return {};
    const ModuleScope scope(parts_.value.path());
    const auto sides = directional_->sides(in.values, f);
    const auto factors = sides ? oneHead_->factors(in.query, in.keys) : std::nullopt;
    if (!factors) return {};
    return directionalAttention({factors->query_BQD, factors->key_BKD, sides->left_BKD, sides->right_BKD, in.mask.hidden(),
                                 factors->scale, sides->lastLeft, sides->firstRight});
}

/// Undefined if scorer or value do not have the form of the fused operator.
BiasedProduct Attention::mixFused(const Inputs& in, const InnerAdjuster* inner, const Forward& f) const {
    at::Tensor v_BHKE = in.carried_BHKE.defined() ? in.carried_BHKE : parts_.value->heads(in.values);
    if (!v_BHKE.defined()) return {};
    const auto product = parts_.scorer->product(in.query, in.keys);
    if (!product) return {};
    if (!in.carried_BHKE.defined()) v_BHKE = parts_.value->normedValues(v_BHKE);
    const ModuleScope scope(parts_.value.path());
    at::Tensor mixed_BHQE;
    if (takesCpuPath(v_BHKE))
        mixed_BHQE = headAttention(product->q_BHQE, product->k_BHKE, v_BHKE, in.mask.hidden(), product->scale);
    if (!mixed_BHQE.defined()) mixed_BHQE = sdpa(*product, v_BHKE, in.mask);
    return parts_.value->merge(mixed_BHQE, inner, f);
}

}  // namespace heddle
