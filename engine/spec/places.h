// SPDX-License-Identifier: Apache-2.0
// The places of a model in which blocks stand, with their words in spec files.
#pragma once

#include "engine/spec/choice_words.h"

#include <string>

namespace heddle {

enum class Topology { EncoderDecoder, Encoder, Decoder, BiLstm };
template <>
struct ChoiceWords<Topology> {
    static constexpr ChoiceWord<Topology> kAll[] = {{"encdec", Topology::EncoderDecoder},
                                                    {"encoder", Topology::Encoder},
                                                    {"decoder", Topology::Decoder},
                                                    {"bilstm", Topology::BiLstm}};
};

enum class StackName { Encoder, Decoder };
template <>
struct ChoiceWords<StackName> {
    static constexpr ChoiceWord<StackName> kAll[] = {{"encoder", StackName::Encoder}, {"decoder", StackName::Decoder}};
};

enum class SublayerName { Self, Cross, Ffn, SecondFfn, Star, Lstm };
template <>
struct ChoiceWords<SublayerName> {
    static constexpr ChoiceWord<SublayerName> kAll[] = {{"self", SublayerName::Self}, {"cross", SublayerName::Cross},
                                                        {"ffn", SublayerName::Ffn},   {"ffn2", SublayerName::SecondFfn},
                                                        {"star", SublayerName::Star}, {"lstm", SublayerName::Lstm}};
};

inline bool isFeedForward(SublayerName name) { return name == SublayerName::Ffn || name == SublayerName::SecondFfn; }
/// True for a word of a feed-forward sublayer, "ffn" or "ffn2".
inline bool isFeedForward(const std::string& name) {
    const auto known = choiceNamed<SublayerName>(name);
    return known && isFeedForward(*known);
}

/// Where in the sublayer an adjuster is applied: on the mixer's output, on the merged heads before the output projection, or on
/// the stream after residual and norm (variants.md section 0, table 1.10 E1).
enum class AdjusterPlace { AttentionOutput, BeforeOutputProjection, BeforeFeedForward };
template <>
struct ChoiceWords<AdjusterPlace> {
    static constexpr ChoiceWord<AdjusterPlace> kAll[] = {{"attn_out", AdjusterPlace::AttentionOutput},
                                                         {"before_wo", AdjusterPlace::BeforeOutputProjection},
                                                         {"before_ffn", AdjusterPlace::BeforeFeedForward}};
};

/// Where the norm stands: after the residual connection (Vaswani et al. 2017), before the sublayer, both before the sublayer
/// and on its output before the residual connection (sandwich: Ding et al. 2021, Gemma 2), there alone (res_post: Swin V2,
/// OLMo 2), or before the sublayer and after the residual connection (both: Keel).
enum class NormPlace { Post, Pre, Sandwich, ResPost, Both };
template <>
struct ChoiceWords<NormPlace> {
    static constexpr ChoiceWord<NormPlace> kAll[] = {{"post", NormPlace::Post},
                                                     {"pre", NormPlace::Pre},
                                                     {"sandwich", NormPlace::Sandwich},
                                                     {"res_post", NormPlace::ResPost},
                                                     {"both", NormPlace::Both}};
};
inline bool normsInput(NormPlace place) {
    return place == NormPlace::Pre || place == NormPlace::Sandwich || place == NormPlace::Both;
}
inline bool normsOutput(NormPlace place) { return place == NormPlace::Sandwich || place == NormPlace::ResPost; }
/// After the residual connection.
inline bool normsSum(NormPlace place) { return place == NormPlace::Post || place == NormPlace::Both; }

}  // namespace heddle
