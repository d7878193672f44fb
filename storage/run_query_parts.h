// SPDX-License-Identifier: Apache-2.0
// What the sources of RunQuery share.
#pragma once

#include "storage/connection.h"
#include "storage/damage_list.h"
#include "storage/run_query.h"
#include "storage/series_reader.h"

#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::storage {

/// Rows of table series of one run at a data version, by name and path, newest attempt first.
struct SeriesDirectory {
    std::string run;
    std::int64_t version = -1;
    std::map<std::pair<std::string, std::string>, std::vector<SeriesRow>> rows;
};

template <class Take>
void RunQuery::readRecords(const Records& records, const std::string& sql, Take&& take) {
    connection_->guarded([&] {
        const ReadTransaction transaction(*connection_);
        const auto owner = ownerOf(records.run);
        if (!owner) return;
        Query rows = connection_->query(sql);
        rows.with(owner->number, records.sinceRev);
        std::optional<std::invoke_result_t<Take, const Query&, bool>> last;
        std::int64_t found = 0;
        bool isOrdered = true;
        while (rows.next()) {
            const bool isWhole = rows.integer(0) != 0;
            auto key = take(std::as_const(rows), isWhole);
            ++found;
            if (!isWhole) {
                reportDamaged(records, fmt::format("{}", fmt::join(key, ", ")));
                continue;
            }
            isOrdered = isOrdered && (!last || *last < key);
            last = std::move(key);
        }
        const std::int64_t recorded = owner->counts[static_cast<std::size_t>(records.kind)];
        if (records.sinceRev == 0 && owner->isWhole && (recorded != found || !isOrdered))
            reportMissing(records, recorded, found);
    });
}

template <class F>
auto RunQuery::readCurve(const Curve& curve, F&& f) {
    bool isUnknown = false;
    auto read = connection_->guarded([&] {
        const ReadTransaction transaction(*connection_);
        const auto& rows = rowsOf(curve);
        isUnknown = rows.empty();
        SeriesReader reader(*connection_, *damages_, rows, curve);
        return f(reader);
    });
    if (isUnknown) series(curve.run);  // reports a curve with a damaged name
    return read;
}

}  // namespace heddle::storage
