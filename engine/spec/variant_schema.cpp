// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/variant_schema.h"

#include "engine/spec/schema_builders.h"
#include "engine/spec/variant_spec.h"

#include <cassert>
#include <map>

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

/// A size that defaults to the one found in the data.
FieldSchema fromData(FieldSchema field) {
    field.defaultValue = "from_data";
    field.alsoAccepts = {"from_data"};
    return field;
}

FieldSchema vocabulary(const std::string& key, const std::string& side) {
    return fromData(integer(key, {5, 1 << 24}, "words",  // four are special
                            side + " vocabulary with specials; \"from_data\": what the tokenizer finds."));
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
         vocabulary("vocab_src", "Source"), vocabulary("vocab_tgt", "Target"),
         fromData(integer("classes", {1, 1 << 20}, "",
                          "Outputs of a classifying head; \"from_data\": the classes of the training data (counts assume 2).")),
         withDefault(
             integer("token_types", {0, 64}, "", "Kinds of token that have an embedding (BERT's sentence A and B); 0: none."),
             0)});
}

FieldSchema defaultsSchema() {
    FieldSchema norm = block("norm", "layernorm", "Normalisation of a sublayer and its place.");
    norm.fields = {withDefault(integer("final", {0, 1}, "", "1: one more norm after the last layer of each stack."), 0)};
    FieldSchema score = block("score", "none", "What earlier layers' scores add to this layer's.");
    FieldSchema sites = field("sites", Type::List, "The attentions that carry scores; each site has a chain of its own.");
    sites.fields = {choice("site", {"enc_self", "dec_self", "cross"}, "One attention.")};
    score.fields = {withDefault(sites, Json::array({"enc_self", "dec_self"}))};
    // In the order of evaluation.
    return object("defaults", "Slot values of every sublayer that does not say otherwise.",
                  {block("mask", "padding", "Which keys a query may not see."),
                   block("scorer", "dot", "How queries and keys become attention scores."), score,
                   block("selector", "none", "Which visible keys a query may weigh, chosen from the content."),
                   block("normaliser", "softmax", "How scores become attention weights."),
                   block("value", "heads_proj", "How values are mixed by the attention weights."),
                   block("direct", "none", "What the stack's input adds beside the attention."),
                   block("combine", "identity", "What the mixed values become together with the direct path."),
                   block("ffn", "mlp", "The position-wise feed-forward network."),
                   block("recurrence", "lstm", "The recurrent network that reads the sequence."),
                   block("adjuster", "none", "What adjusts a sublayer's output before the residual."),
                   block("parallel", "none", "What is computed beside the sublayer and added to its output."),
                   block("residual", "add", "How a sublayer's output joins the stream."), norm,
                   block("dropout", "standard", "Where and how much is dropped.")});
}

FieldSchema stackSchema(const std::string& stack) {
    FieldSchema sublayers =
        field("sublayers", Type::List,
              "The sublayers of a layer in order, each with its slots: [{\"name\":\"self\",\"adjuster\":\"eau\"}, …].");
    sublayers.fields = {FieldSchema{}};  // an entry's members depend on its name: sublayerSchema()
    return object(
        stack, "Layers of the " + stack + ".",
        {block("share", "distinct", "Whether the layers have weights of their own."),
         block("h0", "input", "What the first layer starts from."), sublayers,
         field("layers", Type::Any, "Exceptions by 0-based layer and sublayer: {\"3\":{\"self\":{\"residual\":\"grc\"}}}.")});
}

FieldSchema makeVariantSchema() {
    return object(
        "variant", "A composition of blocks: plain data from which the whole model follows.",
        {text("preset", "Name of the preset that this document changes; see `heddle variants list`."),
         withDefault(choice("topology", {"encdec", "encoder", "decoder", "bilstm"}, "Which stacks there are."), "encdec"),
         dimsSchema(), block("embed", "learned", "Where token vectors come from."),
         block("position", "sinusoid", "How positions enter."), defaultsSchema(), stackSchema("encoder"),
         stackSchema("decoder"), block("head", "lm", "What the last layer's output becomes."),
         block("init", "torch_default", "How weights start."),
         object("meta", "For readers; changes nothing in the model.",
                {text("title", "A name for people."), text("summary", "One sentence."),
                 text("reference", "Paper and section.")})});
}

/// The kind of mixer that has a slot; empty: every sublayer has it.
std::string mixerOf(const std::string& slot) {
    static const std::map<std::string, std::string> mixers{
        {"mask", "attention"},     {"scorer", "attention"},     {"score", "attention"},
        {"selector", "attention"}, {"normaliser", "attention"}, {"value", "attention"},
        {"direct", "attention"},   {"combine", "attention"},    {"ffn", "ffn"},
        {"recurrence", "lstm"}};
    const auto found = mixers.find(slot);
    return found == mixers.end() ? "" : found->second;
}

std::string mixerNeeded(const std::string& sublayer) {
    return sublayer == "ffn" || sublayer == "lstm" ? sublayer : "attention";
}

FieldSchema makeSublayerSchema(const std::string& sublayer) {
    FieldSchema made = object(sublayer, "One sublayer.", {});
    for (const auto& slot : fieldOf(variantSchema(), "defaults").fields) {
        const std::string mixer = mixerOf(slot.key);
        if (!mixer.empty() && mixer != mixerNeeded(sublayer)) continue;
        made.fields.push_back(slot);
        made.fields.back().fields.clear();  // `final` and `sites` belong to the defaults, not to a sublayer
    }
    return made;
}

}  // namespace

std::string kindKey(const std::string& slot) {
    if (slot == "embed") return "source";
    return slot == "score" ? "rule" : "kind";
}

Json slotObject(const std::string& slot, const Json& value) { return value.is_string() ? Json{{kindKey(slot), value}} : value; }

const std::vector<std::string>& globalSlots() {
    static const std::vector<std::string> slots{"embed", "position", "head", "init"};
    return slots;
}

const std::vector<std::string>& stackSlots() {
    static const std::vector<std::string> slots{"share", "h0"};
    return slots;
}

std::vector<std::string> stacksOf(const std::string& topology) {
    if (topology == "encdec") return {"encoder", "decoder"};
    return {topology == "decoder" ? "decoder" : "encoder"};
}

const std::vector<std::string>& sublayerNames(const std::string& stack) {
    static const std::vector<std::string> encoder{"self", "ffn", "star", "lstm"}, decoder{"self", "cross", "ffn", "star"};
    return stack == "encoder" ? encoder : decoder;
}

std::vector<std::string> standardSublayers(const std::string& topology, const std::string& stack) {
    if (topology == "bilstm") return {"lstm"};
    if (topology == "encdec" && stack == "decoder") return {"self", "cross", "ffn"};
    return {"self", "ffn"};
}

std::string standardBlock(const SublayerPlace& place, const std::string& slot) {
    static const std::map<std::string, std::string> ofStar{
        {"scorer", "bilinear"}, {"value", "directional"}, {"direct", "vx"}, {"combine", "tanh"}};
    if (slot == "mask" && place.stack == "decoder" && place.name != "cross") return "causal";
    if (place.name == "star" && ofStar.contains(slot)) return ofStar.at(slot);
    if (place.name == "lstm" && (slot == "residual" || slot == "norm")) return "none";  // its output is wider than its input
    return fieldOf(sublayerSchema(place.name), slot).defaultValue.at(kindKey(slot));
}

std::string scoreSite(const SublayerPlace& place) {
    if (place.name == "cross") return "cross";
    if (place.name != "self") return "";
    return place.stack == "encoder" ? "enc_self" : "dec_self";
}

const FieldSchema& sublayerSchema(const std::string& sublayer) {
    static const FieldSchema attention = makeSublayerSchema("self"), feedForward = makeSublayerSchema("ffn"),
                             recurrent = makeSublayerSchema("lstm");
    if (sublayer == "lstm") return recurrent;
    return sublayer == "ffn" ? feedForward : attention;
}

std::vector<std::string> sublayerSlots(const std::string& sublayer) { return keysOf(sublayerSchema(sublayer)); }

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
            {"vocab_tgt", words(dims.vocabTgt)},
            {"classes", words(dims.classes)},
            {"token_types", dims.tokenTypes}};
}

const FieldSchema& variantSchema() {
    static const FieldSchema schema = makeVariantSchema();
    return schema;
}

}  // namespace heddle
