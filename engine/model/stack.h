// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/fusing.h"
#include "engine/model/mixer.h"
#include "engine/model/module_part.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// The parts of one sublayer.
struct SublayerParts {
    std::unique_ptr<Mixer> mixer;
    ModulePart<Adjuster> adjuster;
    ModulePart<Parallel> parallel;
    ModulePart<Dropout> dropout;
    ModulePart<Residual> residual;
    ModulePart<Norm> norm;
    std::string path;  ///< "encoder.layers.0.self"
};

/// One sublayer, evaluated in the fixed order of variants.md section 0:
///   u = N(r) if the norm is pre, sandwich or both, else r; s = mixer(u); then on s: adjuster, dropout, sum with the parallel
///   block, N if the norm is sandwich or res_post; y = residual(r, s); then on y: N if the norm is post or both, and the
///   adjuster where its option `where` is before_ffn.
/// Where the norm is pre, the pass that computes y may normalise it for the next reader, too (residualAndNorm()).
/// A step of training may leave the sublayer out; then y = h. With several residual streams h and y are [B,S,N,D], and r is
/// what the residual block reads of h. A residual block over depth may give N and the mixer another input than r; both kinds
/// may feed keys and values of attention apart.
class Sublayer {
public:
    explicit Sublayer(SublayerParts parts);
    /// `next`: the norm through which y is read next; null: another reader.
    at::Tensor run(const at::Tensor& h, const MixContext& context, const Forward& f, const AffineLayerNorm* next) const;
    /// The norm of place pre that reads h; null: another reader, several streams, or states of earlier layers.
    const AffineLayerNorm* normBefore() const;
    const StreamsResidual* streams() const { return streams_; }  ///< null: one stream
    bool readsDepth() const { return deep_ != nullptr; }
    std::vector<const Linear*> inputMaps() const { return parts_.mixer->inputMaps(); }
    std::vector<const Linear*> memoryMaps() const { return parts_.mixer->memoryMaps(); }
    std::string stepObstacle(Steps steps) const { return parts_.mixer->stepObstacle(steps); }

private:
    struct Joined {
        const at::Tensor &r_BSD, &u_BSD;  ///< sublayer input, mixer input
        const BiasedProduct& s_BSD;       ///< joinInOnePass(): mixer output before dropout; joined(): sublayer output
    };
    bool takesTanh(const at::Tensor& h, const Forward& f) const;
    at::Tensor updated(const at::Tensor& h_BSD, const TanhCombining::Argument& of, const Forward& f) const;
    /// The norm that one pass computes together with the residual connection.
    struct FollowingNorm {
        const AffineLayerNorm* norm;  ///< null: none
        NormedStream* stream;         ///< gets it where y itself goes on; null: it is the sublayer's result
    };
    FollowingNorm followingNorm(const MixContext& context, const AffineLayerNorm* next) const;
    at::Tensor joinInOnePass(const Joined& in, const FollowingNorm& following, const Forward& f) const;
    struct Connection {
        const StreamsResidual::Reading& reading;  ///< with one stream r alone
        DepthStates& states;
    };
    StreamsResidual::Reading readingOf(const at::Tensor& h, const Forward& f) const;
    DepthResidual::Entry entryOf(DepthStates& states, const StreamsResidual::Reading& reading, const Forward& f) const;
    at::Tensor joined(const Connection& to, const Joined& in, const Forward& f) const;

    SublayerParts parts_;
    const AddingResidual* adding_;  // null: not supported
    const AffineLayerNorm* affine_;
    const KeyedDropout* keyed_;
    const WeighingResidual* weighing_;
    const StreamsResidual* streams_;
    const DepthResidual* deep_;
};

/// One layer's sublayers.
using Layer = std::vector<Sublayer>;

/// Adds positions to x; positions on the device require an IncrementalPosition.
at::Tensor withPosition(const Position& position, const at::Tensor& x_BSD, const StepPosition& at);

/// The parts of an encoder or a decoder.
struct StackParts {
    std::string path;  ///< "encoder" or "decoder"
    ModulePart<Start> start;
    ModulePart<Share> share;
    std::vector<Layer> layers;           ///< a single one if the layers share weights
    std::int64_t depth = 0;              ///< number of layers applied in a pass
    ModulePart<Norm> finalNorm;          ///< null: none
    const Position* position = nullptr;  ///< added before every layer; null: added to the input
};

/// An encoder or a decoder: h⁰, the layers, the final norm.
class Stack {
public:
    Stack() = default;
    explicit Stack(StackParts parts);

    at::Tensor run(const at::Tensor& x_BSD, const MixContext& context, const Forward& f) const;
    /// Applies the layers to a given h⁰; the caller sets `context.input`.
    at::Tensor runFrom(const at::Tensor& start_BSD, const MixContext& context, const Forward& f) const;
    /// Lists of the parameters that the store keeps contiguous, because one product reads them (heddle::jointParameters).
    std::vector<std::vector<at::Tensor>> jointParameters() const;
    /// Why the stack cannot decode incrementally (MixContext::cache) in such steps, with the path; empty: it can.
    std::string stepObstacle(const std::string& name, Steps steps) const;
    /// Why a device cannot capture and replay a pass, with the path; empty: it can.
    std::string captureObstacle(const std::string& name) const;

private:
    LinearInput mapInput(const at::Tensor& x_BSD) const;
    LinearInput mapMemory(const at::Tensor& memory_BKD) const;
    at::Tensor ended(const at::Tensor& h, const NormedStream& normed) const;
    Share::Step stepOf(const MixContext& context, const Forward& f) const;
    const AffineLayerNorm* normAfter(std::int64_t layer, bool isLast) const;
    void showState(const std::string& place, const at::Tensor& h, const Forward& f) const;

    StackParts parts_;
    const StreamsResidual* streams_ = nullptr;    ///< of the first sublayer; null: one stream
    const AffineLayerNorm* finalNorm_ = nullptr;  ///< null: none, or not supported
    std::vector<const Linear*> inputMaps_;        ///< projections of the stack's input by all layers
    std::vector<const Linear*> memoryMaps_;       ///< likewise of the memory
    bool readsDepth_ = false;
};

}  // namespace heddle
