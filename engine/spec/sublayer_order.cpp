// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/sublayer_order.h"

#include "engine/base/error.h"
#include "engine/spec/variant_spec.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

/// The topology of the document, else of its preset, else the default.
std::string topologyOf(const Json& variant, const Json& preset) {
    for (const Json* document : {&variant, &preset})
        if (const auto stated = document->find("topology"); stated != document->end() && stated->is_string()) return *stated;
    return "encdec";
}

}  // namespace

Json impliedSublayers(const Json& variant, const std::string& stack) {
    Json preset = Json::object();
    if (const auto named = variant.find("preset"); named != variant.end() && named->is_string())
        if (findPreset(*named)) preset = presetDocument(*named);
    const Json base = preset.value(stack, Json::object());
    Json list = Json::array();
    if (base.contains("sublayers"))
        for (const auto& entry : base["sublayers"]) list.push_back({{"name", entry.at("name")}});
    else
        for (const auto& known : standardSublayers(topologyOf(variant, preset), stack)) list.push_back({{"name", known}});
    return list;
}

void moveSublayer(Json& variant, const SublayerPlace& sublayer, int place) {
    const Json::json_pointer at("/" + sublayer.stack + "/sublayers");
    Json list = variant.contains(at) ? variant.at(at) : impliedSublayers(variant, sublayer.stack);
    const auto isIt = [&](const Json& entry) { return entry.is_object() && entry.value("name", Json()) == sublayer.name; };
    const auto found = std::find_if(list.begin(), list.end(), isIt);
    if (!list.is_array() || found == list.end())
        throwInvalid(fmt::format("the {} has no sublayer \"{}\"", sublayer.stack, sublayer.name), sublayer.stack + ".sublayers",
                     "choose one of its sublayers");
    if (place < 0 || place >= static_cast<int>(list.size()))
        throwInvalid(fmt::format("position {} is out of range", place), sublayer.stack + ".sublayers",
                     fmt::format("choose one of 0 to {}", list.size() - 1));
    const Json moved = *found;
    list.erase(found);
    list.insert(list.begin() + place, moved);
    variant[at] = std::move(list);
}

}  // namespace heddle
