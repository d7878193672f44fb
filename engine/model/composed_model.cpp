// SPDX-License-Identifier: Apache-2.0
#include "engine/model/composed_model.h"

#include "engine/blocks/fusing.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/embedding.h"
#include "engine/model/base_model.h"
#include "engine/spec/cost.h"

namespace heddle {

ComposedModel::ComposedModel(const ResolvedVariant& variant, ParameterStore store)
    : variant_(variant),
      type_(store.type()),
      store_(std::move(store)),
      embedding_(Builder(variant_, store_, type_).embedding()),
      position_(Builder(variant_, store_, type_).position()),
      encoder_(Builder(variant_, store_, type_).stack("encoder", *position_)),
      decoder_(Builder(variant_, store_, type_).stack("decoder", *position_)),
      head_(Builder(variant_, store_, type_).head(*embedding_)),
      lookUp_(dynamic_cast<const PlainLookUp*>(embedding_.get())),
      addedPosition_(dynamic_cast<const AddedPosition*>(position_.get())) {}

at::Tensor ComposedModel::placed(const at::Tensor& x_BSD, const StepPosition& at) const {
    const ModuleScope scope(position_.path());
    return position_->where() == Position::Where::Input ? withPosition(*position_, x_BSD, at) : x_BSD;
}

/// embed() by one kernel. Returns undefined if a block or the device does not support it.
at::Tensor ComposedModel::embeddedAtOnce(Embedding::Side side, const ModelInput& input, const StepPosition& at,
                                         const Forward& f) const {
    const std::optional<PlainLookUp::Rows> of = lookUp_ ? lookUp_->rows(side, f) : std::nullopt;
    if (!of || !embedsInOnePass(of->table_VD, input.ids_BS, input.order_N)) return {};
    at::Tensor position_SD;
    if (position_->where() == Position::Where::Input) {
        if (!addedPosition_ || at.places_BS.defined() || at.onDevice_1.defined()) return {};
        position_SD = addedPosition_->added_SD(at.first, input.ids_BS.size(1));
    }
    const ModuleScope scope(embedding_.path());
    return embeddedInput({of->table_VD, input.ids_BS, input.order_N, position_SD, of->scale, of->draw.key, of->draw.p});
}

at::Tensor ComposedModel::embed(Embedding::Side side, const ModelInput& input, const StepPosition& at, const Forward& f) const {
    if (at::Tensor x_BSD = embeddedAtOnce(side, input, at, f); x_BSD.defined()) return x_BSD;
    return embedding_->finish(side, placed(embedding_->embed(side, {input.ids_BS, input.types_BS, input.order_N}), at), f);
}

at::Tensor ComposedModel::embedTarget(const at::Tensor& ids_BT, const StepPosition& at, const Forward& f) const {
    const auto side = Embedding::Side::Target;
    return embedding_->finish(side, placed(embedding_->embed(side, {ids_BT}), at), f);
}

KeyMasks ComposedModel::masksOf(const at::Tensor& ids_BS, Padding padding, const at::Tensor& embedded_BSD,
                                DocumentPlaces documents) const {
    const at::Tensor padding_BS = padding == Padding::None ? at::Tensor() : paddingOf(ids_BS);
    KeyMasks masks(KeyPadding(padding_BS, padding != Padding::Anywhere), embedded_BSD.size(1),
                   scoreOptions(embedded_BSD.device()));
    masks.separate(std::move(documents));
    return masks;
}

at::Tensor ComposedModel::encode(const ModelInput& source, const Forward& f) const {
    TORCH_INTERNAL_ASSERT(!variant_.encoder.empty(), "this topology has no encoder");
    const DocumentPlaces documents = placesIn(source.documents_BS);
    MixContext context;
    context.position.places_BS = documents.place_BS;
    const at::Tensor x_BSD = embed(Embedding::Side::Source, source, context.position, f);
    const KeyMasks masks = masksOf(source.ids_BS, source.padding, x_BSD, documents);
    context.self = &masks;
    return encoder_.run(x_BSD, context, f);
}

at::Tensor ComposedModel::decode(const ModelInput& target, const Memory& memory, const Forward& f) const {
    TORCH_INTERNAL_ASSERT(!variant_.decoder.empty(), "this topology has no decoder");
    const DocumentPlaces documents = placesIn(target.documents_BS);
    MixContext context;
    context.position.places_BS = documents.place_BS;
    const at::Tensor x_BSD = embed(Embedding::Side::Target, target, context.position, f);
    const KeyMasks masks = masksOf(target.ids_BS, target.padding, x_BSD, documents);
    context.self = &masks;
    if (!memory.hidden_BSD.defined()) return decoder_.run(x_BSD, context, f);
    const KeyMasks memoryMasks = masksOf(memory.source_BS, memory.padding, memory.hidden_BSD);
    context.cross = &memoryMasks;
    context.memory_BKD = memory.hidden_BSD;
    return decoder_.run(x_BSD, context, f);
}

std::unique_ptr<DecodingState> ComposedModel::startDecoding(const Memory& memory, DecodingMemory kept) const {
    TORCH_INTERNAL_ASSERT(!variant_.decoder.empty(), "this topology has no decoder");
    return makeDecodingState(*this, memory, kept);
}

std::string ComposedModel::stepObstacle() const { return stepObstacle(Steps::Placed); }

std::string ComposedModel::stepObstacle(Steps steps) const {
    if (!embedding_->table(Embedding::Side::Target).defined()) return "embed: it reads no tokens, of which more could come";
    return decoder_.stepObstacle("decoder", steps);
}

std::unique_ptr<ReplayableState> ComposedModel::makeReplayableState(std::int64_t capacity) const {
    TORCH_INTERNAL_ASSERT(stepCaptureObstacle().empty(), "this model's steps cannot be captured");
    return heddle::makeReplayableState(*this, capacity);
}

std::string ComposedModel::stepCaptureObstacle() const {
    if (!dynamic_cast<const IncrementalPosition*>(position_.get())) return "position: the host must say where a step stands";
    return stepObstacle(Steps::Replayed);
}

std::string ComposedModel::captureObstacle() const {
    const std::string ofEncoder = encoder_.captureObstacle("encoder");
    return ofEncoder.empty() ? decoder_.captureObstacle("decoder") : ofEncoder;
}

at::Tensor ComposedModel::pool(const at::Tensor& hidden_BSW, const at::Tensor& ids_BS, const Forward& f) const {
    return head_->pool(hidden_BSW, ids_BS.defined() ? embedding_->padding(ids_BS) : at::Tensor(), f);
}

std::vector<std::string> ComposedModel::attentionPaths() const {
    std::vector<std::string> paths;
    for (const ResolvedSublayer* sublayer : sublayersOf(variant_))
        if (sublayer->slots.contains("scorer")) paths.push_back(sublayer->path);
    return paths;
}

std::unique_ptr<Model> buildModel(const ResolvedVariant& variant, std::uint64_t seed, at::ScalarType type) {
    throwIfVocabularyIsMissing(variant);
    ParameterStore store(seed, makeInit(variant.globals.at("init")), type);
    if (variant.dims.baseD > 0) store.transferFrom(std::make_shared<BaseModel>(baseModelOf(variant)));
    return std::make_unique<ComposedModel>(variant, std::move(store));
}

std::unique_ptr<Model> outlineModel(const ResolvedVariant& variant) {
    throwIfVocabularyIsMissing(variant);
    return std::make_unique<ComposedModel>(variant, ParameterStore(at::kFloat));
}

}  // namespace heddle
