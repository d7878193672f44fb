// SPDX-License-Identifier: Apache-2.0
#include "engine/model/encoder_decoder.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/error.h"

namespace heddle {

EncoderDecoder::EncoderDecoder(const ResolvedVariant& variant, std::uint64_t seed, at::ScalarType type)
    : variant_(variant),
      type_(type),
      store_(seed, makeInit(variant_.globals.at("init")), type),
      embedding_(Builder(variant_, store_, type).embedding()),
      position_(Builder(variant_, store_, type).position()),
      encoder_(Builder(variant_, store_, type).encoder()),
      decoder_(Builder(variant_, store_, type).decoder()),
      head_(Builder(variant_, store_, type).head(*embedding_)) {}

at::Tensor EncoderDecoder::embed(Embedding::Side side, const at::Tensor& ids_BS, const Forward& f) const {
    return embedding_->drop(side, position_->add(embedding_->look(side, ids_BS), 0), f);
}

at::Tensor EncoderDecoder::encode(const at::Tensor& source_BS, const Forward& f) const {
    MixContext context;
    context.self = paddingMask(source_BS, type_);
    return encoder_.run(embed(Embedding::Side::Source, source_BS, f), context, f);
}

at::Tensor EncoderDecoder::decode(const at::Tensor& targetIn_BT, const at::Tensor& memory_BSD, const at::Tensor& source_BS,
                                  const Forward& f) const {
    MixContext context;
    // Padding stands at the end of a target, where the causal mask hides it from every real position already.
    context.self = causalMask(targetIn_BT.size(1), at::TensorOptions(type_).device(targetIn_BT.device()));
    context.cross = paddingMask(source_BS, type_);
    context.memory_BKD = memory_BSD;
    return decoder_.run(embed(Embedding::Side::Target, targetIn_BT, f), context, f);
}

std::vector<std::string> EncoderDecoder::attentionPaths() const {
    std::vector<std::string> paths;
    for (const auto* layers : {&variant_.encoder, &variant_.decoder}) {
        for (const ResolvedLayer& layer : *layers) {
            for (const ResolvedSublayer& sublayer : layer.sublayers) {
                if (sublayer.slots.contains("scorer")) paths.push_back(sublayer.path);
            }
        }
    }
    return paths;
}

std::unique_ptr<Model> buildModel(const ResolvedVariant& variant, std::uint64_t seed, at::ScalarType type) {
    if (variant.topology != "encdec") {
        throwInvalid("topology \"" + variant.topology + "\" cannot be built by this version", "topology", "choose \"encdec\"");
    }
    if (variant.dims.vocabSrc <= 0 || variant.dims.vocabTgt <= 0) {
        throwInvalid("the vocabulary sizes are not known", "dims.vocab_src, dims.vocab_tgt",
                     "state them in the variant, or give data to find them in");
    }
    return std::make_unique<EncoderDecoder>(variant, seed, type);
}

}  // namespace heddle
