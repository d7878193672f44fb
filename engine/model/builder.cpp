// SPDX-License-Identifier: Apache-2.0
#include "engine/model/builder.h"

#include "engine/device/torch_pch.h"
#include "engine/model/attention.h"
#include "engine/spec/variant_spec.h"

#include <map>

namespace heddle {

namespace {

template <class Slot>
std::unique_ptr<Slot> castTo(std::unique_ptr<Block> block) {
    auto* const typed = dynamic_cast<Slot*>(block.get());
    TORCH_INTERNAL_ASSERT(typed, "a block stands in the catalogue under a slot whose interface it does not have");
    static_cast<void>(block.release());
    return std::unique_ptr<Slot>(typed);
}

/// The position-wise network as a sublayer's mixer.
class FeedForwardMixer final : public Mixer {
public:
    explicit FeedForwardMixer(ModulePart<FeedForward> network) : network_(std::move(network)) {}
    at::Tensor mix(const MixInput& of, const InnerAdjuster*, const MixContext&, const Forward& f) const override {
        return network_->transform(of.u_BSD, f);
    }
    std::string stepObstacle(Steps) const override { return {}; }

private:
    ModulePart<FeedForward> network_;
};

/// A recurrent network as a sublayer's mixer.
class RecurrentMixer final : public Mixer {
public:
    RecurrentMixer(std::string path, ModulePart<Recurrence> block) : path_(std::move(path)), block_(std::move(block)) {}
    at::Tensor mix(const MixInput& of, const InnerAdjuster*, const MixContext& context, const Forward&) const override {
        return block_->read(of.u_BSD, context.self->padding());
    }
    std::string stepObstacle(Steps) const override {
        return path_ + ": a recurrent network in both directions reads whole sequences";
    }

private:
    std::string path_;
    ModulePart<Recurrence> block_;
};

/// Whether in any layer the sublayer of that name has a block in this slot, one that reads what earlier layers computed.
bool carries(const std::string& slot, const std::vector<ResolvedLayer>& layers, const std::string& name) {
    return std::any_of(layers.begin(), layers.end(), [&](const ResolvedLayer& layer) {
        return std::any_of(layer.sublayers.begin(), layer.sublayers.end(), [&](const ResolvedSublayer& sublayer) {
            return sublayer.name == name && sublayer.slots.contains(slot) && !holdsNothing(sublayer.slots.at(slot));
        });
    });
}

/// Whether the sublayers of that name have the same block with the same options in this slot, in all layers.
bool areAlike(const std::string& slot, const std::vector<ResolvedLayer>& layers, const std::string& name) {
    const BlockChoice* first = nullptr;
    for (const ResolvedLayer& layer : layers)
        for (const ResolvedSublayer& sublayer : layer.sublayers) {
            if (sublayer.name != name || !sublayer.slots.contains(slot)) continue;
            const BlockChoice& choice = sublayer.slots.at(slot);
            if (first && choice != *first) return false;
            first = &choice;
        }
    return true;
}

/// Returns the factor by which the residual block of the sublayer multiplies the initial matrices of its slots value and ffn.
double branchGain(const ResolvedSublayer& sublayer, const BlockContext& where) {
    const BlockChoice& residual = sublayer.slots.at("residual");
    const auto& gain = builtinCatalogue().at("residual", residual.id).branchGain;
    return gain ? gain(where, residual.params) : 1;
}

}  // namespace

BuildContext Builder::contextOf(const std::string& path, const std::string& stack) const {
    BlockContext where;
    where.dims = variant_.dims;
    where.topology = variant_.topology;
    where.stack = choiceNamed<StackName>(stack);
    return {ParameterScope(store_, path), where, {}, type_, {}, nullptr};
}

template <class Slot>
ModulePart<Slot> Builder::block(const std::string& slot, const BlockChoice& choice, BuildContext context) const {
    context.params = choice.params;
    return {castTo<Slot>(makeBlock(slot, choice.id, context)), context.scope.path()};
}

ModulePart<Embedding> Builder::embedding() const {
    return block<Embedding>("embed", variant_.globals.at("embed"), contextOf("embed"));
}

ModulePart<Position> Builder::position() const {
    return block<Position>("position", variant_.globals.at("position"), contextOf("position"));
}

ModulePart<Head> Builder::head(const Embedding& embedding) const {
    BuildContext context = contextOf("head");
    if (embedding.tiesOutput()) context.tied = embedding.table(Embedding::Side::Target);
    if (variant_.topology == Topology::BiLstm) context.where.width = 2 * variant_.dims.d;
    return block<Head>("head", variant_.globals.at("head"), context);
}

Stack Builder::stack(const std::string& name, const Position& position) const {
    const auto& layers = layersOf(variant_, name);
    if (layers.empty()) return {};
    BlockContext where = contextOf(name, name).where;
    const auto ofStack = [&]<class Slot>(std::type_identity<Slot>, const std::string& slot) {
        return block<Slot>(slot, variant_.stackSlots.at(name + "." + slot), contextOf(name + "." + slot, name));
    };
    StackParts parts;
    parts.path = name;
    parts.start = ofStack(std::type_identity<Start>(), "h0");
    parts.share = ofStack(std::type_identity<Share>(), "share");
    parts.depth = name == "encoder" ? variant_.dims.layersEnc : variant_.dims.layersDec;
    where.passes = passesOf(variant_, name);
    where.sublayers = sublayerCount(layers);
    std::map<std::string, std::int64_t> residuals;
    for (const ResolvedLayer& layer : layers) {
        where.layer = static_cast<std::int64_t>(parts.layers.size());
        Layer sublayers;
        for (const ResolvedSublayer& choice : layer.sublayers) {
            where.before = residuals[choice.slots.at("residual").id]++;
            sublayers.push_back(sublayer(choice, where));
        }
        parts.layers.push_back(std::move(sublayers));
    }
    if (variant_.hasFinalNorm) parts.finalNorm = block<Norm>("norm", variant_.finalNorm, contextOf(name + ".norm", name));
    if (position.where() == Position::Where::EveryLayer) parts.position = &position;
    Stack made(std::move(parts));
    for (const auto& parameters : made.jointParameters()) store_.keepTogether(parameters);
    return made;
}

template <class Slot>
ModulePart<Slot> Builder::part(const ResolvedSublayer& choice, const std::string& slot, const BlockContext& where) const {
    return block<Slot>(slot, choice.slots.at(slot), contextIn(choice, slot, where));
}

BuildContext Builder::contextIn(const ResolvedSublayer& choice, const std::string& slot, const BlockContext& where) const {
    BuildContext context = contextOf(choice.path + "." + slot);
    context.where = where;
    context.where.sublayer = choiceNamed<SublayerName>(choice.name);
    const std::vector<ResolvedLayer>& layers = layersOf(variant_, wordOf(where.stack.value()));
    context.where.twin = earlierTwin(layers.at(static_cast<std::size_t>(where.layer)), choice, slot);
    context.where.firstOfStack = firstInStack(layers, choice, slot);
    if (slot == "value" || slot == "ffn") context.scope = context.scope.withGain(branchGain(choice, context.where));
    return context;
}

Sublayer Builder::sublayer(const ResolvedSublayer& choice, const BlockContext& where) const {
    SublayerParts parts;
    parts.dropout = part<Dropout>(choice, "dropout", where);
    parts.mixer = mixer(choice, where, parts.dropout);
    parts.adjuster = part<Adjuster>(choice, "adjuster", where);
    parts.parallel = part<Parallel>(choice, "parallel", where);
    parts.residual = part<Residual>(choice, "residual", where);
    parts.norm = part<Norm>(choice, "norm", where);
    parts.path = choice.path;
    return Sublayer(std::move(parts));
}

std::unique_ptr<Mixer> Builder::mixer(const ResolvedSublayer& choice, const BlockContext& where,
                                      ModulePart<Dropout> dropout) const {
    if (isFeedForward(choice.name)) return std::make_unique<FeedForwardMixer>(part<FeedForward>(choice, "ffn", where));
    if (choice.name == "lstm")
        return std::make_unique<RecurrentMixer>(choice.path, part<Recurrence>(choice, "recurrence", where));
    AttentionParts parts;  // in this order, because the order of declarations is part of the model
    parts.mask = part<Mask>(choice, "mask", where);
    parts.relative = part<RelativePosition>(choice, "relative", where);
    BuildContext ofScorer = contextIn(choice, "scorer", where);
    ofScorer.relative = parts.relative.get();
    parts.scorer = block<Scorer>("scorer", choice.slots.at("scorer"), std::move(ofScorer));
    parts.rule = part<ScoreRule>(choice, "score", where);
    parts.cap = part<LogitCap>(choice, "cap", where);
    parts.selector = part<Selector>(choice, "selector", where);
    parts.normaliser = part<Normaliser>(choice, "normaliser", where);
    parts.valueCarry = part<ValueCarry>(choice, "value_carry", where);
    parts.value = part<Value>(choice, "value", where);
    parts.direct = part<DirectPath>(choice, "direct", where);
    parts.combine = part<Combine>(choice, "combine", where);
    parts.dropout = std::move(dropout);
    const std::vector<ResolvedLayer>& layers = layersOf(variant_, wordOf(where.stack.value()));
    AttentionPlace place{choice.path, choice.name, carries("score", layers, choice.name),
                         areAlike("score", layers, choice.name), carries("value_carry", layers, choice.name)};
    auto attention = std::make_unique<Attention>(std::move(place), std::move(parts));
    for (const auto& parameters : attention->jointParameters()) store_.keepTogether(parameters);
    return attention;
}

std::shared_ptr<const Init> makeInit(const BlockChoice& choice) {
    ParameterStore none(0, nullptr);  // an init block declares nothing
    const BlockContext nowhere;
    const BuildContext context{ParameterScope(none, "init"), nowhere, choice.params, at::kFloat, {}, nullptr};
    return castTo<Init>(makeBlock("init", choice.id, context));
}

}  // namespace heddle
