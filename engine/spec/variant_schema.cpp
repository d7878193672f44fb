// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/variant_schema.h"

#include "engine/base/check.h"
#include "engine/spec/field_table.h"
#include "engine/spec/places.h"
#include "engine/spec/variant_spec.h"

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
    return fromData(
        integer(key, {5, 1 << 24}, "words",  // four are special
                side + " vocabulary size, including the special tokens; \"from_data\": as the tokenizer finds it."));
}

FieldSchema dimsSchema() {
    constexpr Range kWidth{1, 1 << 16}, kLayers{1, 1024};
    return object(
        "dims", "Sizes of the model.",
        {withDefault(
             integer("d", kWidth, "", "Model width d_model: length of the vector of every position (k in the EAU paper)."),
             512),
         withDefault(integer("f", {1, 1 << 20}, "", "Width of the hidden layer of the feed-forward network."), 2048),
         withDefault(integer("heads", {1, 1024}, "", "Number of attention heads."), 8),
         derivable(integer("key_dim", kWidth, "", "Query and key width per head; null: d / heads.")),
         derivable(integer("value_dim", kWidth, "", "Value width per head; null: key_dim.")),
         derivable(
             integer("kv_heads", {1, 1024}, "",
                     "Number of heads of keys and values, each shared by a group of query heads (grouped-query attention; 1: "
                     "multi-query attention); null: heads.")),
         withDefault(integer("layers_enc", kLayers, "", "Number of layers of the encoder."), 6),
         withDefault(integer("layers_dec", kLayers, "", "Number of layers of the decoder."), 6),
         withDefault(integer("max_len", {2, 1 << 20}, "tokens", "Longest sequence, including its start and end tokens."), 128),
         vocabulary("vocab_src", "Source"), vocabulary("vocab_tgt", "Target"),
         fromData(integer(
             "classes", {1, 1 << 20}, "",
             "Number of classes of a classification head; \"from_data\": those of the training data (counts assume 2).")),
         withDefault(integer("token_types", {0, 64}, "",
                             "Number of token types with an embedding (BERT's sentences A and B: 2); 0: none."),
                     0),
         derivable(integer("base_d", kWidth, "",
                           "Width of the base model for width transfer (maximal update parametrisation, μP): start, attention "
                           "scale, logits and rates of Adam are scaled so that settings found for the base model hold for this "
                           "one; null: none.")),
         derivable(integer("base_f", {1, 1 << 20}, "", "f of the base model; null: in proportion to base_d.")),
         derivable(integer("base_heads", {1, 1024}, "", "heads of the base model; null: heads."))});
}

FieldSchema defaultsSchema() {
    FieldSchema norm = block("norm", "layernorm", "Normalisation of a sublayer and its place (post-norm or pre-norm).");
    norm.fields = {withDefault(integer("final", {0, 1}, "", "1: one more norm after the last layer of each stack."), 0)};
    FieldSchema score = block("score", "none", "Residual attention scores: what earlier layers' scores add to this layer's.");
    FieldSchema sites = field("sites", Type::List, "Attention sublayers that carry scores; each site has its own chain.");
    sites.fields = {choice("site", {"enc_self", "dec_self", "cross"}, "An attention sublayer.")};
    score.fields = {withDefault(sites, Json::array({"enc_self", "dec_self"}))};
    // In the order of evaluation.
    return object("defaults", "Blocks of every sublayer that does not set its own.",
                  {block("mask", "padding", "Attention mask: which keys a query must not attend to."),
                   block("relative", "none",
                         "Positions in attention: what scores know of the places of query and key. Stated here, it is of "
                         "self-attention alone: cross-attention has no distances."),
                   block("scorer", "dot", "Scoring function: how queries and keys give attention scores."), score,
                   block("cap", "none", "Bound of the attention's logits, before the mask."),
                   block("selector", "none", "Content-based sparsity: which of the visible keys a query attends to."),
                   block("normaliser", "softmax", "Normalisation of attention scores to attention weights."),
                   block("value_carry", "none", "Value residual: what earlier layers' values add to this layer's."),
                   block("value", "heads_proj", "Value projection: how the attention weights combine the values."),
                   block("direct", "none", "Direct path: what the stack's input adds to the output of attention."),
                   block("combine", "identity", "How the output of attention and the direct path are combined."),
                   block("ffn", "mlp", "The position-wise feed-forward network."),
                   block("recurrence", "lstm", "The recurrent network that reads the sequence."),
                   block("adjuster", "none", "Adjustment of a sublayer's output before the residual connection."),
                   block("parallel", "none", "Parallel branch: computed from the sublayer's input and added to its output."),
                   block("residual", "add", "Residual connection: how a sublayer's output is combined with its input."), norm,
                   block("dropout", "standard", "Dropout: where, and with which probability.")});
}

FieldSchema stackSchema(const std::string& stack) {
    FieldSchema sublayers =
        field("sublayers", Type::List,
              "Sublayers of a layer in order, each with its slots: [{\"name\":\"self\",\"adjuster\":\"eau\"}, …]. A second "
              "feed-forward network is called ffn2.");
    sublayers.fields = {FieldSchema{}};  // an entry's members depend on its name: sublayerSchema()
    return object(
        stack, "Layers of the " + stack + ".",
        {block("share", "distinct", "Weight sharing across layers."),
         block("h0", "input", "Initial hidden state: the input of the first layer."), sublayers,
         field("layers", Type::Any,
               "Exceptions by 0-based layer and sublayer: {\"3\":{\"self\":{\"residual\":\"grc\"}}}; \"0::3\" names the layers "
               "0, 3, 6, ….")});
}

FieldSchema makeVariantSchema() {
    return object(
        "variant", "A model as a composition of blocks.",
        {text("preset", "Name of the preset that this document changes; see `heddle variants list`."),
         withDefault(choice("topology", wordsOf<Topology>(),
                            "Architecture: encoder and decoder, one of them, or a bidirectional recurrent network."),
                     "encdec"),
         dimsSchema(), block("embed", "learned", "Token embeddings, and which tables share their weights."),
         block("position", "sinusoid", "Position encoding."), defaultsSchema(), stackSchema("encoder"), stackSchema("decoder"),
         block("head", "lm", "Output head: what is computed from the output of the last layer."),
         block("init", "torch_default", "Initialisation of the parameters."),
         object("meta", "Description for readers; has no effect on the model.",
                {text("title", "A name for people."), text("summary", "One sentence."),
                 text("reference", "Paper and section.")})});
}

/// The kind of mixer that has a slot; empty: every sublayer has it.
std::string mixerOf(const std::string& slot) {
    static const std::map<std::string, std::string> mixers{
        {"mask", "attention"},  {"relative", "attention"}, {"scorer", "attention"},     {"score", "attention"},
        {"cap", "attention"},   {"selector", "attention"}, {"normaliser", "attention"}, {"value_carry", "attention"},
        {"value", "attention"}, {"direct", "attention"},   {"combine", "attention"},    {"ffn", "ffn"},
        {"recurrence", "lstm"}};
    const auto found = mixers.find(slot);
    return found == mixers.end() ? "" : found->second;
}

std::string mixerNeeded(const std::string& sublayer) {
    if (isFeedForward(sublayer)) return "ffn";
    return sublayer == "lstm" ? sublayer : "attention";
}

FieldSchema makeSublayerSchema(const std::string& sublayer) {
    FieldSchema made = object(sublayer, "A sublayer.", {});
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

std::vector<std::string> stacksOf(Topology topology) {
    if (topology == Topology::EncoderDecoder) return {"encoder", "decoder"};
    return {topology == Topology::Decoder ? "decoder" : "encoder"};
}

const std::vector<std::string>& sublayerNames(const std::string& stack) {
    static const std::vector<std::string> encoder{"self", "ffn", "ffn2", "star", "lstm"},
        decoder{"self", "cross", "ffn", "ffn2", "star"};
    return stack == "encoder" ? encoder : decoder;
}

std::vector<std::string> standardSublayers(Topology topology, const std::string& stack) {
    if (topology == Topology::BiLstm) return {"lstm"};
    if (topology == Topology::EncoderDecoder && stack == "decoder") return {"self", "cross", "ffn"};
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
    return isFeedForward(sublayer) ? feedForward : attention;
}

std::vector<std::string> sublayerSlots(const std::string& sublayer) { return keysOf(sublayerSchema(sublayer)); }

const FieldSchema& fieldOf(const FieldSchema& schema, const std::string& key) {
    const auto* field = findField(schema, key);
    HEDDLE_CHECK(field);
    return *field;
}

Json dimsJson(const Dims& dims) {
    const auto words = [](std::int64_t size) { return size > 0 ? Json(size) : Json("from_data"); };
    const auto orNull = [](std::int64_t size) { return size > 0 ? Json(size) : Json(); };
    return {{"d", dims.d},
            {"f", dims.f},
            {"heads", dims.heads},
            {"key_dim", dims.keyDim},
            {"value_dim", dims.valueDim},
            {"kv_heads", dims.keyHeads()},
            {"layers_enc", dims.layersEnc},
            {"layers_dec", dims.layersDec},
            {"max_len", dims.maxLen},
            {"vocab_src", words(dims.vocabSrc)},
            {"vocab_tgt", words(dims.vocabTgt)},
            {"classes", words(dims.classes)},
            {"token_types", dims.tokenTypes},
            {"base_d", orNull(dims.baseD)},
            {"base_f", orNull(dims.baseF)},
            {"base_heads", orNull(dims.baseHeads)}};
}

const FieldSchema& variantSchema() {
    static const FieldSchema schema = makeVariantSchema();
    return schema;
}

}  // namespace heddle
