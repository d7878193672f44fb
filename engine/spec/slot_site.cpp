// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/slot_site.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/split.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/variant_schema.h"
#include "engine/spec/variant_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace heddle {
namespace {

bool isOfAllLayers(const SlotSite& site, int layerCount) {
    return site.hasLayers() && site.first == 0 && site.last == layerCount - 1;
}

/// An edit of all layers must reach those that were exceptions: takes back what they say of the slot, or of `key` of it.
void eraseExceptions(Json& document, const SlotSite& site, const std::string& key) {
    const Json::json_pointer at("/variant/" + site.stack + "/layers");
    if (!document.contains(at) || !document[at].is_object()) return;
    Json& layers = document[at];
    for (auto& [index, layer] : layers.items()) {
        const Json::json_pointer slot("/" + site.sublayer + "/" + site.slot);
        if (!layer.contains(slot)) continue;
        Json& sublayer = layer[site.sublayer];
        if (layer[slot].is_object() && key != kindKey(site.slot)) layer[slot].erase(key);
        if (key == kindKey(site.slot) || layer[slot].empty()) sublayer.erase(site.slot);
        if (sublayer.empty()) layer.erase(site.sublayer);
    }
    for (auto it = layers.begin(); it != layers.end();) it = it->is_object() && it->empty() ? layers.erase(it) : std::next(it);
    if (layers.empty()) document[Json::json_pointer("/variant/" + site.stack)].erase("layers");
}

/// Where an edit of a site is written.
std::vector<std::string> editPaths(const SlotSite& site, int layerCount) {
    if (!site.hasLayers()) return {modulePath(site, 0)};
    if (isOfAllLayers(site, layerCount)) return {site.stack + "." + site.sublayer + "." + site.slot};
    std::vector<std::string> paths;
    for (int layer = site.first; layer <= site.last; ++layer) paths.push_back(modulePath(site, layer));
    return paths;
}

/// The topology of the document, else of its preset, else the default.
Topology topologyOf(const Json& variant, const Json& preset) {
    for (const Json* document : {&variant, &preset})
        if (const auto stated = document->find("topology"); stated != document->end() && stated->is_string())
            return choiceNamed<Topology>(stated->get<std::string>()).value_or(Topology::EncoderDecoder);
    return Topology::EncoderDecoder;
}

}  // namespace

std::string modulePath(const SlotSite& site, int layer) {
    if (site.isGlobal()) return site.slot;
    if (!site.hasLayers()) return site.stack + "." + site.slot;
    return site.stack + ".layers." + std::to_string(layer) + "." + site.sublayer + "." + site.slot;
}

std::optional<SlotSite> siteOfPath(const std::string& path, const ResolvedVariant& variant) {
    const auto parts = splitAt(path, '.');
    if (contains(globalSlots(), parts.front())) return SlotSite{"", "", parts.front(), 0, 0};
    if (parts.front() == "defaults" && parts.size() > 1) {
        const auto sites = sitesOf(variant, parts[1]);
        return sites.empty() ? std::nullopt : std::optional(sites.front());
    }
    if (parts.front() != "encoder" && parts.front() != "decoder") return std::nullopt;
    const auto checked = [&](const SlotSite& found) { return choiceAt(variant, found) ? std::optional(found) : std::nullopt; };
    if (parts.size() > 1 && contains(stackSlots(), parts[1])) return checked({parts.front(), "", parts[1], 0, 0});
    const int count = int(layersOf(variant, parts.front()).size());
    SlotSite site{parts.front(), "", "", 0, count - 1};
    std::size_t at = 1;
    if (parts.size() > 2 && parts[1] == "layers") {
        const char* end = parts[2].data() + parts[2].size();
        const auto [stop, error] = std::from_chars(parts[2].data(), end, site.first);
        if (error != std::errc() || stop != end) return std::nullopt;
        site.last = site.first;
        at = 3;
    }
    if (parts.size() < at + 2 || !contains(sublayerNames(site.stack), parts[at])) return std::nullopt;
    site.sublayer = parts[at];
    site.slot = parts[at + 1];
    return checked(site);
}

SublayerIndex placeOfSublayer(const ResolvedVariant& variant, const SlotSite& site) {
    const auto& sublayers = layersOf(variant, site.stack).at(std::size_t(site.first)).sublayers;
    const auto found =
        std::find_if(sublayers.begin(), sublayers.end(), [&](const auto& one) { return one.name == site.sublayer; });
    return {int(found - sublayers.begin()), int(sublayers.size())};
}

const BlockChoice* choiceAt(const ResolvedVariant& variant, const SlotSite& site) {
    if (site.isGlobal()) {
        const auto found = variant.globals.find(site.slot);
        return found == variant.globals.end() ? nullptr : &found->second;
    }
    const auto& layers = layersOf(variant, site.stack);
    if (site.first < 0 || site.first >= int(layers.size())) return nullptr;
    if (!site.hasLayers()) {
        const auto found = variant.stackSlots.find(modulePath(site, 0));
        return found == variant.stackSlots.end() ? nullptr : &found->second;
    }
    for (const auto& sublayer : layers[std::size_t(site.first)].sublayers) {
        if (sublayer.name != site.sublayer) continue;
        const auto found = sublayer.slots.find(site.slot);
        return found == sublayer.slots.end() ? nullptr : &found->second;
    }
    return nullptr;
}

std::vector<int> carriedFrom(const BlockChoice& score) {
    const auto offsets = score.params.find("offsets");
    return offsets == score.params.end() ? std::vector<int>{} : offsets->get<std::vector<int>>();
}

std::string standardAt(const SlotSite& site) {
    if (site.hasLayers()) return standardBlock({site.stack, site.sublayer}, site.slot);
    const FieldSchema& holder = site.isGlobal() ? variantSchema() : fieldOf(variantSchema(), site.stack);
    return fieldOf(holder, site.slot).defaultValue.at(kindKey(site.slot)).get<std::string>();
}

bool isStandard(const SlotSite& site, const BlockChoice& choice) {
    if (choice.id != standardAt(site)) return false;
    return choice.params == withDefaults(parameterSchema(builtinCatalogue().at(site.slot, choice.id)), Json::object());
}

std::vector<SlotSite> sitesOf(const ResolvedVariant& variant, const std::string& slot) {
    if (contains(globalSlots(), slot)) return {{"", "", slot, 0, 0}};
    std::vector<SlotSite> sites;
    for (const std::string stack : {"encoder", "decoder"}) {
        const auto& layers = layersOf(variant, stack);
        if (layers.empty()) continue;
        if (contains(stackSlots(), slot)) sites.push_back({stack, "", slot, 0, 0});
        for (const auto& sublayer : layers.front().sublayers)
            if (sublayer.slots.contains(slot)) sites.push_back({stack, sublayer.name, slot, 0, int(layers.size()) - 1});
    }
    return sites;
}

std::string slotOfModule(const std::string& path) {
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

void writeSlot(Json& document, const SlotEdit& edit, int layerCount) {
    const std::string kind = kindKey(edit.site.slot);
    if (isOfAllLayers(edit.site, layerCount)) eraseExceptions(document, edit.site, edit.key.empty() ? kind : edit.key);
    const std::string member = edit.key.empty() ? std::string() : "." + edit.key;
    for (const auto& path : editPaths(edit.site, layerCount)) applySet(document, path + member + "=" + edit.value.dump());
}

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
