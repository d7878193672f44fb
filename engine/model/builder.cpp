// SPDX-License-Identifier: Apache-2.0
#include "engine/model/builder.h"

#include "engine/device/torch_pch.h"
#include "engine/model/attention.h"
#include "engine/model/feed_forward.h"
#include "engine/spec/error.h"

namespace heddle {

namespace {

template <class Slot>
std::unique_ptr<Slot> castTo(std::unique_ptr<Block> block) {
    auto* const typed = dynamic_cast<Slot*>(block.get());
    TORCH_INTERNAL_ASSERT(typed, "a block stands in the catalogue under a slot whose interface it does not have");
    block.release();
    return std::unique_ptr<Slot>(typed);
}

}  // namespace

BuildContext Builder::contextOf(const std::string& path, const std::string& stack) const {
    BlockContext where;
    where.dims = variant_.dims;
    where.stack = stack;
    return {ParameterScope(store_, path), where, {}, type_, {}};
}

template <class Slot>
std::unique_ptr<Slot> Builder::block(const std::string& slot, const BlockChoice& choice, BuildContext context) const {
    context.params = choice.params;
    return castTo<Slot>(makeBlock(slot, choice.id, context));
}

std::unique_ptr<Embedding> Builder::embedding() const {
    return block<Embedding>("embed", variant_.globals.at("embed"), contextOf("embed"));
}

std::unique_ptr<Position> Builder::position() const {
    return block<Position>("position", variant_.globals.at("position"), contextOf("position"));
}

std::unique_ptr<Head> Builder::head(const Embedding& embedding) const {
    BuildContext context = contextOf("head");
    if (embedding.tiesOutput()) context.tied = embedding.table(Embedding::Side::Target);
    return block<Head>("head", variant_.globals.at("head"), context);
}

Stack Builder::encoder() const { return stack("encoder", variant_.encoder, variant_.finalNormEnc); }

Stack Builder::decoder() const { return stack("decoder", variant_.decoder, variant_.finalNormDec); }

Stack Builder::stack(const std::string& name, const std::vector<ResolvedLayer>& layers, bool finalNorm) const {
    std::vector<Stack::Layer> built;
    BlockContext where = contextOf(name, name).where;
    for (const ResolvedLayer& layer : layers) {
        where.layer = static_cast<std::int64_t>(built.size());
        Stack::Layer sublayers;
        for (const ResolvedSublayer& choice : layer.sublayers) sublayers.push_back(sublayer(choice, where));
        built.push_back(std::move(sublayers));
    }
    std::unique_ptr<Norm> norm;
    if (finalNorm) norm = block<Norm>("norm", variant_.finalNorm, contextOf(name + ".norm", name));
    return {std::move(built), std::move(norm)};
}

Sublayer Builder::sublayer(const ResolvedSublayer& choice, const BlockContext& where) const {
    const auto make = [&]<class Slot>(std::type_identity<Slot>, const std::string& slot) {
        BuildContext context = contextOf(choice.path + "." + slot);
        context.where = where;
        context.where.sublayer = choice.name;
        return block<Slot>(slot, choice.slots.at(slot), context);
    };
    SublayerParts parts;
    parts.dropout = make(std::type_identity<Dropout>(), "dropout");
    if (choice.name == "ffn") {
        parts.mixer = std::make_unique<FeedForwardMixer>(make(std::type_identity<FeedForward>(), "ffn"));
    } else {
        const auto keys = choice.name == "cross" ? Attention::Keys::Memory : Attention::Keys::Self;
        auto scorer = make(std::type_identity<Scorer>(), "scorer");  // before the value: declaration order is part of the model
        auto value = make(std::type_identity<Value>(), "value");
        parts.mixer = std::make_unique<Attention>(choice.path, keys, std::move(scorer), std::move(value), parts.dropout);
    }
    parts.adjuster = make(std::type_identity<Adjuster>(), "adjuster");
    parts.residual = make(std::type_identity<Residual>(), "residual");
    parts.norm = make(std::type_identity<Norm>(), "norm");
    return Sublayer(std::move(parts));
}

std::shared_ptr<const Init> makeInit(const BlockChoice& choice) {
    ParameterStore none(0, nullptr);  // an init block declares nothing
    const BuildContext context{ParameterScope(none, "init"), {}, choice.params, at::kFloat, {}};
    return castTo<Init>(makeBlock("init", choice.id, context));
}

}  // namespace heddle
