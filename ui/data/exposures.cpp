// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/exposures.h"

#include "engine/spec/catalogue.h"
#include "ui/data/run_detail.h"

namespace heddle::ui {

std::string slotOf(const std::string& path) { return path.substr(path.rfind('.') + 1); }

const Exposure* exposureOf(const Site& site) {
    const Exposure* found = nullptr;
    for (const BlockDescriptor* block : builtinCatalogue().ofSlot(slotOf(site.path)))
        for (const Exposure& exposure : block->exposures)
            if (exposure.id == site.name && !found) found = &exposure;
    return found;
}

QString longSite(const std::string& path) {
    const std::size_t dot = path.rfind('.');
    const bool named = !builtinCatalogue().ofSlot(slotOf(path)).empty() && dot != std::string::npos;
    // "ffn" is a slot and a sublayer: "encoder.layers.0.ffn" has no slot at its end.
    const bool isSublayer = path.find('.', path.find(".layers.") + 8) == dot;
    return QString::fromStdString(named && !isSublayer ? path.substr(0, dot) : path);
}

QString shortPath(QString path) {
    path.replace(QLatin1String("encoder.layers."), QLatin1String("enc."));
    path.replace(QLatin1String("decoder.layers."), QLatin1String("dec."));
    return path;
}

QString shortSite(const std::string& path) { return shortPath(longSite(path)); }

}  // namespace heddle::ui
