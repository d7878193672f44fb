// SPDX-License-Identifier: Apache-2.0
#include "engine/model/stack.h"

#include "engine/blocks/connections.h"
#include "engine/blocks/incremental.h"
#include "engine/device/meta_device.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/tanh_update.h"

#include <utility>

namespace heddle {

Sublayer::Sublayer(SublayerParts parts)
    : parts_(std::move(parts)),
      adding_(dynamic_cast<const AddingResidual*>(parts_.residual.get())),
      affine_(dynamic_cast<const AffineLayerNorm*>(parts_.norm.get())),
      keyed_(dynamic_cast<const KeyedDropout*>(parts_.dropout.get())),
      weighing_(dynamic_cast<const WeighingResidual*>(parts_.residual.get())),
      streams_(dynamic_cast<const StreamsResidual*>(parts_.residual.get())),
      deep_(dynamic_cast<const DepthResidual*>(parts_.residual.get())) {}

const AffineLayerNorm* Sublayer::normBefore() const {
    return parts_.norm->place() == Norm::Place::Pre && !streams_ && !deep_ ? affine_ : nullptr;
}

at::Tensor Sublayer::run(const at::Tensor& h, const MixContext& context, const Forward& f, const AffineLayerNorm* next) const {
    const auto& [mixer, adjuster, parallel, dropout, residual, norm, path] = parts_;
    const Norm::Place place = norm->place();
    const bool adjusts = adjuster->adjusts() && adjuster->place() == Adjuster::Place::AttentionOutput;
    const bool adjustsFirst = dropout->order() == Dropout::Order::AfterAdjuster;

    const StreamsResidual::Reading reading = readingOf(h, f);
    const DepthResidual::Entry entry = entryOf(context.state->depth, reading, f);
    const at::Tensor& r_BSD = entry.r_BSD;
    const NormedStream given = std::exchange(context.state->stream, {});
    const auto normed = [&](const at::Tensor& x_BSD) {
        if (!normsInput(place) || !x_BSD.defined()) return x_BSD;
        const at::Tensor normed_BSD = given.normed(x_BSD, normBefore());
        return normed_BSD.defined() ? normed_BSD : parts_.norm->normalise(x_BSD);
    };
    const at::Tensor u_BSD = normed(entry.in_BSD);
    const InnerAdjuster inner{*adjuster, u_BSD};
    const bool isInner = adjuster->place() == Adjuster::Place::BeforeOutputProjection;
    std::optional<TanhCombining::Argument> beforeTanh;  // if set, s is not computed
    const MixInput ofMixer{u_BSD, normed(entry.k_BSD), normed(entry.v_BSD), takesTanh(h, f) ? &beforeTanh : nullptr};
    BiasedProduct mixed_BSD = mixer->mix(ofMixer, isInner ? &inner : nullptr, context, f);
    if (adjusts && adjustsFirst) mixed_BSD = adjuster->adjust(mixed_BSD, u_BSD, f);
    const at::Tensor beside_BSD = parallel->beside(u_BSD, f);
    const bool isCutOff = isCut(f, path, kSublayerOutput), isReplaced = f.replaces(path, kSublayerOutput);
    const at::Tensor keeps = dropout->keepsSublayer(h.options(), f);
    at::Tensor y_BSD;
    if (beforeTanh) y_BSD = updated(r_BSD, *beforeTanh, f);
    const bool goesOn = !keeps.defined() && adjuster->place() != Adjuster::Place::BeforeFeedForward;  // y as it is joined
    if (!y_BSD.defined() && !isCutOff && !isReplaced && adjustsFirst && !beside_BSD.defined())
        y_BSD = joinInOnePass({r_BSD, u_BSD, mixed_BSD}, followingNorm(context, goesOn ? next : nullptr), f);
    if (!y_BSD.defined()) {
        at::Tensor s_BSD = dropout->sublayer(mixed_BSD, f);
        if (adjusts && !adjustsFirst) s_BSD = adjuster->adjust(s_BSD, u_BSD, f);
        if (beside_BSD.defined()) s_BSD = s_BSD + beside_BSD;
        if (normsOutput(place)) s_BSD = norm->normaliseAgain(s_BSD);
        if (!isCutOff) s_BSD = f.pass(path, kSublayerOutput, s_BSD);
        if (deep_ && keeps.defined()) s_BSD = at::where(keeps, s_BSD, at::zeros({}, s_BSD.options()));
        y_BSD = joined({reading, context.state->depth}, {r_BSD, u_BSD, isCutOff ? at::Tensor() : s_BSD}, f);
        if (normsSum(place)) y_BSD = normsInput(place) ? norm->normaliseAgain(y_BSD) : norm->normalise(y_BSD);
    }
    const at::Tensor without = deep_ ? y_BSD : h;  // later residuals over depth read that this one's output was 0
    if (adjuster->place() == Adjuster::Place::BeforeFeedForward) y_BSD = adjuster->adjust(y_BSD, u_BSD, f);
    if (keeps.defined()) y_BSD = at::where(keeps, y_BSD, without);
    if (f.wants(path, kStream)) f.pass(path, kStream, y_BSD);
    return y_BSD;
}

/// Whether tanh, dropout and residual connection may be one pass over the stream h: nothing stands between them.
bool Sublayer::takesTanh(const at::Tensor& h, const Forward& f) const {
    const bool isOfThisForm =
        weighing_ && keyed_ && !parts_.adjuster->adjusts() && !parts_.parallel->adds() && !parts_.norm->norms();
    if (!isOfThisForm || !f.training || f.path == Forward::Path::Reference || !updatesInOnePass(h)) return false;
    const std::string& path = parts_.path;
    const bool isAsked = f.wants(path, kSublayerOutput) || f.replaces(path, kSublayerOutput) || isCut(f, path, kSublayerOutput);
    return !isAsked && weighing_->weighs(f);
}

/// h + α ⊙ dropout(tanh(A + V x)).
at::Tensor Sublayer::updated(const at::Tensor& h_BSD, const TanhCombining::Argument& of, const Forward& f) const {
    const ModuleScope scope(parts_.residual.path());
    const WeighingResidual::Weight weight = weighing_->weight(f);
    const auto [key, p] = keyed_->sublayerDraw(f);
    return tanhUpdate({h_BSD, of.mixed_BSD, of.direct_BSD, weight.alpha, weight.fixed, key, p});
}

StreamsResidual::Reading Sublayer::readingOf(const at::Tensor& h, const Forward& f) const {
    if (!streams_) return {h, {}, {}};
    const ModuleScope scope(parts_.residual.path());
    return streams_->read(h, f);
}

DepthResidual::Entry Sublayer::entryOf(DepthStates& states, const StreamsResidual::Reading& reading, const Forward& f) const {
    if (!deep_) return {reading.r_BSD, reading.r_BSD, reading.k_BSD, reading.v_BSD};
    const ModuleScope scope(parts_.residual.path());
    return deep_->enter(states, reading.r_BSD, f);
}

/// The stream after the sublayer; `in.s_BSD` undefined: the sublayer gives nothing.
at::Tensor Sublayer::joined(const Connection& to, const Joined& in, const Forward& f) const {
    const ModuleScope scope(parts_.residual.path());
    const at::Tensor s_BSD = in.s_BSD;
    if (streams_) return StreamsResidual::write(to.reading, s_BSD);
    if (deep_) return deep_->joinOver(to.states, in.r_BSD, s_BSD.defined() ? s_BSD : at::zeros_like(in.r_BSD), f);
    return s_BSD.defined() ? parts_.residual.get()->join(in.r_BSD, in.u_BSD, s_BSD, f) : in.r_BSD;
}

/// The sublayer's own norm where it stands after the residual connection; that of the next reader where the own one stands
/// before the mixer.
Sublayer::FollowingNorm Sublayer::followingNorm(const MixContext& context, const AffineLayerNorm* next) const {
    switch (parts_.norm->place()) {
    case Norm::Place::Post: return {affine_, nullptr};
    case Norm::Place::Pre: return {next, &context.state->stream};
    default: return {nullptr, nullptr};
    }
}

/// Fused dropout, residual and norm; undefined if the blocks or tensors do not support it.
at::Tensor Sublayer::joinInOnePass(const Joined& in, const FollowingNorm& following, const Forward& f) const {
    const auto& [norm, stream] = following;
    if (!adding_ || !norm || !keyed_ || !f.training || f.path == Forward::Path::Reference) return {};
    if (!normsInOnePass(in.r_BSD) || !normsInOnePass(in.s_BSD.y) || in.r_BSD.sizes() != in.s_BSD.y.sizes()) return {};
    const ModuleScope scope(parts_.residual.path());
    const auto gate = adding_->gate(in.r_BSD, in.u_BSD, f);
    if (!gate) return {};
    if (gate->before_BSD.y.defined() && !normsInOnePass(gate->before_BSD.y)) return {};
    const auto [key, p] = keyed_->sublayerDraw(f);
    const ResidualParts sum{in.r_BSD, in.s_BSD, gate->before_BSD, key, p};
    if (!stream) return normedResidual(sum, norm->parts());
    const auto [z_BSD, normed_BSD] = residualAndNorm(sum, norm->parts());
    *stream = {z_BSD, normed_BSD, norm};
    return z_BSD;
}

at::Tensor withPosition(const Position& position, const at::Tensor& x_BSD, const StepPosition& at) {
    const at::Tensor& onDevice = at.places_BS.defined() ? at.places_BS : at.onDevice_1;
    if (!onDevice.defined()) return position.add(x_BSD, at.first);
    return dynamic_cast<const IncrementalPosition&>(position).addAt(x_BSD, onDevice);
}

Stack::Stack(StackParts parts) : parts_(std::move(parts)) {
    streams_ = parts_.layers.front().front().streams();
    if (!streams_) finalNorm_ = dynamic_cast<const AffineLayerNorm*>(parts_.finalNorm.get());
    for (const Layer& layer : parts_.layers) {
        for (const Sublayer& sublayer : layer) {
            readsDepth_ = readsDepth_ || sublayer.readsDepth();
            const std::vector<const Linear*> maps = sublayer.inputMaps();
            inputMaps_.insert(inputMaps_.end(), maps.begin(), maps.end());
            const std::vector<const Linear*> ofMemory = sublayer.memoryMaps();
            memoryMaps_.insert(memoryMaps_.end(), ofMemory.begin(), ofMemory.end());
        }
    }
}

at::Tensor Stack::run(const at::Tensor& x_BSD, const MixContext& context, const Forward& f) const {
    MixContext own = context;
    const bool mapsOneByOne = context.cache || f.path == Forward::Path::Reference;
    own.input = mapsOneByOne ? LinearInput(x_BSD) : mapInput(x_BSD);
    if (!mapsOneByOne && context.memory_BKD.defined()) own.memory = mapMemory(context.memory_BKD);
    return runFrom(parts_.start->start(x_BSD), own, f);
}

LinearInput Stack::mapInput(const at::Tensor& x_BSD) const {
    const ModuleScope scope(parts_.path);
    return {x_BSD, inputMaps_};
}

/// Returns nothing on the CPU, where each layer maps the memory itself: one product of all layers would round differently.
LinearInput Stack::mapMemory(const at::Tensor& memory_BKD) const {
    if (takesCpuPath(memory_BKD) || memoryMaps_.empty()) return {};
    const ModuleScope scope(parts_.path);
    return {memory_BKD, memoryMaps_};
}

std::vector<std::vector<at::Tensor>> Stack::jointParameters() const {
    std::vector<std::vector<at::Tensor>> all = heddle::jointParameters(inputMaps_);
    for (std::vector<at::Tensor>& ofMemory : heddle::jointParameters(memoryMaps_)) all.push_back(std::move(ofMemory));
    return all;
}

/// What the head reads of a state h after which no layer follows.
at::Tensor Stack::ended(const at::Tensor& h, const NormedStream& normed) const {
    const at::Tensor h_BSD = streams_ ? StreamsResidual::merge(h) : h;
    at::Tensor normed_BSD = normed.normed(h_BSD, finalNorm_);
    if (normed_BSD.defined()) return normed_BSD;
    return parts_.finalNorm ? parts_.finalNorm->normalise(h_BSD) : h_BSD;
}

/// The norm through which the state after a layer is read next, the last time by the head; null: another reader, or a share
/// that may stop after any layer.
const AffineLayerNorm* Stack::normAfter(std::int64_t layer, bool isLast) const {
    if (!dynamic_cast<const IncrementalShare*>(parts_.share.get())) return nullptr;
    if (isLast) return finalNorm_;
    if (parts_.position) return nullptr;
    const std::size_t following = static_cast<std::size_t>(layer) + 1;
    return parts_.layers[following < parts_.layers.size() ? following : 0].front().normBefore();
}

/// Shows the taps the state at a place of the stack, "h0" or "layers.3".
void Stack::showState(const std::string& place, const at::Tensor& h, const Forward& f) const {
    const std::string path = parts_.path + "." + place;
    if (!f.wants(path, kLayerState)) return;
    const at::NoGradGuard forTheTapsAlone;
    f.pass(path, kLayerState, ended(h, {}));
}

/// Applies a layer. Keeps references to `context` and `f`.
Share::Step Stack::stepOf(const MixContext& context, const Forward& f) const {
    return [this, &context, &f, passed = std::int64_t{0}](std::int64_t layer, const at::Tensor& h_BSD) mutable {
        const bool isLast = ++passed == parts_.depth;
        at::Tensor y_BSD = parts_.position ? withPosition(*parts_.position, h_BSD, context.position) : h_BSD;
        const Layer& sublayers = parts_.layers.at(static_cast<std::size_t>(layer));
        for (std::size_t i = 0; i < sublayers.size(); ++i) {
            const bool endsLayer = i + 1 == sublayers.size();
            y_BSD = sublayers[i].run(y_BSD, context, f, endsLayer ? normAfter(layer, isLast) : sublayers[i + 1].normBefore());
        }
        if (f.taps) showState("layers." + std::to_string(layer), y_BSD, f);
        return y_BSD;
    };
}

at::Tensor Stack::runFrom(const at::Tensor& start_BSD, const MixContext& context, const Forward& f) const {
    PassState state;
    MixContext own = context;
    own.state = &state;
    if (readsDepth_) state.depth = {start_BSD};
    const at::Tensor first = streams_ ? streams_->expand(start_BSD) : start_BSD;
    if (f.taps) showState("h0", first, f);
    const at::Tensor last = parts_.share->run(first, parts_.depth, stepOf(own, f), f);
    return ended(last, state.stream);
}

std::string Stack::captureObstacle(const std::string& name) const {
    if (dynamic_cast<const IncrementalShare*>(parts_.share.get()) || !parts_.share) return {};
    return name + ".share: how often the stream goes through the layers depends on its values, which the host must read";
}

std::string Stack::stepObstacle(const std::string& name, Steps steps) const {
    if (!dynamic_cast<const IncrementalShare*>(parts_.share.get()))
        return name + ".share: how often the stream goes through the layers depends on the whole sequence";
    for (const Layer& layer : parts_.layers) {
        for (const Sublayer& sublayer : layer) {
            if (auto obstacle = sublayer.stepObstacle(steps); !obstacle.empty()) return obstacle;
        }
    }
    return {};
}

}  // namespace heddle
