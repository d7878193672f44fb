// SPDX-License-Identifier: GPL-3.0-or-later
// The maps of one sentence, recorded by a run for a probe or computed by an opened model for any text.
#pragma once

#include "engine/analysis/attention.h"
#include "engine/run/events.h"
#include "storage/run_query.h"
#include "ui/data/run_detail.h"
#include "ui/plot/head_grid.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace heddle::ui {

/// The kinds of maps that the grid shows. Logits: scores plus those of earlier layers.
enum class MapFamily { Weights, Scores, Gates, Logits };
inline constexpr int kMapFamilies = 4;

/// Every map of one sentence, and small pictures of them. Immutable. Make it off the GUI thread, since it can take long.
class SentenceMaps {
public:
    explicit SentenceMaps(std::vector<storage::MapRecord> maps);

    bool isEmpty() const { return maps_.empty(); }
    /// The step of the newest map.
    std::int64_t step() const;
    bool has(MapFamily family) const { return bool(grid(family)); }
    /// The map of this family of a module; null if there is none.
    const storage::MapRecord* find(MapFamily family, const std::string& path) const;
    /// All heads of a family, rows in the order encoder, decoder, layer; null if there is none.
    const std::shared_ptr<const HeadGridData>& grid(MapFamily family) const { return grids_[std::size_t(family)]; }
    /// One head's cell of the grid; null if there is none.
    const HeadCell* cell(MapFamily family, const std::string& path, int head) const;

private:
    std::vector<storage::MapRecord> maps_;
    std::array<std::shared_ptr<const HeadGridData>, kMapFamilies> grids_;
};

std::optional<MapFamily> familyOf(const storage::MapRecord& map);
/// Turns a model's maps into records like the stored ones; moves the values.
std::vector<storage::MapRecord> recordsOf(std::vector<MapTaken> maps);
/// Every recorded map of a probe at its last snapshot up to `step`. Throws StorageError.
std::vector<storage::MapRecord> readMaps(storage::RunQuery& query, const RunDetail& detail, std::int64_t probe, Step step);

/// One head of a map. Cells that a causal mask hides (all right of the diagonal are exactly 0) are masked.
MapData headOf(const storage::MapRecord& record, int head);
/// The values of a record, which must outlive them, for engine/analysis/attention.h.
HeadMaps headMapsOf(const storage::MapRecord& record);

/// One scale for two grids of a family; `b` may be null.
MapScale commonScale(const HeadGridData& a, const HeadGridData* b);

}  // namespace heddle::ui
