// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/variant_schema.h"

#include "engine/spec/schema_builders.h"
#include "engine/spec/variant_spec.h"

#include <algorithm>
#include <cassert>

namespace heddle {
namespace {

using namespace schema;
using Type = FieldSchema::Type;

FieldSchema block(const std::string& slot, const std::string& defaultBlock, const std::string& help) {
    FieldSchema made = field(slot, Type::Block, help);
    made.slot = slot;
    made.defaultValue = Json{{kindKey(slot), defaultBlock}};
    return made;
}

FieldSchema vocabulary(const std::string& key, const std::string& side) {
    FieldSchema field =
        integer(key, {1, 1 << 24}, "words", side + " vocabulary with specials; \"from_data\": what the tokenizer finds.");
    field.defaultValue = "from_data";
    field.alsoAccepts = {"from_data"};
    return field;
}

FieldSchema dimsSchema() {
    constexpr Range kWidth{1, 1 << 16}, kLayers{1, 1024};
    return object(
        "dims", "Sizes of the model.",
        {withDefault(integer("d", kWidth, "", "Model width: length of every position's vector (k in the EAU paper)."), 512),
         withDefault(integer("f", {1, 1 << 20}, "", "Width of the feed-forward layer."), 2048),
         withDefault(integer("heads", {1, 1024}, "", "Attention heads."), 8),
         derivable(integer("key_dim", kWidth, "", "Query and key width per head; null: d / heads.")),
         derivable(integer("value_dim", kWidth, "", "Value width per head; null: key_dim.")),
         withDefault(integer("layers_enc", kLayers, "", "Layers of the encoder."), 6),
         withDefault(integer("layers_dec", kLayers, "", "Layers of the decoder."), 6),
         withDefault(integer("max_len", {2, 1 << 20}, "tokens", "Longest sequence, with its end marks."), 128),
         vocabulary("vocab_src", "Source"), vocabulary("vocab_tgt", "Target")});
}

FieldSchema defaultsSchema() {
    FieldSchema norm = block("norm", "layernorm", "Normalisation of a sublayer and its place.");
    norm.fields = {withDefault(integer("final", {0, 1}, "", "1: one more norm after the last layer of each stack."), 0)};
    return object("defaults", "Slot values of every sublayer that does not say otherwise.",
                  {block("scorer", "dot", "How queries and keys become attention scores."),
                   block("value", "heads_proj", "How values are mixed by the attention weights."),
                   block("ffn", "mlp", "The position-wise feed-forward network."),
                   block("adjuster", "none", "What adjusts a sublayer's output before the residual."),
                   block("residual", "add", "How a sublayer's output joins the stream."), norm,
                   block("dropout", "standard", "Where and how much is dropped.")});
}

FieldSchema stackSchema(const std::string& stack) {
    FieldSchema sublayers =
        field("sublayers", Type::List,
              "The sublayers of a layer in order, each with its slots: [{\"name\":\"self\",\"adjuster\":\"eau\"}, …].");
    sublayers.fields = {FieldSchema{}};  // an entry's members depend on its name: sublayerSchema()
    return object(stack, "Layers of the " + stack + ".",
                  {sublayers, field("layers", Type::Any,
                                    "Exceptions by 0-based layer and sublayer: {\"3\":{\"self\":{\"residual\":\"grc\"}}}.")});
}

FieldSchema makeVariantSchema() {
    return object(
        "variant", "A composition of blocks: plain data from which the whole model follows.",
        {text("preset", "Name of the preset that this document changes; see `heddle variants list`."),
         withDefault(choice("topology", {"encdec"}, "Which stacks there are."), "encdec"), dimsSchema(),
         block("embed", "learned", "Where token vectors come from."), block("position", "sinusoid", "How positions enter."),
         defaultsSchema(), stackSchema("encoder"), stackSchema("decoder"),
         block("head", "lm", "What the last layer's output becomes."), block("init", "torch_default", "How weights start."),
         object("meta", "For readers; changes nothing in the model.",
                {text("title", "A name for people."), text("summary", "One sentence."),
                 text("reference", "Paper and section.")})});
}

FieldSchema makeSublayerSchema(const std::string& sublayer) {
    FieldSchema made = object(sublayer, "One sublayer.", {});
    for (const auto& slot : fieldOf(variantSchema(), "defaults").fields) {
        const bool ofAttention = slot.key == "scorer" || slot.key == "value";
        if ((sublayer == "ffn" && ofAttention) || (sublayer != "ffn" && slot.key == "ffn")) continue;
        made.fields.push_back(slot);
        made.fields.back().fields.clear();  // `final` belongs to the stack, not to a sublayer
    }
    return made;
}

}  // namespace

std::string kindKey(const std::string& slot) { return slot == "embed" ? "source" : "kind"; }

Json slotObject(const std::string& slot, const Json& value) { return value.is_string() ? Json{{kindKey(slot), value}} : value; }

const std::vector<std::string>& globalSlots() {
    static const std::vector<std::string> slots{"embed", "position", "head", "init"};
    return slots;
}

const std::vector<std::string>& sublayerNames(const std::string& stack) {
    static const std::vector<std::string> encoder{"self", "ffn"}, decoder{"self", "cross", "ffn"};
    return stack == "encoder" ? encoder : decoder;
}

const FieldSchema& sublayerSchema(const std::string& sublayer) {
    static const FieldSchema attention = makeSublayerSchema("self"), feedForward = makeSublayerSchema("ffn");
    return sublayer == "ffn" ? feedForward : attention;
}

std::vector<std::string> sublayerSlots(const std::string& sublayer) {
    std::vector<std::string> slots;
    for (const auto& field : sublayerSchema(sublayer).fields) slots.push_back(field.key);
    return slots;
}

const FieldSchema& fieldOf(const FieldSchema& schema, const std::string& key) {
    const auto* field = findField(schema, key);
    assert(field);
    return *field;
}

Json dimsJson(const Dims& dims) {
    const auto words = [](std::int64_t size) { return size > 0 ? Json(size) : Json("from_data"); };
    return {{"d", dims.d},
            {"f", dims.f},
            {"heads", dims.heads},
            {"key_dim", dims.keyDim},
            {"value_dim", dims.valueDim},
            {"layers_enc", dims.layersEnc},
            {"layers_dec", dims.layersDec},
            {"max_len", dims.maxLen},
            {"vocab_src", words(dims.vocabSrc)},
            {"vocab_tgt", words(dims.vocabTgt)}};
}

const FieldSchema& variantSchema() {
    static const FieldSchema schema = makeVariantSchema();
    return schema;
}

}  // namespace heddle
