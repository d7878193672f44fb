// SPDX-License-Identifier: Apache-2.0
// Writing: from a resolved variant to its compact document.
#include "engine/spec/variant_document.h"
#include "engine/spec/variant_schema.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace heddle {
namespace {

using Choices = std::map<std::string, BlockChoice>;

/// The most frequent value of the layers; the first in case of a tie.
const BlockChoice& mostFrequent(const std::vector<const BlockChoice*>& values) {
    std::vector<std::pair<const BlockChoice*, int>> counts;  // one entry per different value; they are few
    for (const BlockChoice* value : values) {
        const auto known = std::find_if(counts.begin(), counts.end(), [&](const auto& one) { return *one.first == *value; });
        if (known == counts.end())
            counts.emplace_back(value, 1);
        else
            ++known->second;
    }
    const auto isRarer = [](const auto& a, const auto& b) { return a.second < b.second; };
    return *std::max_element(counts.begin(), counts.end(), isRarer)->first;
}

/// A sublayer of a stack with the values of most layers.
struct Common {
    SublayerPlace place;
    std::size_t index = 0;
    Choices slots;
};

class Compactor {
public:
    Compactor(const ResolvedVariant& variant, const Catalogue& catalogue) : variant_(variant), catalogue_(catalogue) {
        for (const auto& stack : stacksOf(variant_.topology)) gather(stack);
    }

    Json compact() const {
        Json document{{"dims", dims()}, {"topology", wordOf(variant_.topology)}};
        for (const auto& slot : globalSlots()) put(document, slot, standardChoice(variantSchema(), slot), globalChoice(slot));
        Choices defaults;
        const Json written = compactDefaults(defaults);
        for (const auto& stack : stacksOf(variant_.topology)) document[stack] = compactStack(stack, defaults);
        document = withoutDefaults(variantSchema(), document);
        if (!written.empty()) document["defaults"] = written;  // verbatim, since the standard of a sublayer may differ
        return document;
    }

    /// The final norm as `defaults.norm` can state it: with the place of the sublayers' norms, or else the standard one.
    BlockChoice finalNorm() const {
        const BlockChoice standard = standardChoice(fieldOf(variantSchema(), "defaults"), "norm");
        const BlockChoice* agreed = agreedChoice("norm");
        const BlockChoice& candidate = agreed ? *agreed : standard;
        BlockChoice final = variant_.finalNorm;
        if (final.params.contains("place") && candidate.params.contains("place"))
            final.params["place"] = candidate.params["place"];
        if (final == candidate || !final.params.contains("place")) return final;
        final.params["place"] = standard.params.value("place", final.params["place"]);
        return final;
    }

private:
    /// Omits derived widths.
    Json dims() const {
        const Dims& d = variant_.dims;
        Json written = dimsJson(d);
        if (d.d % d.heads == 0 && d.keyDim == d.d / d.heads) written["key_dim"] = nullptr;
        if (d.valueDim == d.keyDim) written["value_dim"] = nullptr;
        if (d.kvHeads == 0) written["kv_heads"] = nullptr;
        if (d.baseF * d.d == d.f * d.baseD) written["base_f"] = nullptr;
        if (d.baseHeads == d.heads) written["base_heads"] = nullptr;
        if (variant_.topology == Topology::EncoderDecoder) return written;
        // Omits sizes of a stack that the topology lacks.
        const bool decodes = variant_.topology == Topology::Decoder;
        written.erase(decodes ? "vocab_src" : "vocab_tgt");
        written.erase(decodes ? "layers_enc" : "layers_dec");
        return written;
    }

    BlockChoice choiceOf(const std::string& slot, const std::string& id) const {
        return {id, withDefaults(parameterSchema(catalogue_.at(slot, id)), Json::object())};
    }

    /// The default of a slot of this object.
    BlockChoice standardChoice(const FieldSchema& holder, const std::string& slot) const {
        return choiceOf(slot, fieldOf(holder, slot).defaultValue.at(kindKey(slot)));
    }

    BlockChoice standardChoice(const SublayerPlace& place, const std::string& slot) const {
        return choiceOf(slot, standardBlock(place, slot));
    }

    /// Only embed.source expresses a tied head.
    BlockChoice globalChoice(const std::string& slot) const {
        BlockChoice choice = variant_.globals.at(slot);
        if (slot == "head" && choice.params.value("tied", false)) choice.params["tied"] = false;
        return choice;
    }

    /// Writes the difference from `base` to `value` into `holder[slot]`, if any.
    void put(Json& holder, const std::string& slot, const BlockChoice& base, const BlockChoice& value) const {
        if (base == value) return;
        Json written{{kindKey(slot), value.id}};
        const BlockChoice from = base.id == value.id ? base : choiceOf(slot, value.id);
        writeChanges(written, parameterSchema(catalogue_.at(slot, value.id)), from.params, value.params);
        holder[slot] = written;
    }

    /// Members of `value` that differ from `base`; of an object that `base` lacks those that differ from their defaults.
    static void writeChanges(Json& written, const FieldSchema& schema, const Json& base, const Json& value) {
        for (const auto& [key, member] : value.items()) {
            const Json before = base.value(key, Json());
            if (before == member) continue;
            const FieldSchema& field = fieldOf(schema, key);
            if (field.type != FieldSchema::Type::Object || !member.is_object()) {
                written[key] = member;
            } else if (before.is_object()) {
                writeChanges(written[key] = Json::object(), field, before, member);
            } else {
                written[key] = withoutDefaults(field, member);
            }
        }
    }

    void gather(const std::string& stack) {
        const std::vector<ResolvedLayer>& layers = layersOf(variant_, stack);
        for (std::size_t j = 0; j < layers.front().sublayers.size(); ++j) {
            Common common{{stack, layers.front().sublayers[j].name}, j, {}};
            for (const auto& slot : sublayerSlots(common.place.name)) {
                std::vector<const BlockChoice*> values;
                for (const auto& layer : layers) values.push_back(&layer.sublayers[j].slots.at(slot));
                common.slots[slot] = mostFrequent(values);
            }
            common_.push_back(std::move(common));
        }
    }

    /// The choice of a slot on which all sublayers that have the slot agree; null if they do not, or if each has its standard.
    const BlockChoice* agreedChoice(const std::string& slot) const {
        const BlockChoice* agreed = nullptr;
        bool isStandard = true;
        for (const Common& common : common_) {
            const auto own = common.slots.find(slot);
            if (own == common.slots.end()) continue;
            if (agreed && *agreed != own->second) return nullptr;
            if (!agreed) agreed = &own->second;
            isStandard = isStandard && own->second == standardChoice(common.place, slot);
        }
        return isStandard ? nullptr : agreed;
    }

    /// Moves slots on which all sublayers agree, and the final norm, to `defaults`. Score carries stay at their sublayers,
    /// because `defaults` apply to some sites only. Fills `defaults` with the values written.
    Json compactDefaults(Choices& defaults) const {
        Json written = Json::object();
        for (const auto& slot : keysOf(fieldOf(variantSchema(), "defaults"))) {
            const BlockChoice* agreed = slot == "score" ? nullptr : agreedChoice(slot);
            if (agreed) defaults[slot] = *agreed;
            if (slot == "norm" && variant_.hasFinalNorm) defaults[slot] = variant_.finalNorm;
            if (defaults.contains(slot)) put(written, slot, {}, defaults[slot]);
        }
        if (variant_.hasFinalNorm) {
            written["norm"]["kind"] = defaults["norm"].id;
            written["norm"]["final"] = 1;
        }
        return written;
    }

    Json compactStack(const std::string& stack, const Choices& defaults) const {
        Json sublayers = Json::array(), exceptions = Json::object();
        const auto& layers = layersOf(variant_, stack);
        bool listed = false;
        std::vector<std::string> names;
        for (const auto& common : common_) {
            const auto& [place, index, slots] = common;
            if (place.stack != stack) continue;
            Json entry{{"name", place.name}};
            for (const auto& [slot, choice] : slots)
                put(entry, slot, defaults.contains(slot) ? defaults.at(slot) : standardChoice(place, slot), choice);
            for (std::size_t i = 0; i < layers.size(); ++i) {
                Json exception = Json::object();
                for (const auto& [slot, choice] : layers[i].sublayers[index].slots)
                    put(exception, slot, slots.at(slot), choice);
                if (!exception.empty()) exceptions[std::to_string(i)][place.name] = exception;
            }
            listed = listed || entry.size() > 1;
            names.push_back(place.name);
            sublayers.push_back(entry);
        }
        Json written = Json::object();
        for (const auto& slot : stackSlots())
            put(written, slot, standardChoice(fieldOf(variantSchema(), stack), slot),
                variant_.stackSlots.at(childPath(stack, slot)));
        if (listed || names != standardSublayers(variant_.topology, stack)) written["sublayers"] = sublayers;
        if (!exceptions.empty()) written["layers"] = exceptions;
        return written;
    }

    const ResolvedVariant& variant_;
    const Catalogue& catalogue_;
    std::vector<Common> common_;
};

}  // namespace

BlockChoice statedFinalNorm(const ResolvedVariant& variant, const Catalogue& catalogue) {
    return Compactor(variant, catalogue).finalNorm();
}

Json compactVariant(const ResolvedVariant& variant, const Catalogue& catalogue) {
    return Compactor(variant, catalogue).compact();
}

}  // namespace heddle
