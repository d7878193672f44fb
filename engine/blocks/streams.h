// SPDX-License-Identifier: Apache-2.0
// Interfaces of slot "residual" for stacks whose sublayers are not joined by one stream alone: several residual streams, and
// states of earlier layers. A block derives from one of these classes in place of Residual.
// Shapes: B batch, S sequence, N residual streams, D model width.
#pragma once

#include "engine/blocks/block.h"

#include <string>
#include <vector>

namespace heddle {

/// Slot "residual": a block over N residual streams H [B,S,N,D] (Zhu et al. 2025, arXiv 2409.19606, section 2.1). All sublayers
/// of a stack have the same block. The block of the first one expands the stack's input, that of the last one merges the
/// streams.
class StreamsResidual : public Residual {
public:
    /// What read() makes of H.
    struct Reading {
        at::Tensor r_BSD;                   ///< the input of the sublayer
        at::Tensor kept_BSND;               ///< the streams as they are without the sublayer
        at::Tensor write_BSN;               ///< each stream's share of the sublayer's output; [N]: the same at all positions
        at::Tensor k_BSD = {}, v_BSD = {};  ///< for keys and values of attention to the stream itself; undefined: r_BSD
    };
    virtual Reading read(const at::Tensor& streams_BSND, const Forward& f) const = 0;
    /// Returns H′ = kept + write ⊗ s, or kept where s is undefined (the sublayer is cut off).
    static at::Tensor write(const Reading& reading, const at::Tensor& s_BSD);
    /// Returns N copies of h, in the type of the block's parameters.
    at::Tensor expand(const at::Tensor& h_BSD) const;
    /// Returns the sum of the streams.
    static at::Tensor merge(const at::Tensor& streams_BSND);

    /// Joins as if the stack had this sublayer alone and the input r.
    at::Tensor join(const at::Tensor& r_BSD, const at::Tensor& u_BSD, const at::Tensor& s_BSD, const Forward& f) const final;

protected:
    StreamsResidual(std::string path, std::int64_t streams, at::ScalarType type)
        : path_(std::move(path)), streams_(streams), type_(type) {}

    const std::string& path() const { return path_; }
    std::int64_t streams() const { return streams_; }
    /// Shows the taps the length of each stream, the mean over all positions.
    void showNorms(const at::Tensor& streams_BSND, const Forward& f) const;
    /// Passes weights through the taps, which see [B,S,N] or [B,S,N,N]: weights that all positions have in common ([N], [N,N])
    /// are expanded where a tap asks for them. Returns the weights to use.
    at::Tensor shown(const char* exposure, const at::Tensor& weights, const at::Tensor& streams_BSND, const Forward& f) const;
    /// Returns the inputs of a sublayer, of which kept_BSND and write_BSN remain to be set. `weights` are [B,S,V·N] or [V·N]:
    /// those of one mixture of the streams (V = 1), or of one each for queries, keys and values, one after the other (V = 3).
    Reading mixtures(const at::Tensor& weights, const at::Tensor& streams_BSND) const;

private:
    std::string path_;
    std::int64_t streams_;
    at::ScalarType type_;
};

/// Returns Σ_n w[…,m,n] H[…,n,:], [B,S,M,D]. Autocast does not lower its precision, because errors of the streams add up from
/// layer to layer.
at::Tensor mixStreams(const at::Tensor& weights_MN, const at::Tensor& streams_BSND);

/// The states [B,S,D] of one pass that the residual blocks over depth read, in the order of the layers; the first is h⁰.
using DepthStates = std::vector<at::Tensor>;

/// Slot "residual": a block that reads states of earlier layers of the pass.
class DepthResidual : public Residual {
public:
    /// What a sublayer reads.
    struct Entry {
        at::Tensor r_BSD;                   ///< the stream to which its output is joined
        at::Tensor in_BSD;                  ///< the input of its norm and mixer
        at::Tensor k_BSD = {}, v_BSD = {};  ///< for keys and values of attention to the stream itself; undefined: in_BSD
    };
    /// Called before the sublayer with the stream h. Default: h for both.
    virtual Entry enter(DepthStates& states, const at::Tensor& h_BSD, const Forward& f) const;
    /// Returns the stream after the sublayer. `states` are those that earlier sublayers have left; enter() or this adds the
    /// block's own.
    virtual at::Tensor joinOver(DepthStates& states, const at::Tensor& r_BSD, const at::Tensor& s_BSD,
                                const Forward& f) const = 0;

    /// Joins as if the stack had this sublayer alone and the input r.
    at::Tensor join(const at::Tensor& r_BSD, const at::Tensor& u_BSD, const at::Tensor& s_BSD, const Forward& f) const final;
};

/// Returns Σ_n w_n X_n. `weights` are [N], or [B,S,N] where they depend on the position.
at::Tensor weightedSum(const at::Tensor& weights, const DepthStates& states_BSD);

}  // namespace heddle
