// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft/slot_edit.h"

#include "engine/spec/run_spec.h"
#include "engine/spec/variant_schema.h"

namespace heddle::ui {
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

}  // namespace

void writeSlot(Json& document, const SlotEdit& edit, int layerCount) {
    const std::string kind = kindKey(edit.site.slot);
    if (isOfAllLayers(edit.site, layerCount)) eraseExceptions(document, edit.site, edit.key.empty() ? kind : edit.key);
    const std::string member = edit.key.empty() ? std::string() : "." + edit.key;
    for (const auto& path : editPaths(edit.site, layerCount)) applySet(document, path + member + "=" + edit.value.dump());
}

}  // namespace heddle::ui
