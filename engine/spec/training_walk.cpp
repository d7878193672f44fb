// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/training_walk.h"

#include "engine/spec/field_schema.h"
#include "engine/spec/variant_resolve.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace heddle {
namespace {

/// A tensor between blocks.
struct Tensor {
    double bytes = 0;
    bool needsGradient = true, isHeld = false;
};
using Ref = std::shared_ptr<Tensor>;
using Letters = std::map<char, Ref>;  ///< those of SavedTensors

struct Module {
    const BlockDescriptor* block = nullptr;
    Json params;
    BlockContext where;
};

/// What a stack hands to every sublayer.
struct StackState {
    Ref input, memory;               ///< memory: null without an encoder
    std::set<std::string> carrying;  ///< sublayers whose scores some layer reads again
    std::set<std::string> masks;     ///< made so far
};

/// The passes through a stack whose tensors the backward pass needs, and its own evaluations of the layer besides.
struct Passes {
    std::int64_t held = 1, backward = 0;
};

Passes passesThrough(const ResolvedVariant& variant, const std::string& stack) {
    const BlockChoice& share = variant.stackSlots.at(childPath(stack, "share"));
    const std::int64_t layers = stack == "encoder" ? variant.dims.layersEnc : variant.dims.layersDec;
    if (share.id != "fixed_point") return {layers, 0};
    const std::string grad = share.params.at("grad");
    const auto most = share.params.at("max_iter").get<std::int64_t>();
    if (grad == "implicit") return {1, most};
    if (!share.params.at("m").is_null()) return {std::min(most, share.params.at("m").get<std::int64_t>()), 0};
    return {grad == "unroll" ? most : 1, 0};
}

class Walk {
public:
    Walk(const ResolvedVariant& variant, const Catalogue& catalogue, const BatchShape& shape)
        : variant_(variant), shape_(shape) {
        forEachBlock(variant, [&](const auto& path, const auto& slot, const BlockChoice& choice, const BlockContext& where) {
            modules_[path] = {&catalogue.at(slot, choice.id), choice.params, where};
        });
    }

    TrainingPass run() {
        Ref x;
        if (!variant_.encoder.empty()) x = stack("encoder", embed(shape_.source), nullptr);
        if (!variant_.decoder.empty()) {
            const Ref memory = x;
            x = stack("decoder", embed(shape_.target), memory);
        }
        head(x);
        return std::move(pass_);
    }

private:
    static Ref make(double bytes, bool needsGradient = true) {
        return std::make_shared<Tensor>(Tensor{bytes, needsGradient, false});
    }
    Ref makeStream() const {
        BlockContext where;
        where.dims = variant_.dims;
        place(where);
        return make(where.streamBytes(variant_.dims.d));
    }

    void place(BlockContext& where) const {
        where.batch = shape_.sentences;
        where.elementBytes = shape_.elementBytes;
        where.sequence = length_;
        where.keys = where.sublayer == "cross" ? memoryLength_ : length_;
    }

    Module moduleAt(const std::string& path) const {
        Module module = modules_.at(path);
        place(module.where);
        module.where.passes = 1;
        if (layerPass_ > 0) module.where.layer = layerPass_;
        return module;
    }

    void holdTensor(const Ref& tensor) {
        TrainingVisit& visit = pass_.visits.back();
        visit.widest = std::max(visit.widest, tensor->bytes);
        if (tensor->isHeld) return;
        tensor->isHeld = true;
        visit.held += tensor->bytes;
    }

    /// A visit to the block that reads `known`, whose first is the one that it gives on where it makes nothing new; what comes
    /// out, of `bytes`.
    Ref visit(const std::string& path, Letters known, char first, double bytes) {
        const Module module = moduleAt(path);
        Ref input = known.at(first);
        pass_.visits.push_back({path, 0, waiting_, bytes, backwardFlops(module, known, *input)});
        if (!module.block->savedTensors) return input;
        const SavedTensors kept = module.block->savedTensors(module.where, module.params);
        const auto same = std::find_if(kept.unchanged.begin(), kept.unchanged.end(), [&](char c) { return known.contains(c); });
        const bool learns = module.block->parameterCount(module.where, module.params) > 0;
        const bool needsGradient =
            learns || std::any_of(known.begin(), known.end(), [](const auto& one) { return one.second->needsGradient; });
        Ref y = same == kept.unchanged.end() ? make(bytes, needsGradient) : known.at(*same);
        known['y'] = y;
        for (const double own : kept.own) {
            pass_.visits.back().held += own;
            pass_.visits.back().widest = std::max(pass_.visits.back().widest, own);
        }
        for (const char letter : kept.shared)
            if (const auto tensor = known.find(letter); tensor != known.end()) holdTensor(tensor->second);
        return y;
    }

    Ref visit(const std::string& path, const Ref& x) { return visit(path, {{'x', x}}, 'x', x->bytes); }

    double backwardFlops(const Module& module, const Letters& known, const Tensor& first) const {
        const auto x = known.find('x');
        const Tensor& input = x == known.end() ? first : *x->second;
        const double forward = module.block->flopsPerToken(module.where, module.params);
        const auto& onInput = module.block->flopsOnInput;
        const double saved = !input.needsGradient && onInput ? onInput(module.where, module.params) : 0;
        return 2 * forward - saved + static_cast<double>(backwardPasses_) * forward;
    }

    Ref embed(std::int64_t length) {
        length_ = length;
        const Ref table = makeStream();
        table->needsGradient = false;
        const Ref x = visit("embed", table);
        return entersEveryLayer() ? x : visit("position", x);
    }

    bool entersEveryLayer() const { return modules_.at("position").params.value("where", "") == "every_layer"; }

    Ref stack(const std::string& name, const Ref& x, const Ref& memory) {
        const auto& layers = name == "encoder" ? variant_.encoder : variant_.decoder;
        StackState state{x, memory, {}, {}};
        for (const ResolvedLayer& layer : layers)
            for (const ResolvedSublayer& one : layer.sublayers)
                if (one.slots.contains("score") && one.slots.at("score").id != "none") state.carrying.insert(one.name);
        Ref h = visit(childPath(name, "h0"), x);
        const Passes passes = passesThrough(variant_, name);
        backwardPasses_ = passes.backward;
        for (std::int64_t pass = 0; pass < passes.held; ++pass) {
            const bool isShared = layers.size() == 1;
            layerPass_ = isShared ? pass : 0;
            if (entersEveryLayer()) h = visit("position", h);
            for (const ResolvedSublayer& one : layers.at(isShared ? 0 : static_cast<std::size_t>(pass)).sublayers)
                h = sublayer(one, h, state);
        }
        waiting_ = 0;
        layerPass_ = backwardPasses_ = 0;
        if (modules_.contains(childPath(name, "norm"))) h = visit(childPath(name, "norm"), h);
        memoryLength_ = length_;
        return h;
    }

    // As Sublayer::run.
    Ref sublayer(const ResolvedSublayer& choice, const Ref& r, StackState& state) {
        const auto at = [&](const char* slot) { return childPath(choice.path, slot); };
        const std::string place = choice.slots.at("adjuster").params.value("where", "");
        const bool isPre = choice.slots.at("norm").params.value("place", "") == "pre";
        const bool dropsFirst = choice.slots.at("dropout").params.value("order", "") == "before_adjuster";

        const Ref u = isPre ? visit(at("norm"), r) : r;
        Ref s = mixer(choice, u, state);
        if (dropsFirst) s = dropped(choice, 's', s);
        if (place == "attn_out") s = visit(at("adjuster"), s);
        if (joinsInOnePass(choice)) {  // what goes in is held, and nothing between dropout and norm
            const Ref sum = visit(at("residual"), {{'r', r}, {'u', u}, {'s', s}}, 's', s->bytes);
            holdTensor(r);
            holdTensor(s);
            const Ref y = visit(at("norm"), {{'y', sum}}, 'y', sum->bytes);
            return place == "before_ffn" ? visit(at("adjuster"), y) : y;
        }
        if (!dropsFirst) s = dropped(choice, 's', s);
        if (modules_.at(at("parallel")).block->savedTensors) s = make(visit(at("parallel"), u)->bytes);
        Ref y = visit(at("residual"), {{'r', r}, {'u', u}, {'s', s}}, 's', s->bytes);
        if (!isPre) y = visit(at("norm"), y);
        return place == "before_ffn" ? visit(at("adjuster"), y) : y;
    }

    /// As Sublayer::joinInOnePass.
    bool joinsInOnePass(const ResolvedSublayer& choice) const {
        const Module parallel = moduleAt(childPath(choice.path, "parallel"));
        return isFusable(choice, "residual") && isFusable(choice, "norm") && isFusable(choice, "dropout") &&
               !parallel.block->savedTensors && choice.slots.at("norm").params.value("place", "") == "post" &&
               variant_.dims.d % 16 == 0;
    }

    Ref dropped(const ResolvedSublayer& choice, char letter, const Ref& x) {
        return visit(childPath(choice.path, "dropout"), {{letter, x}}, letter, x->bytes);
    }

    Ref mixer(const ResolvedSublayer& choice, const Ref& u, StackState& state) {
        if (choice.name == "ffn") return visit(childPath(choice.path, "ffn"), u);
        if (choice.name == "lstm") return visit(childPath(choice.path, "recurrence"), {{'x', u}}, 'x', 2 * makeStream()->bytes);
        return attention(choice, u, state);
    }

    SavedTensors keptOf(const std::string& path) const {
        const Module module = moduleAt(path);
        return module.block->savedTensors ? module.block->savedTensors(module.where, module.params) : SavedTensors{};
    }

    bool isFusable(const ResolvedSublayer& choice, const char* slot) const {
        return keptOf(childPath(choice.path, slot)).form == SavedTensors::Form::Fusable;
    }

    static bool selects(const ResolvedSublayer& choice) { return choice.slots.at("selector").id != "none"; }

    /// As Attention::mustUseReference and mixFused; CPU kernels want heads of one width.
    bool isFused(const ResolvedSublayer& choice, const StackState& state) const {
        const bool dropsWeights = keptOf(childPath(choice.path, "dropout")).unchanged.find('w') == std::string::npos;
        return !state.carrying.contains(choice.name) && !selects(choice) && !dropsWeights &&
               variant_.dims.keyDim == variant_.dims.valueDim && isFusable(choice, "scorer") &&
               isFusable(choice, "normaliser") && isFusable(choice, "value");
    }

    // As Attention::mix.
    Ref attention(const ResolvedSublayer& choice, const Ref& u, StackState& state) {
        const auto at = [&](const char* slot) { return childPath(choice.path, slot); };
        const Ref keys = choice.name == "cross" ? state.memory : u;
        const Module scorer = moduleAt(at("scorer")), value = moduleAt(at("value"));
        const bool fused = isFused(choice, state);
        mask(choice, fused, state);
        const Ref raw = visit(at("scorer"), {{'q', u}, {'k', keys}}, 'q', fused ? u->bytes : scorer.where.scoreBytes());
        const Ref merged = make(value.where.streamBytes(variant_.dims.heads * variant_.dims.valueDim));
        Letters known{{'x', keys}, {'m', merged}};
        if (!fused) {
            known['w'] = weights(choice, raw, state);
        } else if (shape_.fusedAttention == BatchShape::FusedAttention::HoldsResult) {
            pass_.visits.back().held += scorer.where.streamBytes(variant_.dims.heads);
            holdTensor(merged);
        }
        if (modules_.at(at("adjuster")).params.value("where", "") == "before_wo") known['m'] = visit(at("adjuster"), merged);
        const Ref mixed = visit(at("value"), known, 'x', u->bytes);
        Letters all{{'a', mixed}, {'h', u}, {'x', state.input}};
        if (modules_.at(at("direct")).block->savedTensors) all['d'] = visit(at("direct"), state.input);
        const bool isSum = !modules_.at(at("combine")).block->savedTensors && all.contains('d');
        const Ref combined = visit(at("combine"), all, 'a', u->bytes);
        return isSum ? make(u->bytes) : combined;
    }

    void mask(const ResolvedSublayer& choice, bool isFused, StackState& state) {
        const std::string path = childPath(choice.path, "mask");
        const std::string name =
            choice.slots.at("mask").id + (choice.name == "cross" ? " cross" : "") + (isFused ? " fused" : "");
        pass_.visits.push_back({path, 0, waiting_, 0, 0});
        if (!state.masks.insert(name).second) return;
        // A fused attention adds the mask as numbers; scores are filled where its bits are set.
        for (const double bytes : keptOf(path).own)
            pass_.visits.back().held += isFused ? bytes : bytes / static_cast<double>(shape_.elementBytes);
    }

    /// From raw scores to the weights that mix the values.
    Ref weights(const ResolvedSublayer& choice, const Ref& raw, const StackState& state) {
        const auto at = [&](const char* slot) { return childPath(choice.path, slot); };
        if (keptOf(at("scorer")).form == SavedTensors::Form::GivesWeights) return dropped(choice, 'w', raw);
        Ref logits = raw;
        if (state.carrying.contains(choice.name)) {
            logits = visit(at("score"), raw);
            waiting_ += raw->bytes + (logits == raw ? 0 : logits->bytes);
        }
        if (selects(choice)) visit(at("selector"), make(logits->bytes));
        const Ref normalised = visit(at("normaliser"), make(logits->bytes));
        return dropped(choice, 'w', selects(choice) ? make(logits->bytes) : normalised);
    }

    void head(const Ref& hidden) {
        const Module module = moduleAt("head");
        Ref x = hidden;
        if (module.block->usesVocabulary) {
            x = make(hidden->bytes, hidden->needsGradient);  // the positions that have a target, gathered
            const double all = module.where.streamBytes(variant_.dims.vocabTgt);
            const double piece = module.where.bytesOf(answersAtOnce(variant_) * variant_.dims.vocabTgt);
            pass_.headBytes = all;
            if (piece < all)  // and what the pieces are added up in: gradients of the head's input and of its parameters
                pass_.headBytes =
                    piece + hidden->bytes + module.where.bytesOf(module.block->parameterCount(module.where, module.params));
        }
        visit("head", x);
    }

    const ResolvedVariant& variant_;
    BatchShape shape_;
    std::map<std::string, Module> modules_;
    TrainingPass pass_;
    double waiting_ = 0;
    std::int64_t length_ = 0, memoryLength_ = 0, layerPass_ = 0, backwardPasses_ = 0;
};

}  // namespace

TrainingPass walkTraining(const ResolvedVariant& variant, const Catalogue& catalogue, const BatchShape& shape) {
    return Walk(variant, catalogue, shape).run();
}

}  // namespace heddle
