// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/sentence_maps.h"

#include "ui/data/exposures.h"

#include <algorithm>
#include <cmath>

namespace heddle::ui {
namespace {

constexpr float kHidden = 1e8F;  ///< hidden keys have scores of −1e9

QStringList words(const std::vector<std::string>& tokens) {
    QStringList list;
    for (const std::string& token : tokens) list << QString::fromStdString(token);
    return list;
}

/// A key that sorts the encoder before the decoder, self before cross, then by the numbers in the path.
std::pair<std::string, std::vector<int>> orderOf(const std::string& path) {
    std::string text;
    std::vector<int> numbers;
    for (std::size_t at = 0; at < path.size();) {
        if (path[at] < '0' || path[at] > '9') {
            text += path[at++];
            continue;
        }
        int number = 0;
        for (; at < path.size() && path[at] >= '0' && path[at] <= '9'; ++at) number = number * 10 + (path[at] - '0');
        numbers.push_back(number);
    }
    const std::string stack = path.starts_with("encoder") ? "0" : "1";
    const std::string site = path.find(".cross") == std::string::npos ? "0" : "1";
    return {stack + site, numbers};
}

/// A fixed scale for attention weights and gates, else one that is symmetric over all these values.
MapScale scaleFor(MapFamily family, const std::vector<const storage::MapRecord*>& maps) {
    double largest = 0;
    bool isSigned = family == MapFamily::Scores || family == MapFamily::Logits;
    for (const storage::MapRecord* map : maps)
        for (const float value : map->values) {
            if (!std::isfinite(value) || std::abs(value) > kHidden) continue;
            largest = std::max(largest, std::abs(double(value)));
            isSigned |= value < 0 || value > 1.01F;
        }
    if (isSigned) return MapScale::symmetric(std::max(largest, 1e-6));
    return family == MapFamily::Gates ? MapScale::gate() : MapScale::attention();
}

std::shared_ptr<const HeadGridData> gridOf(MapFamily family, std::vector<const storage::MapRecord*> maps) {
    auto grid = std::make_shared<HeadGridData>();
    grid->scale = scaleFor(family, maps);
    std::stable_sort(maps.begin(), maps.end(),
                     [](const auto* a, const auto* b) { return orderOf(a->path) < orderOf(b->path); });
    for (const storage::MapRecord* map : maps) {
        HeadRow row;
        row.path = QString::fromStdString(map->path);
        row.sublayer = longSite(map->path);
        row.label = shortSite(row.sublayer.toStdString());
        row.size = QStringLiteral("%1 × %2").arg(map->rows).arg(map->columns);
        for (int head = 0; head < int(map->heads); ++head) {
            const MapData data = headOf(*map, head);
            const HeadEntropy entropy = headEntropy(family == MapFamily::Weights ? headMapsOf(*map) : HeadMaps(), head);
            row.heads.push_back({headPicture(data, grid->scale), entropy.bits, entropy.most});
        }
        grid->rows.push_back(std::move(row));
    }
    return grid;
}

}  // namespace

SentenceMaps::SentenceMaps(std::vector<storage::MapRecord> maps) : maps_(std::move(maps)) {
    std::array<std::vector<const storage::MapRecord*>, kMapFamilies> families;
    for (const storage::MapRecord& map : maps_)
        if (const auto family = familyOf(map); family && map.heads > 0) families[std::size_t(*family)].push_back(&map);
    for (int i = 0; i < kMapFamilies; ++i)
        if (auto& ofFamily = families[std::size_t(i)]; !ofFamily.empty())
            grids_[std::size_t(i)] = gridOf(MapFamily(i), std::move(ofFamily));
}

std::int64_t SentenceMaps::step() const {
    std::int64_t newest = 0;
    for (const storage::MapRecord& map : maps_) newest = std::max(newest, map.step);
    return newest;
}

std::optional<MapFamily> familyOf(const storage::MapRecord& map) {
    const Exposure* exposure = exposureOf({map.name, map.path});
    if (!exposure) return map.name == "weight" ? std::optional(MapFamily::Weights) : std::nullopt;
    switch (exposure->quantity) {
    case Exposure::Quantity::Weight: return MapFamily::Weights;
    case Exposure::Quantity::Score:
        return map.name == "score"    ? std::optional(MapFamily::Scores)
               : map.name == "logits" ? std::optional(MapFamily::Logits)
                                      : std::nullopt;
    case Exposure::Quantity::UnitGate:
    case Exposure::Quantity::SignedGate: return MapFamily::Gates;
    default: return std::nullopt;
    }
}

const storage::MapRecord* SentenceMaps::find(MapFamily family, const std::string& path) const {
    for (const storage::MapRecord& map : maps_)
        if (map.path == path && familyOf(map) == family) return &map;
    return nullptr;
}

const HeadCell* SentenceMaps::cell(MapFamily family, const std::string& path, int head) const {
    if (!has(family) || head < 0) return nullptr;
    for (const HeadRow& row : grid(family)->rows)
        if (row.path.toStdString() == path && head < int(row.heads.size())) return &row.heads[std::size_t(head)];
    return nullptr;
}

std::vector<storage::MapRecord> recordsOf(std::vector<MapTaken> maps) {
    std::vector<storage::MapRecord> made;
    for (MapTaken& map : maps) {
        storage::MapRecord record;
        record.name = std::move(map.name), record.path = std::move(map.path);
        record.heads = map.heads, record.rows = map.rows, record.columns = map.columns;
        record.values = std::move(map.values);
        record.rowTokens = std::move(map.rowTokens), record.columnTokens = std::move(map.columnTokens);
        made.push_back(std::move(record));
    }
    return made;
}

std::vector<storage::MapRecord> readMaps(storage::RunQuery& query, const RunDetail& detail, std::int64_t probe, Step step) {
    std::vector<storage::MapRecord> made;
    for (const auto& [site, probes] : detail.maps) {
        const auto steps = probes.find(probe);
        if (steps == probes.end()) continue;
        const auto at = stepAtOrBefore(steps->second, step);
        if (!at) continue;
        if (auto map = query.map(detail.record.id, {site.name, site.path, *at, probe})) made.push_back(std::move(*map));
    }
    return made;
}

HeadMaps headMapsOf(const storage::MapRecord& record) { return {record.heads, record.rows, record.columns, record.values}; }

MapData headOf(const storage::MapRecord& record, int head) {
    MapData map;
    map.rows = int(record.rows);
    map.columns = int(record.columns);
    const auto cells = std::size_t(record.rows * record.columns);
    const auto from = record.values.begin() + std::ptrdiff_t(cells) * head;
    map.values.assign(from, from + std::ptrdiff_t(cells));
    map.rowLabels = words(record.rowTokens);
    map.columnLabels = words(record.columnTokens);
    if (map.rowLabels.size() != map.rows) map.rowLabels.clear();
    if (map.columnLabels.size() != map.columns) map.columnLabels.clear();
    if (!isCausal(headMapsOf(record), head)) return map;
    map.masked.resize(cells);
    for (int row = 0; row < map.rows; ++row)
        for (int column = row + 1; column < map.columns; ++column)
            map.masked[std::size_t(row) * std::size_t(map.columns) + std::size_t(column)] = 1;
    return map;
}

MapScale commonScale(const HeadGridData& a, const HeadGridData* b) {
    if (!b || b->scale.map != MapId::Signed) return a.scale;
    if (a.scale.map != MapId::Signed) return b->scale;
    return MapScale::symmetric(std::max(a.scale.high, b->scale.high));
}

}  // namespace heddle::ui
