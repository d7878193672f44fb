// SPDX-License-Identifier: Apache-2.0
#include "engine/train/checkpoint/published_names.h"

#include "engine/base/check.h"
#include "engine/base/error.h"
#include "engine/device/torch_pch.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace heddle {
namespace {

/// A parameter under the name of Hugging Face's transformers, without the prefix of the base model, and under ours; "*" stands
/// for the number of a layer.
struct PublishedName {
    const char* theirs;
    const char* ours;
    bool isTransposed = false;  ///< theirs is [inputs, outputs]
    int third = -1;             ///< 0, 1, 2: ours is this third of their outputs
};

/// The leaves gamma and beta of the first releases as weight and bias.
std::string withTodaysLeaf(std::string name) {
    const auto renamed = [&](std::string_view old, const char* leaf) {
        if (name.ends_with(old)) name.replace(name.size() - old.size(), old.size(), leaf);
    };
    renamed(".gamma", ".weight");
    renamed(".beta", ".bias");
    return name;
}

/// The third of `tensor` along its outputs, which are the last dimension of a matrix that is to be transposed.
at::Tensor ofOurs(const at::Tensor& tensor, const PublishedName& name) {
    at::Tensor ours = name.isTransposed && tensor.dim() == 2 ? tensor.t() : tensor;
    if (name.third >= 0) ours = ours.chunk(3, 0)[static_cast<std::size_t>(name.third)];
    return ours.contiguous();
}

void requireReadable(const std::string& name, const at::Tensor& tensor, const PublishedName& as, const std::string& where) {
    if (!tensor.is_floating_point())
        throwInvalid(c10::str("tensor \"", name, "\" is ", tensor.scalar_type(), ": quantised values are not supported"), where,
                     "use weights that are not quantised");
    const std::int64_t outputs = tensor.dim() > 0 ? tensor.size(as.isTransposed ? -1 : 0) : 0;
    if (as.third >= 0 && (outputs == 0 || outputs % 3 != 0))
        throwInvalid(c10::str("tensor \"", name, "\" of shape ", tensor.sizes(), " does not hold query, key and value"), where,
                     kUseTogether);
}

/// The matrix and the bias of a linear map of GPT-2, whose matrices are transposed.
void addMap(std::vector<PublishedName>& names, const char* weight, const char* bias, const char* ours, const char* oursBias) {
    names.push_back({weight, ours, true});
    names.push_back({bias, oursBias});
}

/// The parameters of BertModel, of its heads for masked words and classes, and of its pooler.
const std::vector<PublishedName>& bertNames() {
    static const std::vector<PublishedName> kNames{
        {"embeddings.word_embeddings.weight", "embed.shared.weight"},
        {"embeddings.token_type_embeddings.weight", "embed.types.weight"},
        {"embeddings.LayerNorm.weight", "embed.norm.weight"},
        {"embeddings.LayerNorm.bias", "embed.norm.bias"},
        {"embeddings.position_embeddings.weight", "position.weight"},
        {"encoder.layer.*.attention.self.query.weight", "encoder.layers.*.self.scorer.q.weight"},
        {"encoder.layer.*.attention.self.query.bias", "encoder.layers.*.self.scorer.q.bias"},
        {"encoder.layer.*.attention.self.key.weight", "encoder.layers.*.self.scorer.k.weight"},
        {"encoder.layer.*.attention.self.key.bias", "encoder.layers.*.self.scorer.k.bias"},
        {"encoder.layer.*.attention.self.value.weight", "encoder.layers.*.self.value.v.weight"},
        {"encoder.layer.*.attention.self.value.bias", "encoder.layers.*.self.value.v.bias"},
        {"encoder.layer.*.attention.output.dense.weight", "encoder.layers.*.self.value.out.weight"},
        {"encoder.layer.*.attention.output.dense.bias", "encoder.layers.*.self.value.out.bias"},
        {"encoder.layer.*.attention.output.LayerNorm.weight", "encoder.layers.*.self.norm.weight"},
        {"encoder.layer.*.attention.output.LayerNorm.bias", "encoder.layers.*.self.norm.bias"},
        {"encoder.layer.*.intermediate.dense.weight", "encoder.layers.*.ffn.ffn.in.weight"},
        {"encoder.layer.*.intermediate.dense.bias", "encoder.layers.*.ffn.ffn.in.bias"},
        {"encoder.layer.*.output.dense.weight", "encoder.layers.*.ffn.ffn.out.weight"},
        {"encoder.layer.*.output.dense.bias", "encoder.layers.*.ffn.ffn.out.bias"},
        {"encoder.layer.*.output.LayerNorm.weight", "encoder.layers.*.ffn.norm.weight"},
        {"encoder.layer.*.output.LayerNorm.bias", "encoder.layers.*.ffn.norm.bias"},
        {"cls.predictions.transform.dense.weight", "head.dense.weight"},
        {"cls.predictions.transform.dense.bias", "head.dense.bias"},
        {"cls.predictions.transform.LayerNorm.weight", "head.norm.weight"},
        {"cls.predictions.transform.LayerNorm.bias", "head.norm.bias"},
        {"cls.predictions.bias", "head.bias"},
        {"cls.predictions.decoder.bias", "head.bias"},      // the same again
        {"cls.predictions.decoder.weight", "head.weight"},  // the embedding, unless the model does not tie them
        {"pooler.dense.weight", "head.pooler.weight"},
        {"pooler.dense.bias", "head.pooler.bias"},
        {"classifier.weight", "head.out.weight"},
        {"classifier.bias", "head.out.bias"}};
    return kNames;
}

/// The parameters of GPT2Model, and of its head where that is not the embedding.
const std::vector<PublishedName>& gpt2Names() {
    static const std::vector<PublishedName> kNames = [] {
        std::vector<PublishedName> names{{"wte.weight", "embed.shared.weight"},
                                         {"wpe.weight", "position.weight"},
                                         {"ln_f.weight", "decoder.norm.weight"},
                                         {"ln_f.bias", "decoder.norm.bias"},
                                         {"lm_head.weight", "head.weight"},
                                         {"h.*.ln_1.weight", "decoder.layers.*.self.norm.weight"},
                                         {"h.*.ln_1.bias", "decoder.layers.*.self.norm.bias"},
                                         {"h.*.ln_2.weight", "decoder.layers.*.ffn.norm.weight"},
                                         {"h.*.ln_2.bias", "decoder.layers.*.ffn.norm.bias"}};
        constexpr const char* kThirds[] = {"decoder.layers.*.self.scorer.q.weight", "decoder.layers.*.self.scorer.k.weight",
                                           "decoder.layers.*.self.value.v.weight"};
        constexpr const char* kBiases[] = {"decoder.layers.*.self.scorer.q.bias", "decoder.layers.*.self.scorer.k.bias",
                                           "decoder.layers.*.self.value.v.bias"};
        for (int third = 0; third < 3; ++third) {
            names.push_back({"h.*.attn.c_attn.weight", kThirds[third], true, third});
            names.push_back({"h.*.attn.c_attn.bias", kBiases[third], false, third});
        }
        addMap(names, "h.*.attn.c_proj.weight", "h.*.attn.c_proj.bias", "decoder.layers.*.self.value.out.weight",
               "decoder.layers.*.self.value.out.bias");
        addMap(names, "h.*.mlp.c_fc.weight", "h.*.mlp.c_fc.bias", "decoder.layers.*.ffn.ffn.in.weight",
               "decoder.layers.*.ffn.ffn.in.bias");
        addMap(names, "h.*.mlp.c_proj.weight", "h.*.mlp.c_proj.bias", "decoder.layers.*.ffn.ffn.out.weight",
               "decoder.layers.*.ffn.ffn.out.bias");
        return names;
    }();
    return kNames;
}

const std::vector<PublishedName>& publishedNames(PublishedForm form) {
    return form == PublishedForm::Bert ? bertNames() : gpt2Names();
}

/// What stands before the names of the base model in a model with a head.
std::string_view prefixOf(PublishedForm form) { return form == PublishedForm::Bert ? "bert." : "transformer."; }

bool isNameOfHead(std::string_view theirs) {
    return theirs.starts_with("cls.") || theirs.starts_with("classifier.") || theirs.starts_with("lm_head.");
}

/// A tensor without parameters; `name` has "*" in place of the number of a layer.
bool isBuffer(std::string_view name) {
    return name == "embeddings.position_ids" || name == "h.*.attn.bias" || name == "h.*.attn.masked_bias";
}

/// "*" in place of the number of a layer, which `layer` gets.
std::string withoutLayer(const std::string& name, std::string& layer) {
    layer.clear();
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
        const std::size_t end = std::min(name.find('.', dot + 1), name.size());
        const std::string part = name.substr(dot + 1, end - dot - 1);
        if (part.empty() || part.find_first_not_of("0123456789") != std::string::npos) continue;
        layer = part;
        return name.substr(0, dot + 1) + "*" + name.substr(end);
    }
    return name;
}

/// The inverse.
std::string withLayer(std::string name, const std::string& layer) {
    if (const std::size_t star = name.find('*'); star != std::string::npos) name.replace(star, 1, layer);
    return name;
}

}  // namespace

NamedTensors underOurNames(const NamedTensors& theirs, PublishedForm form, const std::string& where,
                           std::vector<std::string>* unknown) {
    std::multimap<std::string_view, const PublishedName*> byTheirs;
    for (const PublishedName& name : publishedNames(form)) byTheirs.emplace(name.theirs, &name);
    NamedTensors ours;
    for (const auto& [given, tensor] : theirs) {
        std::string layer;
        const std::string bare = given.starts_with(prefixOf(form)) ? given.substr(prefixOf(form).size()) : given;
        const std::string pattern = withoutLayer(withTodaysLeaf(bare), layer);
        const auto [first, last] = byTheirs.equal_range(pattern);
        if (first == last && unknown != nullptr && !isBuffer(pattern)) unknown->push_back(given);
        for (auto name = first; name != last; ++name) {
            requireReadable(given, tensor, *name->second, where);
            ours.emplace(withLayer(name->second->ours, layer), ofOurs(tensor, *name->second));
        }
    }
    return ours;
}

NamedTensors underTheirNames(const NamedTensors& ours, PublishedForm form) {
    std::map<std::string_view, const PublishedName*> byOurs;
    for (const PublishedName& name : publishedNames(form)) byOurs.emplace(name.ours, &name);
    NamedTensors theirs;
    std::map<std::string, std::vector<at::Tensor>> thirds;
    for (const auto& [path, tensor] : ours) {
        std::string layer;
        const auto found = byOurs.find(withoutLayer(path, layer));
        HEDDLE_CHECK(found != byOurs.end());
        const PublishedName& name = *found->second;
        const std::string bare = withLayer(name.theirs, layer);
        const std::string given = isNameOfHead(bare) ? bare : std::string(prefixOf(form)) + bare;
        if (name.third < 0) {
            theirs.emplace(given, (name.isTransposed ? tensor.t() : tensor).contiguous());
            continue;
        }
        auto& parts = thirds[given];
        parts.resize(3);
        parts[static_cast<std::size_t>(name.third)] = name.isTransposed ? tensor.t() : tensor;
    }
    for (const auto& [given, parts] : thirds) theirs.emplace(given, at::cat(parts, -1));
    return theirs;
}

void takeRowsOfTokens(NamedTensors& weights, const std::vector<std::int64_t>& rows) {
    const at::Tensor rows_V = at::tensor(rows, at::kLong);
    for (const char* path : kRowsOfTokens)
        if (const auto found = weights.find(path); found != weights.end())
            found->second = found->second.index_select(0, rows_V);
}

}  // namespace heddle
