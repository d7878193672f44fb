// SPDX-License-Identifier: GPL-3.0-or-later
// The maps of one sentence: as a run recorded them of a probe, or as an opened model shows them of any text.
#pragma once

#include "engine/run/events.h"
#include "storage/run_query.h"
#include "ui/data/run_detail.h"
#include "ui/plot/head_grid.h"

#include <memory>
#include <optional>
#include <vector>

namespace heddle::ui {

/// What the grid shows of a sentence.
enum class MapFamily { Weights, Scores, Gates };

struct SentenceMaps {
    std::vector<storage::MapRecord> maps;

    /// The map of this family of a module; null: there is none.
    const storage::MapRecord* find(MapFamily family, const std::string& path) const;
    bool has(MapFamily family) const;
    /// The tokens that encoder and decoder read, as far as the maps tell.
    QStringList sourceTokens() const;
    QStringList targetTokens() const;
};

std::optional<MapFamily> familyOf(const storage::MapRecord& map);
/// Of a model's answer; its maps are taken out of it.
SentenceMaps mapsOf(std::vector<MapTaken> maps);
/// Every recorded map of a probe at its last snapshot till `step`. Throws StorageError.
SentenceMaps readMaps(storage::RunQuery& query, const RunDetail& detail, std::int64_t probe, Step step);

/// One head of a stored map. What a causal mask hides (everything right of the diagonal is exactly 0) is not drawn.
MapData headOf(const storage::MapRecord& record, int head);
/// a − b; only cells that both show. Nothing if the sizes differ.
std::optional<MapData> difference(const MapData& a, const MapData& b);

/// Mean entropy over the queries and that of equal weights on the shown keys, bits; NaN for what is no distribution.
struct Entropy {
    double bits, most;
};
Entropy entropyOf(const MapData& map);

/// The scale of a family: of attention weights and gates a fixed one, else symmetric over all these values.
MapScale scaleFor(MapFamily family, const std::vector<const SentenceMaps*>& shown);
/// All heads of a family, rows in the order encoder, decoder, layer. Any thread: takes long for long sentences.
std::shared_ptr<const HeadGridData> gridOf(const SentenceMaps& maps, MapFamily family);

}  // namespace heddle::ui
