// SPDX-License-Identifier: Apache-2.0
// The list of all blocks. A new block is a file engine/blocks/<slot>/<id>.cpp and a line here; those that do nothing are in
// engine/blocks/none.cpp together.
#ifdef HEDDLE_MODULES
#include "engine/base/error.h"
#include "engine/blocks/block.h"

#include <map>
#include <utility>
#else
#include "engine/spec/catalogue.h"
#endif

//   BLOCK(slot, id, Name): the file defines describeName() and makeName().
#define HEDDLE_BLOCKS(BLOCK)                                     \
    BLOCK("embed", "learned", LearnedEmbedding)                  \
    BLOCK("embed", "tied_src_tgt", TiedSourceTargetEmbedding)    \
    BLOCK("embed", "tied_out", TiedOutputEmbedding)              \
    BLOCK("embed", "tied_all", TiedAllEmbedding)                 \
    BLOCK("embed", "frozen_file", FrozenFileEmbedding)           \
    BLOCK("embed", "patches", PatchesEmbedding)                  \
    BLOCK("position", "sinusoid", SinusoidPosition)              \
    BLOCK("position", "sinusoid_concat", SinusoidConcatPosition) \
    BLOCK("position", "sinusoid_double", SinusoidDoublePosition) \
    BLOCK("position", "learned", LearnedPosition)                \
    BLOCK("position", "directional", DirectionalPosition)        \
    BLOCK("position", "none", NoPosition)                        \
    BLOCK("share", "distinct", DistinctShare)                    \
    BLOCK("share", "shared", SharedShare)                        \
    BLOCK("share", "fixed_point", FixedPointShare)               \
    BLOCK("h0", "input", InputStart)                             \
    BLOCK("h0", "linear", LinearStart)                           \
    BLOCK("h0", "zeros", ZerosStart)                             \
    BLOCK("h0", "learned", LearnedStart)                         \
    BLOCK("mask", "padding", PaddingMask)                        \
    BLOCK("mask", "causal", CausalMask)                          \
    BLOCK("mask", "padding_causal", PaddingCausalMask)           \
    BLOCK("mask", "sliding", SlidingMask)                        \
    BLOCK("mask", "none", NoMask)                                \
    BLOCK("relative", "none", NoRelative)                        \
    BLOCK("relative", "rotary", RotaryRelative)                  \
    BLOCK("relative", "alibi", AlibiRelative)                    \
    BLOCK("relative", "t5", T5Relative)                          \
    BLOCK("scorer", "dot", DotScorer)                            \
    BLOCK("scorer", "grouped", GroupedScorer)                    \
    BLOCK("scorer", "rotary", RotaryScorer)                      \
    BLOCK("scorer", "alibi", AlibiScorer)                        \
    BLOCK("scorer", "qk_norm", QkNormScorer)                     \
    BLOCK("scorer", "bilinear", BilinearScorer)                  \
    BLOCK("scorer", "chain", ChainScorer)                        \
    BLOCK("score", "none", NoScoreRule)                          \
    BLOCK("score", "add", AddScoreRule)                          \
    BLOCK("cap", "none", NoCap)                                  \
    BLOCK("cap", "soft", SoftCap)                                \
    BLOCK("selector", "none", NoSelector)                        \
    BLOCK("selector", "sea", SeaSelector)                        \
    BLOCK("normaliser", "softmax", SoftmaxNormaliser)            \
    BLOCK("normaliser", "topk", TopKNormaliser)                  \
    BLOCK("normaliser", "sparsek", SparseKNormaliser)            \
    BLOCK("normaliser", "entmax15", Entmax15Normaliser)          \
    BLOCK("normaliser", "talking_heads", TalkingHeadsNormaliser) \
    BLOCK("normaliser", "sink", SinkNormaliser)                  \
    BLOCK("normaliser", "differential", DifferentialNormaliser)  \
    BLOCK("value_carry", "none", NoValueCarry)                   \
    BLOCK("value_carry", "first_layer", FirstValueCarry)         \
    BLOCK("value", "heads_proj", HeadsProjectedValue)            \
    BLOCK("value", "grouped", GroupedValue)                      \
    BLOCK("value", "heads_noproj", UnprojectedHeadsValue)        \
    BLOCK("value", "directional", DirectionalValue)              \
    BLOCK("value", "single", SingleValue)                        \
    BLOCK("direct", "none", NoDirectPath)                        \
    BLOCK("direct", "vx", InputDirectPath)                       \
    BLOCK("combine", "identity", IdentityCombine)                \
    BLOCK("combine", "tanh", TanhCombine)                        \
    BLOCK("combine", "tanh_gated", GatedTanhCombine)             \
    BLOCK("combine", "gru", GruCombine)                          \
    BLOCK("combine", "lstm", LstmCombine)                        \
    BLOCK("ffn", "mlp", MlpFeedForward)                          \
    BLOCK("ffn", "glu", GluFeedForward)                          \
    BLOCK("recurrence", "lstm", LstmRecurrence)                  \
    BLOCK("recurrence", "gru", GruRecurrence)                    \
    BLOCK("recurrence", "rnn", RnnRecurrence)                    \
    BLOCK("adjuster", "none", NoAdjuster)                        \
    BLOCK("adjuster", "eau", EauAdjuster)                        \
    BLOCK("adjuster", "output_gate", OutputGateAdjuster)         \
    BLOCK("adjuster", "head_norm", HeadNormAdjuster)             \
    BLOCK("adjuster", "head_scale", HeadScaleAdjuster)           \
    BLOCK("adjuster", "aoa", AoaAdjuster)                        \
    BLOCK("parallel", "none", NoParallel)                        \
    BLOCK("parallel", "sdu", SduParallel)                        \
    BLOCK("residual", "add", AddResidual)                        \
    BLOCK("residual", "alpha", AlphaResidual)                    \
    BLOCK("residual", "grc", GrcResidual)                        \
    BLOCK("residual", "highway", HighwayResidual)                \
    BLOCK("residual", "gru", GruResidual)                        \
    BLOCK("residual", "deepnorm", DeepNormResidual)              \
    BLOCK("residual", "keel", KeelResidual)                      \
    BLOCK("residual", "hyper", HyperResidual)                    \
    BLOCK("residual", "mhc", MhcResidual)                        \
    BLOCK("residual", "dense", DenseResidual)                    \
    BLOCK("residual", "mudd", MuddResidual)                      \
    BLOCK("residual", "attn_res", AttnResResidual)               \
    BLOCK("residual", "reinject", ReinjectResidual)              \
    BLOCK("residual", "unet", UnetResidual)                      \
    BLOCK("residual", "lime", LimeResidual)                      \
    BLOCK("residual", "none", NoResidual)                        \
    BLOCK("norm", "layernorm", LayerNorm)                        \
    BLOCK("norm", "rmsnorm", RmsNorm)                            \
    BLOCK("norm", "scalenorm", ScaleNorm)                        \
    BLOCK("norm", "dyt", DynamicTanh)                            \
    BLOCK("norm", "none", NoNorm)                                \
    BLOCK("dropout", "standard", StandardDropout)                \
    BLOCK("head", "lm", LmHead)                                  \
    BLOCK("head", "mlm", MlmHead)                                \
    BLOCK("head", "classify", ClassifyHead)                      \
    BLOCK("head", "regress", RegressHead)                        \
    BLOCK("head", "tag", TagHead)                                \
    BLOCK("head", "span", SpanHead)                              \
    BLOCK("init", "torch_default", TorchDefaultInit)             \
    BLOCK("init", "xavier_uniform", XavierUniformInit)           \
    BLOCK("init", "glorot_keras", GlorotKerasInit)               \
    BLOCK("init", "kaiming_uniform", KaimingUniformInit)         \
    BLOCK("init", "orthogonal", OrthogonalInit)                  \
    BLOCK("init", "normal", NormalInit)

namespace heddle {

#ifdef HEDDLE_MODULES

#define HEDDLE_DECLARE(slot, id, Name) std::unique_ptr<Block> make##Name(const BuildContext& context);
HEDDLE_BLOCKS(HEDDLE_DECLARE)

std::unique_ptr<Block> makeBlock(const std::string& slot, const std::string& id, const BuildContext& context) {
    using Make = std::unique_ptr<Block> (*)(const BuildContext&);
#define HEDDLE_MAKE(slot, id, Name) {{slot, id}, make##Name},
    static const std::map<std::pair<std::string, std::string>, Make> kMakers{HEDDLE_BLOCKS(HEDDLE_MAKE)};
    if (const auto found = kMakers.find({slot, id}); found != kMakers.end()) return found->second(context);
    throwInvalid("unknown block \"" + id + "\" for slot \"" + slot + "\"", context.scope.path(),
                 "heddle blocks list shows all blocks");
}

#else

#define HEDDLE_DECLARE(slot, id, Name) BlockDescriptor describe##Name();
HEDDLE_BLOCKS(HEDDLE_DECLARE)

namespace {

BlockDescriptor named(const char* slot, const char* id, BlockDescriptor descriptor) {
    descriptor.slot = slot;
    descriptor.id = id;
    return descriptor;
}

}  // namespace

const Catalogue& builtinCatalogue() {
#define HEDDLE_DESCRIBE(slot, id, Name) named(slot, id, describe##Name()),
    static const Catalogue kCatalogue({HEDDLE_BLOCKS(HEDDLE_DESCRIBE)});
    return kCatalogue;
}

#endif

}  // namespace heddle
