// SPDX-License-Identifier: Apache-2.0
// Reading: from a document to the resolved variant.
#include "engine/spec/variant_document.h"

#include "engine/base/contains.h"
#include "engine/base/suggestion.h"
#include "engine/spec/base_dims.h"
#include "engine/spec/layer_pattern.h"
#include "engine/spec/variant_schema.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

/// A stack ("encoder", "decoder") as written in a document.
struct GivenStack {
    Topology topology;
    const std::string& name;
    const Json& given;
};

/// The name of a list entry, or empty.
std::string nameOf(const Json& entry) {
    if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string()) return "";
    return entry["name"].get<std::string>();
}

/// The names in a stack's list, well-formed or not; the default list if there is none.
std::vector<std::string> namesIn(const GivenStack& stack) {
    if (!stack.given.contains("sublayers") || !stack.given["sublayers"].is_array())
        return standardSublayers(stack.topology, stack.name);
    std::vector<std::string> names;
    for (const auto& entry : stack.given["sublayers"]) names.push_back(nameOf(entry));
    return names;
}

/// Checks that the sublayers fit the topology and each other.
void checkTogether(const GivenStack& stack, const std::vector<std::string>& names, std::vector<Problem>& problems) {
    const std::string path = stack.name + ".sublayers";
    if (names.empty())
        problems.push_back({path, "a layer needs at least one sublayer", suggestion("", sublayerNames(stack.name))});
    const bool looksAcross = contains(names, "cross");
    if (stack.name == "decoder" && stack.topology == Topology::EncoderDecoder && !looksAcross)
        problems.push_back({path, "without \"cross\" the decoder does not read the source", "add {\"name\":\"cross\"}"});
    if (stack.topology == Topology::Decoder && looksAcross)
        problems.push_back({path, "\"cross\" has no encoder to attend to", "remove it, or set topology to \"encdec\""});
    const bool isRecurrent = stack.topology == Topology::BiLstm;
    if (isRecurrent ? names != std::vector<std::string>{"lstm"} : contains(names, "lstm"))
        problems.push_back({path,
                            isRecurrent ? "a layer of topology \"bilstm\" must consist of the sublayer \"lstm\" only"
                                        : "the sublayer \"lstm\" doubles the width, which only topology \"bilstm\" supports",
                            "set topology to \"bilstm\" and list \"lstm\" alone, or neither"});
}

/// Name and slot values of a stack's sublayers, in order: the well-formed entries of `sublayers`, or the standard list. Reports
/// everything else.
std::vector<std::pair<std::string, Json>> readSublayers(const GivenStack& stack, std::vector<Problem>& problems) {
    const auto& known = sublayerNames(stack.name);
    const auto names = namesIn(stack);
    std::vector<std::pair<std::string, Json>> list;
    if (!stack.given.contains("sublayers") || !stack.given["sublayers"].is_array()) {
        for (const auto& name : names) list.emplace_back(name, Json::object());
        return list;
    }
    const std::string path = stack.name + ".sublayers";
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string at = fmt::format("{}.{}", path, i);
        const bool repeated = std::find(names.begin(), names.end(), names[i]) != names.begin() + static_cast<std::ptrdiff_t>(i);
        if (names[i].empty()) {
            problems.push_back({at, "a sublayer needs a name", suggestion("", known)});
        } else if (!contains(known, names[i])) {
            problems.push_back({at + ".name", fmt::format("the {} has no sublayer \"{}\"", stack.name, names[i]),
                                suggestion(names[i], known)});
        } else if (repeated) {
            problems.push_back({at + ".name", fmt::format("sublayer \"{}\" appears twice", names[i]), "remove one of them"});
        } else {
            Json slots = stack.given["sublayers"][i];
            slots.erase("name");
            validate(sublayerSchema(names[i]), slots, childPath(stack.name, names[i]), problems);
            list.emplace_back(names[i], std::move(slots));
        }
    }
    checkTogether(stack, names, problems);
    return list;
}

/// Reports members of `layers` that name a missing layer or sublayer; `layerCount`: layers with weights.
void checkExceptions(const GivenStack& stack, std::int64_t layerCount, std::vector<Problem>& problems) {
    if (!stack.given.contains("layers")) return;
    const std::string path = stack.name + ".layers";
    const Json& given = stack.given;
    if (!given["layers"].is_object()) {
        problems.push_back({path, "not an object", "write {\"0\":{\"self\":{…}}}"});
        return;
    }
    const auto names = namesIn(stack);
    for (const auto& [index, sublayers] : given["layers"].items()) {
        const std::string at = childPath(path, index);
        const auto pattern = layerPattern(index);
        if (!pattern || (pattern->step == 0 && pattern->first >= layerCount)) {
            problems.push_back({at, fmt::format("there is no layer {}", index),
                                layerCount == 1
                                    ? fmt::format("the {} has one layer, or shares one (share): layer 0", stack.name)
                                    : fmt::format("the {} has layers 0 to {} (dims.{})", stack.name, layerCount - 1,
                                                  stack.name == "encoder" ? "layers_enc" : "layers_dec")});
        } else if (!sublayers.is_object()) {
            problems.push_back({at, "not an object", "write {\"self\":{…}}"});
        } else {
            for (const auto& [name, slots] : sublayers.items()) {
                if (contains(names, name))
                    validate(sublayerSchema(name), slots, childPath(at, name), problems);
                else
                    problems.push_back({childPath(at, name), fmt::format("unknown key \"{}\"", name), suggestion(name, names)});
            }
        }
    }
}

/// A partially resolved slot: the block and the parameters given so far.
struct Draft {
    const BlockDescriptor* block = nullptr;
    Json params = Json::object();
};
using Drafts = std::map<std::string, Draft>;

/// Member `key` if it is an object, else an empty object: wrong types have been reported by validate().
const Json& objectMember(const Json& object, const std::string& key) {
    static const Json empty = Json::object();
    if (!object.is_object()) return empty;
    const auto it = object.find(key);
    return it != object.end() && it->is_object() ? *it : empty;
}

class Resolver {
public:
    Resolver(const Catalogue& catalogue, std::vector<Problem>& problems) : catalogue_(catalogue), problems_(problems) {}

    ResolvedVariant resolve(const Json& document) {
        ResolvedVariant variant;
        validate(variantSchema(), document, "", problems_);
        variant.topology = resolveTopology(document);
        variant.dims = resolveDims(document, variant.topology);
        resolveGlobals(document, variant);
        const Json defaults = resolveDefaults(document, variant);
        const auto stacks = stacksOf(variant.topology);
        for (const std::string stack : {"encoder", "decoder"}) {
            const Json& given = objectMember(document, stack);
            if (contains(stacks, stack))
                resolveStack({variant.topology, stack, given}, defaults, variant);
            else if (!given.empty())
                report(stack, fmt::format("topology \"{}\" has no {}", wordOf(variant.topology), stack),
                       fmt::format("remove \"{}\", or set topology to \"encdec\"", stack));
        }
        return variant;
    }

private:
    /// Reports a problem once, although an inherited value is checked for every sublayer.
    void report(const std::string& path, const std::string& what, const std::string& next) {
        const auto same = [&](const Problem& known) { return known.path == path && known.what == what; };
        if (std::none_of(problems_.begin(), problems_.end(), same)) problems_.push_back({path, what, next});
    }

    /// The default where it is missing, or a problem has been reported.
    static Topology resolveTopology(const Json& document) {
        const Json given = document.is_object() ? document.value("topology", Json()) : Json();
        const auto known = given.is_string() ? choiceNamed<Topology>(given.get<std::string>()) : std::nullopt;
        return known.value_or(Topology::EncoderDecoder);
    }

    Dims resolveDims(const Json& document, Topology topology) {
        const FieldSchema& schema = fieldOf(variantSchema(), "dims");
        Json given = objectMember(document, "dims");
        std::vector<Problem> wrong;
        validate(schema, given, "dims", wrong);
        const Json all = withDefaults(schema, wrong.empty() ? given : Json::object());
        const auto number = [&](const char* key) {
            return all[key].is_number() ? all[key].get<std::int64_t>() : std::int64_t{0};
        };
        Dims dims{number("d"),         number("f"),          number("heads"),      number("key_dim"),
                  number("value_dim"), number("layers_enc"), number("layers_dec"), number("max_len"),
                  number("vocab_src"), number("vocab_tgt"),  number("classes"),    number("token_types"),
                  number("kv_heads"),  number("base_d"),     number("base_f"),     number("base_heads")};
        shareVocabulary(dims, topology);
        if (dims.kvHeads == dims.heads) dims.kvHeads = 0;
        omitAbsentStack(dims, topology);
        if (dims.keyDim == 0 && dims.heads > 0) {  // heads is at least 1 by its schema
            if (dims.d % dims.heads != 0 && topology != Topology::BiLstm)
                report("dims.heads", fmt::format("d = {1} is not divisible by {0} heads", dims.heads, dims.d),
                       "choose a number of heads that divides d, or set key_dim");
            dims.keyDim = std::max<std::int64_t>(1, dims.d / dims.heads);
        }
        if (dims.valueDim == 0) dims.valueDim = dims.keyDim;
        resolveBase(dims, problems_);
        return dims;
    }

    /// The depth of a stack that the topology lacks means nothing, so it is the default, whatever was written.
    static void omitAbsentStack(Dims& dims, Topology topology) {
        const FieldSchema& schema = fieldOf(variantSchema(), "dims");
        const auto stacks = stacksOf(topology);
        if (!contains(stacks, "encoder")) dims.layersEnc = fieldOf(schema, "layers_enc").defaultValue.get<std::int64_t>();
        if (!contains(stacks, "decoder")) dims.layersDec = fieldOf(schema, "layers_dec").defaultValue.get<std::int64_t>();
    }

    /// A single stack has one vocabulary.
    void shareVocabulary(Dims& dims, Topology topology) {
        if (topology == Topology::EncoderDecoder) return;
        const bool decodes = topology == Topology::Decoder;
        std::int64_t& own = decodes ? dims.vocabTgt : dims.vocabSrc;
        std::int64_t& other = decodes ? dims.vocabSrc : dims.vocabTgt;
        if (own > 0 && other > 0 && own != other)
            report(decodes ? "dims.vocab_src" : "dims.vocab_tgt",
                   fmt::format("topology \"{}\" has a single vocabulary, of {} words", wordOf(topology), own),
                   "remove it, or set it to the same number");
        if (own == 0) own = other;
        other = own;
    }

    /// Merges `value` into `base` in one slot; problems name the path where the value is written.
    Draft overlay(const Draft& base, const std::string& slot, const Json& value, const std::string& path) {
        Json given = slotObject(slot, value);
        if (!given.is_object()) return base;  // reported by validate()
        Draft draft = base;
        const std::string kind = kindKey(slot);
        const auto named = given.find(kind), otherwise = given.find("kind");
        const auto word = [](const Json& id) { return id.is_string() ? id.get<std::string>() : id.dump(); };
        const auto suggested = [&](const Json& id) { return suggestion(word(id), catalogue_.idsOf(slot)); };
        if (kind != "kind" && otherwise != given.end()) {
            report(childPath(path, "kind"), "unknown key \"kind\"",
                   fmt::format("slot {} names its block by \"{}\": {}", slot, kind, suggested(*otherwise)));
            return base;
        }
        if (named != given.end()) {
            const auto* block = catalogue_.find(slot, word(*named));
            if (!block) {
                report(childPath(path, kind), fmt::format("unknown value \"{}\"", word(*named)), suggested(*named));
                return base;
            }
            if (block != draft.block) draft = {block, Json::object()};
            given.erase(named);
        }
        if (!draft.block) return draft;
        std::vector<Problem> wrong;
        validate(parameterSchema(*draft.block), given, path, wrong);
        for (const Problem& problem : wrong) report(problem.path, problem.what, problem.next);
        if (wrong.empty()) draft.params.update(given, true);
        return draft;
    }

    /// The schema's default block merged with the document's value.
    Draft resolveSlot(const FieldSchema& field, const Json& holder, const std::string& path) {
        Draft draft = overlay({}, field.slot, field.defaultValue, path);
        return holder.is_object() && holder.contains(field.key) ? overlay(draft, field.slot, holder[field.key], path) : draft;
    }

    static BlockChoice finish(const Draft& draft) {
        if (!draft.block) return {};
        return {draft.block->id, withDefaults(parameterSchema(*draft.block), draft.params)};
    }

    void resolveGlobals(const Json& document, ResolvedVariant& variant) {
        std::map<std::string, Draft> drafts;
        for (const auto& slot : globalSlots()) drafts[slot] = resolveSlot(fieldOf(variantSchema(), slot), document, slot);
        tieHead(drafts["embed"], drafts["head"]);
        for (const auto& [slot, draft] : drafts) variant.globals[slot] = finish(draft);
    }

    /// Makes `head.tied` and the embedding's source agree, which both express tying.
    void tieHead(Draft& embed, Draft& head) {
        if (!embed.block || !head.block) return;
        const std::string source = embed.block->id;
        const bool sourceTies = embed.block->tiesOutput;
        const auto otherForm = [&] { return &catalogue_.at("embed", embed.block->otherTie); };
        if (!findField(parameterSchema(*head.block), "tied")) {  // a head without vocabulary cannot be tied
            if (sourceTies) embed.block = otherForm();
            return;
        }
        const Json stated = head.params.value("tied", Json());
        if (stated == Json(false) && sourceTies)
            report("head.tied", fmt::format("false contradicts embed.source \"{}\"", source), "remove head.tied");
        if (stated == Json(true) && !sourceTies && !embed.block->otherTie.empty())
            embed.block = otherForm();
        else if (stated == Json(true) && !sourceTies)
            report("head.tied", fmt::format("embed.source \"{}\" has no trained table to tie", source),
                   "remove head.tied, or use embed.source learned");
        if (sourceTies) head.params["tied"] = true;
    }

    /// The slot values under `defaults`, without members of the stacks; resolves the final norm.
    Json resolveDefaults(const Json& document, ResolvedVariant& variant) {
        Json given = objectMember(document, "defaults");
        const bool final = takeMember(given, "norm", "final") == 1;
        sites_ = takeMember(given, "score", "sites");
        for (const auto& field : fieldOf(variantSchema(), "defaults").fields) {
            // A value that names its block is checked even if no sublayer has the slot; otherwise it is checked with the blocks
            // that it changes.
            const bool isNamed =
                given.contains(field.key) && slotObject(field.key, given[field.key]).contains(kindKey(field.key));
            if (isNamed) resolveSlot(field, given, childPath("defaults", field.key));
        }
        variant.hasFinalNorm = final;
        variant.finalNorm = finish(resolveSlot(fieldOf(fieldOf(variantSchema(), "defaults"), "norm"), given, "defaults.norm"));
        if (final && holdsNothing(variant.finalNorm))
            report("defaults.norm.final", "there is no norm for the end of the stack", "set final to 0, or choose a norm");
        return given;
    }

    /// Removes and returns a member of defaults.<slot> that belongs to the stacks, or its default.
    Json takeMember(Json& defaults, const std::string& slot, const std::string& member) {
        const FieldSchema& field = fieldOf(fieldOf(fieldOf(variantSchema(), "defaults"), slot), member);
        const auto holder = defaults.find(slot);
        if (holder == defaults.end() || !holder->is_object() || !holder->contains(member)) return field.defaultValue;
        const Json value = (*holder)[member];
        holder->erase(member);
        const auto before = problems_.size();
        validate(field, value, childPath(childPath("defaults", slot), member), problems_);
        return problems_.size() == before ? value : field.defaultValue;
    }

    /// Slots of every sublayer of that name before the stack's list is applied.
    Drafts standardDrafts(const SublayerPlace& place, const Json& defaults) {
        Drafts drafts;
        const std::string site = scoreSite(place);
        for (const auto& slot : sublayerSlots(place.name)) {
            const Draft standard = overlay({}, slot, standardBlock(place, slot), childPath("defaults", slot));
            const bool isOfSite =
                slot == "score" ? !site.empty() && contains(sites_, site) : slot != "relative" || place.name != "cross";
            const bool applies = defaults.contains(slot) && isOfSite;
            drafts[slot] = applies ? overlay(standard, slot, defaults[slot], childPath("defaults", slot)) : standard;
        }
        return drafts;
    }

    Drafts overlaySublayer(const Drafts& base, const std::string& name, const Json& given, const std::string& path) {
        Drafts drafts;
        for (const auto& slot : sublayerSlots(name)) {
            const auto value = given.find(slot);
            drafts[slot] = value == given.end() ? base.at(slot) : overlay(base.at(slot), slot, *value, childPath(path, slot));
        }
        return drafts;
    }

    /// Resolves share and h0; returns the number of layers with their own weights.
    std::int64_t resolveStackSlots(const GivenStack& stack, ResolvedVariant& variant) {
        const FieldSchema& schema = fieldOf(variantSchema(), stack.name);
        for (const auto& slot : stackSlots()) {
            const std::string path = childPath(stack.name, slot);
            variant.stackSlots[path] = finish(resolveSlot(fieldOf(schema, slot), stack.given, path));
        }
        const std::int64_t layers = stack.name == "encoder" ? variant.dims.layersEnc : variant.dims.layersDec;
        const BlockChoice& share = variant.stackSlots.at(childPath(stack.name, "share"));
        return catalogue_.at("share", share.id).sharesWeights ? 1 : layers;
    }

    /// `defaults`: slot values as written under `defaults`.
    void resolveStack(const GivenStack& stack, const Json& defaults, ResolvedVariant& variant) {
        std::vector<std::pair<std::string, Drafts>> sublayers;  // name, and slots of layers without overrides
        for (const auto& [name, slots] : readSublayers(stack, problems_)) {
            const Drafts standard = standardDrafts({stack.name, name}, defaults);
            sublayers.emplace_back(name, overlaySublayer(standard, name, slots, childPath(stack.name, name)));
        }
        const std::int64_t layerCount = resolveStackSlots(stack, variant);
        checkExceptions(stack, layerCount, problems_);
        const Json& exceptions = objectMember(stack.given, "layers");
        auto& layers = stack.name == "encoder" ? variant.encoder : variant.decoder;
        layers.resize(static_cast<std::size_t>(layerCount));
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const auto ofLayer = exceptionsOf(exceptions, static_cast<std::int64_t>(i));
            for (const auto& [name, drafts] : sublayers) {
                ResolvedSublayer sublayer{name, fmt::format("{}.layers.{}.{}", stack.name, i, name), {}};
                Drafts own = drafts;
                for (const auto& [key, exception] : ofLayer)
                    own = overlaySublayer(own, name, objectMember(exception, name),
                                          fmt::format("{}.layers.{}.{}", stack.name, key, name));
                for (const auto& [slot, draft] : own) sublayer.slots[slot] = finish(draft);
                layers[i].sublayers.push_back(std::move(sublayer));
            }
        }
    }

    const Catalogue& catalogue_;
    std::vector<Problem>& problems_;
    Json sites_;  ///< defaults.score.sites
};

}  // namespace

ResolvedVariant resolveVariant(const Json& document, const Catalogue& catalogue, std::vector<Problem>& problems) {
    const auto before = problems.size();
    ResolvedVariant variant = Resolver(catalogue, problems).resolve(document);
    if (problems.size() == before && variant.hasFinalNorm) variant.finalNorm = statedFinalNorm(variant, catalogue);
    return variant;
}

}  // namespace heddle
