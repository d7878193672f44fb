// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/variant_resolve.h"

#include "engine/spec/variant_schema.h"
#include "engine/spec/variant_stack.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

/// A slot while it is being decided: the block and the parameters given so far.
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
        variant.topology = "encdec";
        variant.dims = resolveDims(document);
        resolveGlobals(document, variant);
        const Drafts defaults = resolveDefaults(document, variant);
        variant.encoder = resolveStack("encoder", objectMember(document, "encoder"), defaults, variant.dims.layersEnc);
        variant.decoder = resolveStack("decoder", objectMember(document, "decoder"), defaults, variant.dims.layersDec);
        return variant;
    }

private:
    void report(const std::string& path, const std::string& what, const std::string& next) {
        problems_.push_back({path, what, next});
    }

    Dims resolveDims(const Json& document) {
        const FieldSchema& schema = fieldOf(variantSchema(), "dims");
        Json given = objectMember(document, "dims");
        std::vector<Problem> wrong;
        validate(schema, given, "dims", wrong);
        const Json all = withDefaults(schema, wrong.empty() ? given : Json::object());
        const auto number = [&](const char* key) {
            return all[key].is_number() ? all[key].get<std::int64_t>() : std::int64_t{0};
        };
        Dims dims{number("d"),          number("f"),          number("heads"),   number("key_dim"),   number("value_dim"),
                  number("layers_enc"), number("layers_dec"), number("max_len"), number("vocab_src"), number("vocab_tgt")};
        if (dims.keyDim == 0 && dims.heads > 0) {  // heads is at least 1 by its schema
            if (dims.d % dims.heads != 0)
                report("dims.heads", fmt::format("{} heads do not divide d = {}", dims.heads, dims.d),
                       "choose heads that divide d, or set key_dim");
            dims.keyDim = std::max<std::int64_t>(1, dims.d / dims.heads);
        }
        if (dims.valueDim == 0) dims.valueDim = dims.keyDim;
        return dims;
    }

    /// `value` over `base` in one slot; problems carry the path where the value is written.
    Draft overlay(const Draft& base, const std::string& slot, const Json& value, const std::string& path) {
        Json given = slotObject(slot, value);
        if (!given.is_object()) return base;  // reported by validate()
        Draft draft = base;
        const std::string kind = kindKey(slot);
        if (const auto named = given.find(kind); named != given.end()) {
            const auto* block = named->is_string() ? catalogue_.find(slot, named->get<std::string>()) : nullptr;
            if (!block) {
                const std::string word = named->is_string() ? named->get<std::string>() : named->dump();
                report(childPath(path, kind), fmt::format("unknown value \"{}\"", word), suggestion(word, idsOf(slot)));
                return base;
            }
            if (block != draft.block) draft = {block, Json::object()};
            given.erase(named);
        }
        if (!draft.block) return draft;
        const auto before = problems_.size();
        validate(parameterSchema(*draft.block), given, path, problems_);
        if (problems_.size() == before) draft.params.update(given);
        return draft;
    }

    std::vector<std::string> idsOf(const std::string& slot) const {
        std::vector<std::string> ids;
        for (const auto* block : catalogue_.ofSlot(slot)) ids.push_back(block->id);
        return ids;
    }

    /// The schema's default block, then the document's value if there is one.
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

    /// `head.tied` and the embedding's source say the same thing from two sides; after this they agree.
    void tieHead(Draft& embed, Draft& head) {
        if (!embed.block || !head.block) return;
        const std::string source = embed.block->id;
        const bool sourceTies = source == "tied_out" || source == "tied_all";
        const Json stated = head.params.value("tied", Json());
        if (stated == Json(false) && sourceTies)
            report("head.tied", fmt::format("false contradicts embed.source \"{}\"", source), "leave head.tied out");
        const auto* tied = source == "learned"        ? catalogue_.find("embed", "tied_out")
                           : source == "tied_src_tgt" ? catalogue_.find("embed", "tied_all")
                                                      : nullptr;
        if (stated == Json(true) && tied) embed.block = tied;
        if (sourceTies) head.params["tied"] = true;
    }

    Drafts resolveDefaults(const Json& document, ResolvedVariant& variant) {
        Json given = objectMember(document, "defaults");
        const bool final = takeFinal(given);
        Drafts drafts;
        for (const auto& field : fieldOf(variantSchema(), "defaults").fields)
            drafts[field.key] = resolveSlot(field, given, childPath("defaults", field.key));
        variant.finalNormEnc = variant.finalNormDec = final;
        variant.finalNorm = finish(drafts["norm"]);
        if (final && variant.finalNorm.id == "none")
            report("defaults.norm.final", "there is no norm to put after the last layer", "set final to 0, or choose a norm");
        return drafts;
    }

    /// Removes `final` from defaults.norm: it belongs to the stacks, not to the block.
    bool takeFinal(Json& defaults) {
        const auto norm = defaults.find("norm");
        if (norm == defaults.end() || !norm->is_object() || !norm->contains("final")) return false;
        const Json value = (*norm)["final"];
        norm->erase("final");
        validate(fieldOf(fieldOf(fieldOf(variantSchema(), "defaults"), "norm"), "final"), value, "defaults.norm.final",
                 problems_);
        return value == 1;
    }

    Drafts overlaySublayer(const Drafts& base, const std::string& name, const Json& given, const std::string& path) {
        Drafts drafts;
        for (const auto& slot : sublayerSlots(name)) {
            const auto value = given.find(slot);
            drafts[slot] = value == given.end() ? base.at(slot) : overlay(base.at(slot), slot, *value, childPath(path, slot));
        }
        return drafts;
    }

    std::vector<ResolvedLayer> resolveStack(const std::string& stack, const Json& given, const Drafts& defaults,
                                            std::int64_t layerCount) {
        std::vector<std::pair<std::string, Drafts>> sublayers;  // name, its slots in every layer without exception
        for (const auto& [name, slots] : readSublayers(stack, given, problems_))
            sublayers.emplace_back(name, overlaySublayer(defaults, name, slots, childPath(stack, name)));
        checkExceptions(stack, given, layerCount, problems_);
        const Json& exceptions = objectMember(given, "layers");
        std::vector<ResolvedLayer> layers(static_cast<std::size_t>(layerCount));
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const std::string index = std::to_string(i);
            for (const auto& [name, drafts] : sublayers) {
                const std::string path = fmt::format("{}.layers.{}.{}", stack, index, name);
                ResolvedSublayer sublayer{name, path, {}};
                const Json& exception = objectMember(objectMember(exceptions, index), name);
                for (const auto& [slot, draft] : overlaySublayer(drafts, name, exception, path))
                    sublayer.slots[slot] = finish(draft);
                layers[i].sublayers.push_back(std::move(sublayer));
            }
        }
        return layers;
    }

    const Catalogue& catalogue_;
    std::vector<Problem>& problems_;
};

}  // namespace

ResolvedVariant resolveVariant(const Json& document, const Catalogue& catalogue, std::vector<Problem>& problems) {
    return Resolver(catalogue, problems).resolve(document);
}

}  // namespace heddle
