// SPDX-License-Identifier: Apache-2.0
// Score carry (RealFormer, He et al. 2021; thesis, eq. 3.2–3.9 and 9.2; variants.md 4.1–4.2): layer n adds to its scores s
//   z = s + Σ_o prev(n−o)    or, gated,    z = s + T′(Σ_o prev(n−o))    or    z = s + Σ_o T′_o(prev(n−o))
// over the offsets o; missing layers are skipped, so layer 0 has z = s. prev is taken from the earlier layer of the same
// attention: its own scores (raw), its z (accumulated) or its weights (probs). s, z, prev [B,H,Q,K]. With `mean` the normaliser
// reads z / (n+1), while z itself is carried on. The mask is applied afterwards. Sums of bfloat16 scores are float32.
#include "engine/blocks/block_file.h"
#include "engine/blocks/score/score_gate.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/fusing.h"
#include "engine/blocks/incremental.h"
#include "engine/kernels/carried_weights.h"
#endif

namespace heddle {

enum class CarriedScore { Raw, Accumulated, Probs };
template <>
struct ChoiceWords<CarriedScore> {
    static constexpr ChoiceWord<CarriedScore> kAll[] = {
        {"raw", CarriedScore::Raw}, {"accumulated", CarriedScore::Accumulated}, {"probs", CarriedScore::Probs}};
};

namespace {

constexpr const char* kPrev = "prev";
constexpr const char* kGated = "gated";
constexpr const char* kLogits = "logits";
constexpr const char* kGates[] = {"gate", "gate_2", "gate_3", "gate_4"};  ///< T of the offsets, in order

struct AddScoreOptions {
    std::vector<std::int64_t> offsets;
    CarriedScore source{};
    bool mean = false;
    std::optional<ScoreGateOptions> gate;
};

const OptionFields<AddScoreOptions>& addScoreOptions() {
    static const auto kFields =
        OptionFields<AddScoreOptions>()
            .add(&AddScoreOptions::offsets,
                 fields::integers("offsets", {1}, {1, 1024},
                                  "Distances to the earlier layers: [1] is the previous layer, [1,2] the two previous ones."))
            .add(&AddScoreOptions::source,
                 fields::choice<CarriedScore>(
                     "source",
                     "What is carried: a layer's own scores (raw), its scores including those carried to it "
                     "(accumulated, as in RealFormer), or its attention weights (probs)."))
            .add(&AddScoreOptions::mean,
                 fields::flag("mean", false, "Divide by n + 1 in layer n before the normaliser (RealFormer's running mean)."))
            .add(&AddScoreOptions::gate,
                 fields::derivable(
                     fields::object("gate", scoreGateOptions().schema(),
                                    "Gate that multiplies the carried scores p by T(p) = ψ(p W + B); null: no gate.")),
                 scoreGateOptions());
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

namespace {

std::string inFormula(CarriedScore source) {
    switch (source) {
    case CarriedScore::Raw: return "s";
    case CarriedScore::Accumulated: return "z";
    case CarriedScore::Probs: break;
    }
    return "w";
}

std::vector<Exposure> exposures() {
    using Quantity = Exposure::Quantity;
    std::vector<Exposure> all{
        {kPrev, "scores carried from earlier layers", Quantity::Score, "BHQK", -10, 10, false, true, false},
        {kGated, "gated scores T′ from earlier layers", Quantity::Delta, "BHQK", -10, 10, false, true, true},
        {kLogits, "score with what was carried", Quantity::Score, "BHQK", -10, 10, false, true, true}};
    for (const char* id : kGates)
        all.push_back({id, id == kGates[0] ? "score gate T" : std::string("score gate T of source ") + (id + 5),
                       Quantity::SignedGate, "BHQK", -1, 1, false, true, true});
    return all;
}

/// Number of offsets that reach an existing layer, in the last pass through this layer.
double sourcesOf(const BlockContext& where, const AddScoreOptions& o) {
    const std::int64_t farthest = where.layer + where.passes - 1;
    return static_cast<double>(
        std::count_if(o.offsets.begin(), o.offsets.end(), [&](auto offset) { return offset <= farthest; }));
}

double flopsOf(const BlockContext& where, const AddScoreOptions& o) {
    const double sources = sourcesOf(where, o),
                 adding = sources * static_cast<double>(where.dims.heads * where.sequenceLength());
    if (!o.gate) return adding;
    const double gates = o.gate->perSource ? sources : std::min(sources, 1.0);
    return adding + gates * scoreGateFlops(where, *o.gate);
}

std::optional<Problem> checkOffsets(const BlockContext&, const AddScoreOptions& o) {
    std::vector<std::int64_t> offsets = o.offsets;
    if (offsets.empty()) return Problem{"offsets", "the list of offsets is empty", "use [1], or rule \"none\""};
    if (offsets.size() > std::size(kGates))
        return Problem{"offsets", "more than four earlier layers", "use up to four, such as [1,2,3]"};
    std::sort(offsets.begin(), offsets.end());
    const auto twice = std::adjacent_find(offsets.begin(), offsets.end());
    if (twice == offsets.end()) return std::nullopt;
    return Problem{"offsets", "offset " + std::to_string(*twice) + " is listed twice", "list each earlier layer once"};
}

}  // namespace

BlockDescriptor describeAddScoreRule() {
    BlockDescriptor b;
    b.title = "Score carry";
    b.summary =
        "Residual attention scores (RealFormer, He et al. 2021): adds the attention scores of earlier layers to those of this "
        "layer, optionally through a gate.";
    b.formulaOf = addScoreOptions().reading([](const AddScoreOptions& o) -> std::string {
        const std::string left = inFormula(o.source);
        std::string sum, gates;
        for (const std::int64_t offset : o.offsets) {
            const std::string earlier = left + "_(n−" + std::to_string(offset) + ")";
            sum += (sum.empty() ? "" : " + ") + earlier;
            gates += " + T(" + earlier + ")";
        }
        std::string z = "z_n = s_n + " + sum;
        if (o.gate) {
            const std::string opened = activated(o.gate->act, "c W" + partIf(o.gate->bias != GateBias::None, " + B"));
            z = o.gate->perSource ? "z_n = s_n" + gates + ", T(c) = c ⊙ " + opened
                                  : "z_n = s_n + c ⊙ " + opened + ", c = " + sum;
        }
        return z + partIf(o.mean, ", read as z_n / (n + 1)");
    });
    b.shapes = "s, z, w (the weights), c [B,H,Q,K]; W [H,S,S]; B [H,S], [H,S,S] or [H]";
    b.reference = "RealFormer, He et al. 2021 (arXiv 2012.11747); Gated ResNet thesis (Hassan et al. 2025), eq. 3.2–3.9";
    b.parameters = addScoreOptions().schema();
    b.showsFuture =
        addScoreOptions().reading([](const AddScoreOptions& o) { return o.gate && o.gate->maskPrev == MaskedInput::Raw; });
    b.needsWholeRows = addScoreOptions().reading([](const AddScoreOptions& o) { return o.gate.has_value(); });
    b.parameterCount = addScoreOptions().on([](const BlockContext& where, const AddScoreOptions& o) -> std::int64_t {
        if (!o.gate) return 0;
        const auto gates = static_cast<std::int64_t>(scoreGates(where, o.offsets, *o.gate).size());
        return gates * scoreGateCount(where, *o.gate);
    });
    b.flopsPerToken = addScoreOptions().on(flopsOf);
    b.longestSequence = addScoreOptions().on([](const BlockContext& where, const AddScoreOptions& o) {
        return o.gate && o.gate->infer == ShortInput::Slice ? scoreGateLength(where, *o.gate) : where.dims.maxLen;
    });
    b.check = addScoreOptions().on(checkOffsets);
    b.exposures = exposures();
    return b;
}

#else

namespace {

class AddScoreRule final : public ScoreRule, public IncrementalScoreRule, public AddingScoreRule {
public:
    AddScoreRule(const BuildContext& c, const AddScoreOptions& o)
        : path_(c.scope.path()), offsets_(o.offsets), source_(o.source), takesMean_(o.mean), isGated_(o.gate.has_value()) {
        if (!o.gate) return;
        isPerSource_ = o.gate->perSource;
        isProducers_ = o.gate->owner == GateOwner::Producer;
        maskPrev_ = o.gate->maskPrev;
        mixesKeys_ = isProducers_ || o.gate->infer == ShortInput::Slice;
        biasKnowsQuery_ = o.gate->bias == GateBias::Full;
        scoreDropout_ = o.gate->scoreDropout;
        for (const std::int64_t offset : scoreGates(c.where, o.offsets, *o.gate)) {
            const auto number = std::find(offsets_.begin(), offsets_.end(), offset) - offsets_.begin();
            const std::string name = isPerSource_ ? "gate.offset_" + std::to_string(offset) : "gate";
            gates_.emplace(offset, ScoreGate(c, *o.gate, name, kGates[isPerSource_ ? number : 0]));
        }
    }

    Sum add(const at::Tensor& raw_BHQK, const Earlier& earlier, const Forward& f) const override {
        const at::Tensor added_BHQK = addedBy(earlier, f);
        const at::Tensor own_BHQK = source_ == CarriedScore::Accumulated ? raw_BHQK.to(typeOfSums(raw_BHQK)) : raw_BHQK;
        const at::Tensor sum_BHQK = added_BHQK.defined() ? sumOfScores(own_BHQK, added_BHQK) : own_BHQK;
        return {sum_BHQK, f.pass(path_, kLogits, takesMean_ ? sum_BHQK / layersOf(earlier) : sum_BHQK)};
    }

    std::optional<Added> added(const at::Tensor& raw_BHQK, const Earlier& earlier, const Forward& f) const override {
        if (f.replaces(path_, kLogits)) return std::nullopt;
        const Added added{addedBy(earlier, f), takesMean_ ? layersOf(earlier) : 1, source_ == CarriedScore::Accumulated};
        if (f.wants(path_, kLogits)) {
            const at::NoGradGuard forTheTapsAlone;
            const at::Tensor sum_BHQK = added.added_BHQK.defined() ? sumOfScores(raw_BHQK, added.added_BHQK) : raw_BHQK;
            f.pass(path_, kLogits, sum_BHQK / added.divisor);
        }
        return added;
    }

    std::optional<CarriedTerm> term(const Earlier& earlier, const Forward& f) const override {
        const bool isReplaced = f.replaces(path_, kPrev) || f.replaces(path_, kGated) || f.replaces(path_, kLogits);
        const bool readsOneLayer = offsets_ == std::vector<std::int64_t>{1} && source_ != CarriedScore::Probs;
        if (isReplaced || !readsOneLayer || isProducers_ || (f.training && scoreDropout_ > 0)) return std::nullopt;
        CarriedTerm term;
        term.next = source_ == CarriedScore::Accumulated ? CarriedTerm::Next::Sum : CarriedTerm::Next::Own;
        if (takesMean_) term.divisor = layersOf(earlier);
        if (!reaches(1, earlier)) return term;
        term.p_BHQK = prev(1, earlier);
        if (!isGated_) return term;
        if (maskPrev_ != MaskedInput::Raw) term.atHidden = maskPrev_ == MaskedInput::Zero ? 0 : kNegativeLarge;
        const auto gate = gates_.find(1);
        return gate == gates_.end() || gate->second.addTo(term, f) ? std::optional(term) : std::nullopt;
    }

    bool isWatched(const Forward& f) const override {
        const auto isWatchedGate = [&](const auto& gate) { return gate.second.isWatched(f); };
        return f.wants(path_, kPrev) || f.wants(path_, kGated) || f.wants(path_, kLogits) ||
               std::any_of(gates_.begin(), gates_.end(), isWatchedGate);
    }

    at::Tensor gateFor(std::int64_t offset, const at::Tensor& p_BHQK, const Forward& f) const override {
        const auto gate = isPerSource_ ? gates_.find(offset) : gates_.begin();
        return gate == gates_.end() ? at::Tensor{} : gate->second(p_BHQK, f);
    }

    std::string stepObstacle(Keys keys) const override {
        if (!isGated_ || !mixesKeys_) return {};
        if (keys != Keys::Fixed && maskPrev_ != MaskedInput::Zero)
            return "its score gate reads keys of later positions (mask_prev " + wordOf(maskPrev_) + ")";
        if (keys == Keys::Roomy && biasKnowsQuery_) return "its score gate has a bias for every query (bias full)";
        if (keys == Keys::Fixed && biasKnowsQuery_)
            return "its score gate on another sequence has a bias for every query (bias full)";
        return {};
    }

private:
    /// The term added to s; undefined: none.
    at::Tensor addedBy(const Earlier& earlier, const Forward& f) const {
        return isPerSource_ ? addEach(earlier, f) : addSum(earlier, f);
    }

    static double layersOf(const Earlier& earlier) { return static_cast<double>(earlier.chain.size() + 1); }

    /// The (gated) sum over the existing layers; undefined if there is none.
    at::Tensor addSum(const Earlier& earlier, const Forward& f) const {
        at::Tensor prev_BHQK;
        for (const std::int64_t offset : offsets_) {
            if (!reaches(offset, earlier)) continue;
            const at::Tensor& one_BHQK = prev(offset, earlier);
            prev_BHQK = prev_BHQK.defined() ? sumOfScores(prev_BHQK, one_BHQK) : one_BHQK;
        }
        if (!prev_BHQK.defined()) return {};
        if (!isGated_) return f.pass(path_, kPrev, prev_BHQK);
        const at::Tensor p_BHQK = f.pass(path_, kPrev, read(prev_BHQK, earlier, f));
        return f.pass(path_, kGated, gated(*std::min_element(offsets_.begin(), offsets_.end()), p_BHQK, earlier, f));
    }

    /// The sum over the existing layers, each through its own gate; undefined if there is none.
    at::Tensor addEach(const Earlier& earlier, const Forward& f) const {
        at::Tensor prev_BHQK, sum_BHQK;
        for (const std::int64_t offset : offsets_) {
            if (!reaches(offset, earlier)) continue;
            const at::Tensor p_BHQK = read(prev(offset, earlier), earlier, f);
            const at::Tensor gated_BHQK = gated(offset, p_BHQK, earlier, f);
            prev_BHQK = prev_BHQK.defined() ? sumOfScores(prev_BHQK, p_BHQK) : p_BHQK;
            sum_BHQK = sum_BHQK.defined() ? sumOfScores(sum_BHQK, gated_BHQK) : gated_BHQK;
        }
        if (!sum_BHQK.defined()) return {};
        if (f.wants(path_, kPrev)) f.pass(path_, kPrev, prev_BHQK);
        return f.pass(path_, kGated, sum_BHQK);
    }

    static bool reaches(std::int64_t offset, const Earlier& earlier) {
        return offset <= static_cast<std::int64_t>(earlier.chain.size());
    }

    static const ScoreRecord& record(std::int64_t offset, const Earlier& earlier) {
        return earlier.chain.at(earlier.chain.size() - static_cast<std::size_t>(offset));
    }

    const at::Tensor& prev(std::int64_t offset, const Earlier& earlier) const {
        const ScoreRecord& left = record(offset, earlier);
        switch (source_) {
        case CarriedScore::Raw: return left.raw;
        case CarriedScore::Accumulated: return left.sum;
        case CarriedScore::Probs: break;
        }
        return left.weight;
    }

    /// p as read by the gate. All offsets of a layer use the same dropout mask, on scores of different layers.
    at::Tensor read(const at::Tensor& prev_BHQK, const Earlier& earlier, const Forward& f) const {
        at::Tensor p_BHQK = f.dropout(prev_BHQK, scoreDropout_, path_ + ".score_dropout");
        if (!earlier.hidden.defined() || maskPrev_ == MaskedInput::Raw) return p_BHQK;
        return p_BHQK.masked_fill(earlier.hidden, maskPrev_ == MaskedInput::Zero ? 0 : kNegativeLarge);
    }

    /// T′(p) by the gate of the reading or of the producing layer; p if that layer has no gate.
    at::Tensor gated(std::int64_t offset, const at::Tensor& p_BHQK, const Earlier& earlier, const Forward& f) const {
        const ScoreRule& owner = isProducers_ ? *record(offset, earlier).rule : *this;
        const at::Tensor gated_BHQK = owner.gateFor(offset, p_BHQK, f);
        return gated_BHQK.defined() ? gated_BHQK : p_BHQK;
    }

    static constexpr double kNegativeLarge = -1e9;

    std::string path_;
    std::vector<std::int64_t> offsets_;
    CarriedScore source_;
    bool takesMean_, isGated_, isPerSource_ = false, isProducers_ = false;
    bool mixesKeys_ = false, biasKnowsQuery_ = false;
    MaskedInput maskPrev_{};
    double scoreDropout_ = 0;
    std::map<std::int64_t, ScoreGate> gates_;  ///< by offset; a gate on the sum has the nearest offset as its key
};

}  // namespace

std::unique_ptr<Block> makeAddScoreRule(const BuildContext& context) {
    return std::make_unique<AddScoreRule>(context, addScoreOptions().read(context.params));
}

#endif

}  // namespace heddle
