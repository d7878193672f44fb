// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/published_model.h"

#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/blocks/choices.h"
#include "engine/spec/diff.h"

#include <map>
#include <utility>

namespace heddle {
namespace {

/// The activations that transformers has, too: its names and our words. The last two names are the same in both.
const std::map<std::string, std::string>& activations() {
    static const std::map<std::string, std::string> kActivations{{"gelu", wordOf(Activation::Gelu)},
                                                                 {"gelu_new", wordOf(Activation::GeluTanh)},
                                                                 {"gelu_fast", wordOf(Activation::GeluTanh)},
                                                                 {"gelu_pytorch_tanh", wordOf(Activation::GeluTanh)},
                                                                 {wordOf(Activation::Relu), wordOf(Activation::Relu)},
                                                                 {wordOf(Activation::Tanh), wordOf(Activation::Tanh)}};
    return kActivations;
}

/// The options of a config.json. An absent one has its default in transformers.
class Config {
public:
    Config(const Json& config, std::string where) : config_(config), where_(std::move(where)) {
        if (!config_.is_object()) refuse("it is no JSON object");
    }

    template <typename Value>
    Value get(const char* key, const Value& absent) const {
        const auto found = config_.find(key);
        if (found == config_.end() || found->is_null()) return absent;
        try {
            return found->get<Value>();
        } catch (const Json::exception&) {
            refuse(std::string(key) + " has a value of another type: " + printableExcerpt(dumped(*found), 40));
        }
    }
    std::int64_t size(const char* key, std::int64_t absent) const {
        const auto found = config_.find(key);
        if (found != config_.end() && !found->is_null() && !found->is_number_integer())
            refuse(std::string(key) + " is no whole number");
        const std::int64_t value = get(key, absent);
        if (value < 1 || value > std::int64_t{1} << 24) refuse(std::string(key) + " is " + std::to_string(value));
        return value;
    }
    std::string activation(const char* key, const std::string& absent) const {
        const auto name = get(key, absent);
        const auto found = activations().find(name);
        if (found == activations().end()) refuse("Heddle has no activation " + printable(name) + " (" + key + ")");
        return found->second;
    }
    /// Only this value is supported.
    void require(const char* key, const Json& wanted) const {
        const Json value = config_.value(key, wanted);
        if (value != wanted && !value.is_null())
            refuse(std::string(key) + " is " + printableExcerpt(dumped(value), 40) + "; Heddle reads " + dumped(wanted));
    }
    [[noreturn]] void refuse(const std::string& what) const {
        throwInvalid("the model cannot be read: " + what, where_,
                     "use a BERT or GPT-2 as resources/help/exchange.md describes them");
    }

private:
    const Json& config_;
    std::string where_;
};

std::string architectureOf(const Config& config, const char* absent) {
    const auto names = config.get("architectures", std::vector<std::string>{absent});
    if (names.size() != 1) config.refuse("architectures names " + std::to_string(names.size()));
    return names.front();
}

std::vector<std::string> classesIn(const Config& config) {
    const auto names = config.get("id2label", std::map<std::string, std::string>{{"0", "LABEL_0"}, {"1", "LABEL_1"}});
    std::vector<std::string> classes;
    for (std::size_t id = 0; id < names.size(); ++id) {
        const auto found = names.find(std::to_string(id));
        if (found == names.end()) config.refuse("id2label has no class " + std::to_string(id));
        classes.push_back(found->second);
    }
    if (classes.size() < 2)
        config.refuse("id2label has " + std::to_string(classes.size()) + " classes (regression is not read)");
    return classes;
}

PublishedModel readBert(const Config& config) {
    static const std::map<std::string, PublishedHead> kHeads{{"BertModel", PublishedHead::None},
                                                             {"BertForMaskedLM", PublishedHead::Masked},
                                                             {"BertForPreTraining", PublishedHead::Masked},
                                                             {"BertForSequenceClassification", PublishedHead::Classes}};
    const std::string name = architectureOf(config, "BertModel");
    const auto head = kHeads.find(name);
    if (head == kHeads.end()) config.refuse("Heddle does not read " + printable(name));
    config.require("position_embedding_type", "absolute");
    config.require("is_decoder", false);
    config.require("add_cross_attention", false);
    config.require("pruned_heads", Json::object());
    PublishedModel model;
    model.head = head->second;
    model.width = config.size("hidden_size", 768);
    model.inner = config.size("intermediate_size", 3072);
    model.heads = config.size("num_attention_heads", 12);
    model.layers = config.size("num_hidden_layers", 12);
    model.positions = config.size("max_position_embeddings", 512);
    model.tokenTypes = config.size("type_vocab_size", 2);
    model.words = config.size("vocab_size", 30522);
    model.activation = config.activation("hidden_act", "gelu");
    model.epsilon = config.get("layer_norm_eps", 1e-12);
    model.deviation = config.get("initializer_range", 0.02);
    model.embedDropout = model.dropout = config.get("hidden_dropout_prob", 0.1);
    model.attentionDropout = config.get("attention_probs_dropout_prob", 0.1);
    model.headDropout = config.get("classifier_dropout", model.dropout);
    model.isTied = config.get("tie_word_embeddings", true);
    if (model.head == PublishedHead::Classes) {
        config.require("problem_type", "single_label_classification");
        model.isTied = false;  // there is no head of words
        model.classes = classesIn(config);
    }
    return model;
}

PublishedModel readGpt2(const Config& config) {
    const std::string name = architectureOf(config, "GPT2LMHeadModel");
    if (name != "GPT2LMHeadModel" && name != "GPT2Model") config.refuse("Heddle does not read " + printable(name));
    config.require("scale_attn_weights", true);
    config.require("scale_attn_by_inverse_layer_idx", false);
    config.require("add_cross_attention", false);
    PublishedModel model;
    model.form = PublishedForm::Gpt2;
    model.head = PublishedHead::Next;
    model.width = config.size("n_embd", 768);
    model.inner = config.size("n_inner", 4 * model.width);
    model.heads = config.size("n_head", 12);
    model.layers = config.size("n_layer", 12);
    model.positions = config.size("n_positions", 1024);
    model.words = config.size("vocab_size", 50257);
    model.activation = config.activation("activation_function", "gelu_new");
    model.epsilon = config.get("layer_norm_epsilon", 1e-5);
    model.deviation = config.get("initializer_range", 0.02);
    model.embedDropout = config.get("embd_pdrop", 0.1);
    model.dropout = config.get("resid_pdrop", 0.1);
    model.attentionDropout = config.get("attn_pdrop", 0.1);
    model.isTied = config.get("tie_word_embeddings", true);
    if (!model.isTied && name == "GPT2Model") config.refuse("GPT2Model without tied embeddings has no head");
    return model;
}

std::string theirActivation(const std::string& ours, PublishedForm form) {
    if (ours == wordOf(Activation::GeluTanh)) return form == PublishedForm::Gpt2 ? "gelu_new" : "gelu_pytorch_tanh";
    return ours;
}

Json bertConfig(const PublishedModel& model) {
    const bool classifies = model.head == PublishedHead::Classes;
    Json config{{"model_type", "bert"},
                {"architectures", {classifies ? "BertForSequenceClassification" : "BertForMaskedLM"}},
                {"hidden_size", model.width},
                {"intermediate_size", model.inner},
                {"num_attention_heads", model.heads},
                {"num_hidden_layers", model.layers},
                {"max_position_embeddings", model.positions},
                {"type_vocab_size", model.tokenTypes},
                {"hidden_act", theirActivation(model.activation, model.form)},
                {"layer_norm_eps", model.epsilon},
                {"hidden_dropout_prob", model.dropout},
                {"attention_probs_dropout_prob", model.attentionDropout},
                {"position_embedding_type", "absolute"}};
    if (!classifies) return config;
    config["classifier_dropout"] = model.headDropout;
    for (std::size_t id = 0; id < model.classes.size(); ++id) {
        config["id2label"][std::to_string(id)] = model.classes[id];
        config["label2id"][model.classes[id]] = id;
    }
    return config;
}

Json gpt2Config(const PublishedModel& model) {
    return {{"model_type", "gpt2"},
            {"architectures", {"GPT2LMHeadModel"}},
            {"n_embd", model.width},
            {"n_inner", model.inner},
            {"n_head", model.heads},
            {"n_layer", model.layers},
            {"n_positions", model.positions},
            {"activation_function", theirActivation(model.activation, model.form)},
            {"layer_norm_epsilon", model.epsilon},
            {"embd_pdrop", model.embedDropout},
            {"resid_pdrop", model.dropout},
            {"attn_pdrop", model.attentionDropout}};
}

/// The head of classes; there is one.
std::string headOfClasses() {
    for (const BlockDescriptor* head : builtinCatalogue().ofSlot("head"))
        if (head->outputs == HeadOutputs::Class) return head->id;
    throw Error(ErrorCode::Failure, "the catalogue has no head of classes", "slot head", "");
}

Json headOf(const PublishedModel& model, Json head) {
    if (model.head == PublishedHead::Classes)
        return {{"kind", headOfClasses()}, {"pool", "cls_tanh"}, {"dropout", model.headDropout}};
    head["bias"] = true;
    if (model.head != PublishedHead::Next) head.update({{"act", model.activation}, {"eps", model.epsilon}});
    return head;
}

/// Returns the sizes and options of a variant that a model of this form has, too. It does not compare the rest of the variant:
/// requirePublishedForm() does.
PublishedModel modelOf(const ResolvedVariant& variant, PublishedForm form) {
    PublishedModel model;
    model.form = form;
    const bool isBert = form == PublishedForm::Bert;
    const auto global = [&](const char* slot) { return variant.globals.at(slot); };
    const std::vector<ResolvedLayer>& layers = isBert ? variant.encoder : variant.decoder;
    const auto param = [&](const char* slot, const char* key, auto absent) {
        for (const ResolvedLayer& layer : layers)
            for (const ResolvedSublayer& sublayer : layer.sublayers)
                if (const auto found = sublayer.slots.find(slot); found != sublayer.slots.end())
                    if (found->second.params.contains(key)) return found->second.params.at(key).get<decltype(absent)>();
        return absent;
    };
    model.width = variant.dims.d;
    model.inner = variant.dims.f;
    model.heads = variant.dims.heads;
    model.layers = std::ssize(layers);
    model.positions = variant.dims.maxLen;
    model.tokenTypes = variant.dims.tokenTypes;
    model.activation = param("ffn", "act", model.activation);
    model.epsilon = param("norm", "eps", model.epsilon);
    model.dropout = param("dropout", "sublayer", 0.0);
    model.attentionDropout = param("dropout", "attention", 0.0);
    model.embedDropout = global("embed").params.value("dropout", 0.0);
    model.deviation = global("init").params.value("std", model.deviation);
    const auto blockOf = [&](const char* slot) -> const BlockDescriptor& {
        return builtinCatalogue().at(slot, global(slot).id);
    };
    model.isTied = blockOf("embed").tiesOutput;
    const bool classifies = blockOf("head").outputs == HeadOutputs::Class;
    model.head = !isBert ? PublishedHead::Next : classifies ? PublishedHead::Classes : PublishedHead::Masked;
    model.headDropout = global("head").params.value("dropout", model.headDropout);
    return model;
}

}  // namespace

PublishedModel readPublishedModel(const Json& config, const std::string& where) {
    const Config read(config, where);
    const auto type = read.get("model_type", std::string());
    if (type == "bert") return readBert(read);
    if (type == "gpt2") return readGpt2(read);
    read.refuse("Heddle does not read model_type \"" + printable(type) + "\", only bert and gpt2");
}

Json configOf(const PublishedModel& model) {
    Json config = model.form == PublishedForm::Bert ? bertConfig(model) : gpt2Config(model);
    config.update({{"vocab_size", model.words},
                   {"initializer_range", model.deviation},
                   {"tie_word_embeddings", model.isTied},
                   {"torch_dtype", "float32"}});
    return config;
}

Json variantOf(const PublishedModel& model) {
    const bool isBert = model.form == PublishedForm::Bert;
    Json variant = presetDocument(isBert ? "bert-base" : "gpt");
    variant.erase("meta");
    Json& dims =
        variant["dims"] = {{"d", model.width}, {"f", model.inner}, {"heads", model.heads}, {"max_len", model.positions}};
    dims[isBert ? "layers_enc" : "layers_dec"] = model.layers;
    if (isBert) dims["token_types"] = model.tokenTypes;
    Json& embed = variant["embed"];
    embed["dropout"] = model.embedDropout;
    if (isBert) embed["eps"] = model.epsilon;
    const BlockDescriptor& table = builtinCatalogue().at("embed", embed.at("source").get<std::string>());
    if (table.tiesOutput != model.isTied) embed["source"] = table.otherTie;
    Json& defaults = variant["defaults"];
    defaults["norm"]["eps"] = model.epsilon;
    if (!isBert) defaults["norm"].update({{"place", "pre"}, {"final", 1}});  // in which GPT-2 differs from GPT
    defaults["ffn"]["act"] = model.activation;
    defaults["dropout"].update({{"sublayer", model.dropout}, {"attention", model.attentionDropout}});
    variant["head"] = headOf(model, variant["head"]);
    variant["init"]["std"] = model.deviation;
    return variant;
}

PublishedModel requirePublishedForm(const VariantSpec& variant, PublishedForm form) {
    const auto refuse = [form](const std::string& what) {
        throwInvalid("the variant is no " + std::string(form == PublishedForm::Bert ? "BERT" : "GPT-2") + ": " + what,
                     "--format " + wordOf(form), "export the weights with their own names (leave --format out)");
    };
    const ResolvedVariant resolved = variant.resolve();
    const Topology topology = form == PublishedForm::Bert ? Topology::Encoder : Topology::Decoder;
    if (resolved.topology != topology) refuse("topology is " + wordOf(resolved.topology) + ", not " + wordOf(topology));
    PublishedModel model = modelOf(resolved, form);
    if (form == PublishedForm::Bert && model.tokenTypes < 1) refuse("dims.token_types is 0");
    Json wanted = variantOf(model);
    const Json given = variant.compact();
    for (const char* size : {"vocab_src", "vocab_tgt", "classes"})  // as the data have them
        if (given.at("dims").contains(size)) wanted["dims"][size] = given.at("dims").at(size);
    if (form == PublishedForm::Gpt2 && given.contains("head") && given.at("head").is_object())
        wanted["head"]["bias"] = given.at("head").value("bias", true);  // exported where it is 0
    const Json theirs = VariantSpec::parse(wanted, builtinCatalogue()).resolvedTree();
    const auto differences = diffDocuments({variant.resolvedTree(), theirs});
    if (!differences.empty())
        refuse(differences.front().path + " is " + dumped(differences.front().values[0]) + ", not " +
               dumped(differences.front().values[1]));
    return model;
}

}  // namespace heddle
