// SPDX-License-Identifier: Apache-2.0
#include "engine/model/composed_model.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"
#include "engine/spec/error.h"

namespace heddle {

ComposedModel::ComposedModel(const ResolvedVariant& variant, std::uint64_t seed, at::ScalarType type)
    : variant_(variant),
      type_(type),
      store_(seed, makeInit(variant_.globals.at("init")), type),
      embedding_(Builder(variant_, store_, type).embedding()),
      position_(Builder(variant_, store_, type).position()),
      encoder_(Builder(variant_, store_, type).encoder(*position_)),
      decoder_(Builder(variant_, store_, type).decoder(*position_)),
      head_(Builder(variant_, store_, type).head(*embedding_)) {}

at::Tensor ComposedModel::embed(Embedding::Side side, const ModelInput& input, const Forward& f) const {
    at::Tensor x_BSD = embedding_->look(side, input.ids_BS, input.types_BS);
    if (position_->where() == Position::Where::Input) x_BSD = position_->add(x_BSD, 0);
    return embedding_->finish(side, x_BSD, f);
}

KeyMasks ComposedModel::masksOf(const at::Tensor& ids_BS, const at::Tensor& embedded_BSD) const {
    return {embedding_->padding(ids_BS), embedded_BSD.size(1), at::TensorOptions(type_).device(embedded_BSD.device())};
}

at::Tensor ComposedModel::encode(const ModelInput& source, const Forward& f) const {
    TORCH_INTERNAL_ASSERT(!variant_.encoder.empty(), "this topology has no encoder");
    const at::Tensor x_BSD = embed(Embedding::Side::Source, source, f);
    const KeyMasks masks = masksOf(source.ids_BS, x_BSD);
    MixContext context;
    context.self = &masks;
    return encoder_.run(x_BSD, context, f);
}

at::Tensor ComposedModel::decode(const ModelInput& target, const Memory& memory, const Forward& f) const {
    TORCH_INTERNAL_ASSERT(!variant_.decoder.empty(), "this topology has no decoder");
    const at::Tensor x_BSD = embed(Embedding::Side::Target, target, f);
    const KeyMasks masks = masksOf(target.ids_BS, x_BSD);
    MixContext context;
    context.self = &masks;
    if (!memory.hidden_BSD.defined()) return decoder_.run(x_BSD, context, f);
    const KeyMasks memoryMasks = masksOf(memory.source_BS, memory.hidden_BSD);
    context.cross = &memoryMasks;
    context.memory_BKD = memory.hidden_BSD;
    return decoder_.run(x_BSD, context, f);
}

at::Tensor ComposedModel::pool(const at::Tensor& hidden_BSW, const at::Tensor& ids_BS, const Forward& f) const {
    return head_->pool(hidden_BSW, embedding_->padding(ids_BS), f);
}

std::vector<std::string> ComposedModel::attentionPaths() const {
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
    throwIfVocabularyIsMissing(variant, builtinCatalogue());
    return std::make_unique<ComposedModel>(variant, seed, type);
}

}  // namespace heddle
