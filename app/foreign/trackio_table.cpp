// SPDX-License-Identifier: Apache-2.0
#include "app/foreign/foreign_table.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "engine/base/unicode.h"
#include "storage/trackio.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace heddle::app {
namespace {

constexpr const char* kDamaged = "the database is damaged, or another program's";

}  // namespace

ForeignTable readTrackio(const std::string& path) {
    ForeignTable table;
    table.path = path;
    table.format = "trackio";
    table.unit = "row";
    table.isLastOfStep = true;
    Sha256 hash;
    const auto take = [&](storage::TrackioTable from, const storage::TrackioRow& read) {
        const bool isConfig = from == storage::TrackioTable::Configs;
        const char* const source = isConfig ? "configs" : "metrics";
        hash.add(fmt::format("{}\n{}\n{}\n{}\n", source, read.run, read.step, read.values));
        const std::string place = fmt::format("{}, {}, row {}", path, source, read.id);
        for (const auto& [column, text] : {std::pair{"id", &read.run}, std::pair{"name", &read.name}})
            if (findInvalidUtf8(*text))
                throwInvalid(fmt::format("the {} of the run is not valid UTF-8", column), place, kDamaged);
        Json object = objectIn(read.values, place, kDamaged);
        ForeignRow row{read.id, {{table.column("run_id"), read.run}, {table.column("name"), read.name}}};
        if (isConfig) {  // members that begin with "_" are Trackio's own
            if (const Json group = object.value("_Group", Json()); group.is_string())
                row.cells.emplace_back(table.column("group"), group);
            for (auto item = object.begin(); item != object.end();)
                item = item.key().starts_with('_') ? object.erase(item) : std::next(item);
            addCells(table, row, object, kConfigPrefix);
        } else {
            row.cells.emplace_back(table.column("step"), read.step);
            if (std::isfinite(read.time)) row.cells.emplace_back(table.column(kTimeColumn), read.time);
            for (const auto& [key, value] : object.items()) {
                if (value.is_object() || value.is_array())  // a picture, a table
                    table.leftOut.insert(key);
                else if (!value.is_null())
                    row.cells.emplace_back(table.column(key), value);
            }
        }
        table.rows.push_back(std::move(row));
    };
    storage::readTrackio(path, take);
    table.sha256 = hash.hex();
    return table;
}

}  // namespace heddle::app
