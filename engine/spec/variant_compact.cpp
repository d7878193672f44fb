// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/variant_resolve.h"
#include "engine/spec/variant_schema.h"

#include <algorithm>

namespace heddle {
namespace {

using Choices = std::map<std::string, BlockChoice>;

bool same(const BlockChoice& a, const BlockChoice& b) { return a.id == b.id && a.params == b.params; }

/// The value most layers have; of equally frequent ones the first.
const BlockChoice& mostFrequent(const std::vector<const BlockChoice*>& values) {
    const auto frequency = [&](const BlockChoice* value) {
        return std::count_if(values.begin(), values.end(), [&](const auto* other) { return same(*value, *other); });
    };
    return **std::max_element(values.begin(), values.end(),
                              [&](const auto* a, const auto* b) { return frequency(a) < frequency(b); });
}

/// One sublayer of a stack: what it is in most layers.
struct Common {
    std::string stack, name;
    std::size_t index = 0;
    Choices slots;
};

class Compactor {
public:
    Compactor(const ResolvedVariant& variant, const Catalogue& catalogue) : variant_(variant), catalogue_(catalogue) {}

    Json compact() {
        gather("encoder", variant_.encoder);
        gather("decoder", variant_.decoder);
        Json document{{"dims", dims()}, {"topology", variant_.topology}};
        for (const auto& slot : globalSlots()) put(document, slot, defaultChoice(slot), globalChoice(slot));
        Choices defaults;
        document["defaults"] = compactDefaults(defaults);
        document["encoder"] = compactStack("encoder", variant_.encoder, defaults);
        document["decoder"] = compactStack("decoder", variant_.decoder, defaults);
        return withoutDefaults(variantSchema(), document);
    }

private:
    /// Widths that follow from the others are left out.
    Json dims() const {
        const Dims& d = variant_.dims;
        Json written = dimsJson(d);
        if (d.d % d.heads == 0 && d.keyDim == d.d / d.heads) written["key_dim"] = nullptr;
        if (d.valueDim == d.keyDim) written["value_dim"] = nullptr;
        return written;
    }

    BlockChoice choiceOf(const std::string& slot, const std::string& id) const {
        return {id, withDefaults(parameterSchema(catalogue_.at(slot, id)), Json::object())};
    }

    const FieldSchema& slotField(const std::string& slot) const {
        const auto& globals = globalSlots();
        const bool global = std::find(globals.begin(), globals.end(), slot) != globals.end();
        return fieldOf(global ? variantSchema() : fieldOf(variantSchema(), "defaults"), slot);
    }

    BlockChoice defaultChoice(const std::string& slot) const {
        return choiceOf(slot, slotField(slot).defaultValue.at(kindKey(slot)));
    }

    /// A tied head is said by embed.source alone.
    BlockChoice globalChoice(const std::string& slot) const {
        BlockChoice choice = variant_.globals.at(slot);
        if (slot == "head" && choice.params.value("tied", false)) choice.params["tied"] = false;
        return choice;
    }

    /// Writes into `holder[slot]` what turns `base` into `value`, if anything does.
    void put(Json& holder, const std::string& slot, const BlockChoice& base, const BlockChoice& value) const {
        if (same(base, value)) return;
        Json written{{kindKey(slot), value.id}};
        const BlockChoice from = base.id == value.id ? base : choiceOf(slot, value.id);
        for (const auto& [key, parameter] : value.params.items())
            if (from.params.value(key, Json()) != parameter) written[key] = parameter;
        holder[slot] = written;
    }

    void gather(const std::string& stack, const std::vector<ResolvedLayer>& layers) {
        for (std::size_t j = 0; j < layers.front().sublayers.size(); ++j) {
            Common common{stack, layers.front().sublayers[j].name, j, {}};
            for (const auto& slot : sublayerSlots(common.name)) {
                std::vector<const BlockChoice*> values;
                for (const auto& layer : layers) values.push_back(&layer.sublayers[j].slots.at(slot));
                common.slots[slot] = mostFrequent(values);
            }
            common_.push_back(std::move(common));
        }
    }

    /// A slot that all sublayers agree on moves to `defaults`; the norm of the stacks' ends has no other place.
    Json compactDefaults(Choices& defaults) const {
        Json written = Json::object();
        for (const auto& field : fieldOf(variantSchema(), "defaults").fields) {
            const auto& slot = field.key;
            const BlockChoice standard = defaultChoice(slot);
            std::vector<const BlockChoice*> values;
            for (const auto& common : common_)
                if (common.slots.contains(slot)) values.push_back(&common.slots.at(slot));
            const bool agreed = !values.empty() && std::all_of(values.begin(), values.end(), [&](const auto* value) {
                return same(*value, *values.front());
            });
            defaults[slot] = agreed ? *values.front() : standard;
            if (slot == "norm" && variant_.finalNormEnc) defaults[slot] = withFinal(defaults[slot], standard);
            put(written, slot, standard, defaults[slot]);
        }
        if (variant_.finalNormEnc) {
            written["norm"]["kind"] = defaults["norm"].id;
            written["norm"]["final"] = 1;
        }
        return written;
    }

    /// The default norm that gives this final norm: `place` means nothing at a stack's end, so it is free to follow
    /// `candidate`.
    BlockChoice withFinal(const BlockChoice& candidate, const BlockChoice& standard) const {
        BlockChoice final = variant_.finalNorm;
        if (final.params.contains("place") && candidate.params.contains("place"))
            final.params["place"] = candidate.params["place"];
        if (same(final, candidate) || !final.params.contains("place")) return final;
        final.params["place"] = standard.params.value("place", final.params["place"]);
        return final;
    }

    Json compactStack(const std::string& stack, const std::vector<ResolvedLayer>& layers, const Choices& defaults) const {
        Json sublayers = Json::array(), exceptions = Json::object();
        bool listed = false;
        std::vector<std::string> names;
        for (const auto& common : common_) {
            if (common.stack != stack) continue;
            Json entry{{"name", common.name}};
            for (const auto& [slot, choice] : common.slots) put(entry, slot, defaults.at(slot), choice);
            for (std::size_t i = 0; i < layers.size(); ++i) {
                Json exception = Json::object();
                for (const auto& [slot, choice] : layers[i].sublayers[common.index].slots)
                    put(exception, slot, common.slots.at(slot), choice);
                if (!exception.empty()) exceptions[std::to_string(i)][common.name] = exception;
            }
            listed = listed || entry.size() > 1;
            names.push_back(common.name);
            sublayers.push_back(entry);
        }
        Json written = Json::object();
        if (listed || names != sublayerNames(stack)) written["sublayers"] = sublayers;
        if (!exceptions.empty()) written["layers"] = exceptions;
        return written;
    }

    const ResolvedVariant& variant_;
    const Catalogue& catalogue_;
    std::vector<Common> common_;
};

}  // namespace

Json compactVariant(const ResolvedVariant& variant, const Catalogue& catalogue) {
    return Compactor(variant, catalogue).compact();
}

}  // namespace heddle
