// SPDX-License-Identifier: GPL-3.0-or-later
// A copied layer as text, which other programs can read too, and its pasting onto other layers.
#pragma once

#include "engine/spec/draft_facts.h"

#include <QStringList>

namespace heddle::ui {

/// Layers of a stack.
struct LayerChoice {
    std::string stack;
    std::vector<int> layers;
};

/// {"schema":"heddle.layer/1","stack":"decoder","layer":{"self":{"adjuster":{"kind":"eau"}},"cross":{},"ffn":{}}}. Slots
/// and parameters that are not named have their standard value.
Json layerDocument(const ResolvedVariant& variant, const std::string& stack, int layer);

/// Reads the document from a text. Throws Error with the place that is wrong.
Json readLayerDocument(const std::string& text);

/// Returns the run document, whose facts are `facts`, with the blocks of a copied layer in the layers `to`. Throws Error if
/// that stack lacks a sublayer of the copied layer.
Json withLayer(const Json& document, const DraftFacts& facts, const Json& layer, const LayerChoice& to);

/// The sublayers of a stack that the copied layer does not have; pasting leaves them unchanged.
QStringList unchangedSublayers(const ResolvedVariant& variant, const Json& layer, const std::string& stack);

/// "0–2, 5" as layers of a stack of `count`. Throws Error if the text is no such list.
std::vector<int> readLayers(const QString& text, int count);
/// The inverse: "0–2, 5".
QString layersText(const std::vector<int>& layers);

}  // namespace heddle::ui
