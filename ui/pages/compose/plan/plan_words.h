// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of cells of a plan: seeds, settings, value grids.
#pragma once

#include "engine/spec/plan.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::ui {

inline constexpr std::size_t kMaxSeeds = 64, kMaxGridRows = 64;

/// "1,2,3" or "1-5": the seeds in order, each once, at most kMaxSeeds; empty if it cannot be read.
std::vector<std::uint64_t> readSeeds(const QString& text);
QString seedsText(const std::vector<std::uint64_t>& seeds);

/// One choice of the values of a grid.
struct GridCell {
    std::vector<std::string> settings;  ///< assignments, "train.lr=1e-3"
    std::string name;                   ///< " · lr 1e-3", added to the name of its row; empty without a grid
    bool operator==(const GridCell&) const = default;
};
/// "train.lr={1e-3,3e-3} dims.f=64": every choice of one of the values in braces, here two. Without such values, one cell. A
/// JSON object is one value. Nothing if there are more than kMaxGridRows choices.
std::vector<GridCell> readGrid(const QString& text);
/// The settings in a line, as readGrid() reads them.
QString settingsText(const std::vector<std::string>& settings);

/// "pretrain" or "pretrain, last": the row, and the checkpoint unless it is the best. Nothing for an empty text.
std::optional<RowStart> readStart(const QString& text);
QString startText(const std::optional<RowStart>& start);

}  // namespace heddle::ui
