// SPDX-License-Identifier: GPL-3.0-or-later
// A layer as text that other programs can read: what is copied from one layer and pasted onto others.
#pragma once

#include "engine/spec/draft_facts.h"

#include <QStringList>

namespace heddle::ui {

/// Layers of a stack.
struct LayerChoice {
    std::string stack;
    std::vector<int> layers;
};

/// {"schema":"heddle.layer/1","stack":"decoder","layer":{"self":{"adjuster":{"kind":"eau"}},"cross":{},"ffn":{}}}. A slot that
/// is not named holds the standard block; so does a parameter the standard value.
Json layerDocument(const ResolvedVariant& variant, const std::string& stack, int layer);

/// The document in a text. Throws Error with the place where the text is no such document.
Json readLayerDocument(const std::string& text);

/// Returns the run document, whose facts are `facts`, with the blocks of a copied layer in other layers. Throws Error where a
/// stack lacks a sublayer of the copied layer.
Json withLayer(const Json& document, const DraftFacts& facts, const Json& layer, const LayerChoice& to);

/// Sublayers of a stack that a copied layer has not; they stay as they are.
QStringList sublayersThatStay(const ResolvedVariant& variant, const Json& layer, const std::string& stack);

/// "0–2, 5" as layers of a stack of `count`. Throws Error for what is no such list.
std::vector<int> readLayers(const QString& text, int count);
/// The inverse: "0–2, 5".
QString layersText(const std::vector<int>& layers);

}  // namespace heddle::ui
