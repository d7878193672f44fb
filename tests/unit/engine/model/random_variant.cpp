// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/engine/model/random_variant.h"

#include "engine/spec/variant_schema.h"
#include "engine/spec/variant_spec.h"

#include <algorithm>
#include <set>

namespace heddle::testing_support {

Json VariantDraw::valid() {
    for (;;) {
        ++drawn_;
        const Json drawn = document();
        std::vector<Problem> problems;
        VariantSpec::parse(drawn, builtinCatalogue(), problems);
        if (problems.empty()) return drawn;
    }
}

Json VariantDraw::dims() {
    const std::int64_t heads = number(0, 2) == 0 ? 2 : 1;  // one for bilinear scores
    Json dims{{"d", 4 * number(1, 4)},
              {"f", number(1, 12)},
              {"heads", heads},
              {"layers_enc", number(1, 3)},
              {"layers_dec", number(1, 3)},
              {"max_len", 12},
              {"vocab_src", 13},
              {"vocab_tgt", 13},
              {"classes", number(1, 4)},
              {"token_types", number(0, 2)}};
    if (happens(0.2)) dims["key_dim"] = number(1, 6);
    return dims;
}

Json VariantDraw::document() {
    constexpr double kGlobal = 0.6, kDefault = 0.25, kOverride = 0.15;
    const Topology topology = ChoiceWords<Topology>::kAll[static_cast<std::size_t>(number(0, 3))].value;
    Json drawn{{"topology", wordOf(topology)}, {"dims", dims()}, {"defaults", Json::object()}};
    for (const auto& slot : globalSlots())
        if (happens(kGlobal)) drawn[slot] = block(slot);
    for (const auto& field : fieldOf(variantSchema(), "defaults").fields)
        if (happens(kDefault)) drawn["defaults"][field.key] = block(field.key);
    for (const std::string& stack : stacksOf(topology)) {
        Json& written = drawn[stack] = Json::object();
        for (const auto& slot : stackSlots())
            if (happens(kOverride)) written[slot] = block(slot);
        auto names = standardSublayers(topology, stack);
        if (topology != Topology::BiLstm && happens(0.25)) names.insert(names.begin() + number(0, 1), "star");
        for (const auto& name : names) {
            Json entry = sublayerSlots(name, kOverride);
            entry["name"] = name;
            written["sublayers"].push_back(entry);
        }
        if (happens(0.4)) written["layers"]["0"][names.front()] = sublayerSlots(names.front(), kOverride);
    }
    return drawn;
}

Json VariantDraw::sublayerSlots(const std::string& sublayer, double chance) {
    Json slots = Json::object();
    for (const auto& slot : heddle::sublayerSlots(sublayer))
        if (happens(chance)) slots[slot] = block(slot);
    return slots;
}

Json VariantDraw::block(const std::string& slot) {
    constexpr double kParameter = 0.4;
    const auto blocks = builtinCatalogue().ofSlot(slot);
    const BlockDescriptor& chosen = *blocks[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(blocks.size()) - 1))];
    Json written{{kindKey(slot), chosen.id}};
    for (const auto& field : chosen.parameters)
        if (happens(kParameter)) written[field.key] = value(field);
    // Not what is looked at here: vectors from a file, and iterations that need luck to arrive.
    if (chosen.id == "frozen_file") written["vectors"] = "random";
    if (chosen.id == "fixed_point") written["on_failure"] = "report";
    return written;
}

Json VariantDraw::value(const FieldSchema& field) {
    static const std::set<std::string> kOfTheWholeModel{"max_len"};  // shorter than the toy sentences would be an error
    if ((field.nullable && happens(0.5)) || kOfTheWholeModel.contains(field.key)) return nullptr;
    switch (field.type) {
    case FieldSchema::Type::Boolean: return happens(0.5);
    case FieldSchema::Type::Choice:
        return field.choices[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(field.choices.size()) - 1))];
    case FieldSchema::Type::Integer: {
        const auto low = static_cast<std::int64_t>(field.minimum);
        return number(low, std::max(low, static_cast<std::int64_t>(std::min(field.maximum, 4.0))));
    }
    case FieldSchema::Type::Number: {
        const double low = std::max(field.minimum, -2.0), high = std::min(field.maximum, 2.0);
        return low + (high - low) * std::uniform_real_distribution<>(0.01, 0.9)(random_);
    }
    case FieldSchema::Type::List: {
        Json list = Json::array();
        for (std::int64_t i = 0; i < number(1, 3); ++i) list.push_back(value(field.fields.front()));
        return list;
    }
    case FieldSchema::Type::Object: {
        Json object = Json::object();
        for (const auto& member : field.fields)
            if (happens(0.5)) object[member.key] = value(member);
        return object;
    }
    default: return field.defaultValue;
    }
}

}  // namespace heddle::testing_support
