// SPDX-License-Identifier: Apache-2.0
// Another program's records of training as one table, whatever their format: rows of named values. What the columns mean is
// decided in foreign_runs.h.
#pragma once

#include "engine/base/json.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heddle::app {

struct ForeignRow {
    std::int64_t number = 0;  ///< of its line or record, from 1
    /// Column and value: a number, text, bool, or a setting's list; absent ones left out.
    std::vector<std::pair<std::size_t, Json>> cells;
};

/// A curve or an evaluation.
struct ForeignMetric {
    std::string split, metric;  ///< split: empty for a curve of training
    std::string path{};         ///< module of a curve that Heddle exported; empty: of the whole model
    auto key() const { return std::tie(split, metric, path); }
    bool operator<(const ForeignMetric& other) const { return key() < other.key(); }
};

struct ForeignTable {
    std::string path, format;   ///< "csv", "tsv", "json lines", "tensorboard", "trackio"
    std::string sha256;         ///< of all that was read
    std::string unit = "line";  ///< what a row's number counts
    bool isLastOfStep = false;  ///< of several values at one step the last one counts, as the source's own program has it
    std::vector<std::string> columns;
    std::vector<ForeignRow> rows;
    std::set<std::string> leftOut;                   ///< names of what the readers left out, since it is no number
    std::map<std::size_t, ForeignMetric> declared;   ///< columns of which the source itself says what they are
    std::map<std::string, std::int64_t> intervened;  ///< runs, by key: the step after which interventions changed them
    std::vector<std::string> notes;                  ///< of the reader, for the user

    /// The number of a column, which is added where it is missing.
    std::size_t column(const std::string& name);
    std::optional<std::size_t> find(const std::string& name) const;
    /// "runs.csv, line 3, column val_loss".
    std::string place(const ForeignRow& row, std::size_t column) const;

private:
    std::string place(const ForeignRow& row) const;

    std::unordered_map<std::string, std::size_t> places_;
};

/// Column of the Unix time of a row, in seconds; other columns that begin with "_" are a tracker's own and mean nothing here.
inline constexpr const char* kTimeColumn = "_timestamp";
/// What stands before the name of a setting in the columns of a source that keeps settings apart from values.
inline constexpr const char* kConfigPrefix = "config.";

/// More columns than any table of runs has.
inline constexpr std::size_t kMostColumns = 10'000;

/// The JSON object that `text` is. Throws Error(InvalidInput) with `place`, and with `next` where it is another value.
Json objectIn(std::string_view text, const std::string& place, const std::string& next);

/// Adds a JSON object's members as cells; those of objects in it are named "outer.inner". Left out are nulls, and lists (a
/// histogram, a picture) that are no settings: whose names do not begin with kConfigPrefix.
void addCells(ForeignTable& table, ForeignRow& row, const Json& object, const std::string& prefix = "");

/// Reads a file or folder; the contents decide what it is. Throws Error(InvalidInput) naming file, line and column of what
/// cannot be read.
ForeignTable readForeign(const std::string& path);

/// The readers. Text is UTF-8, plain or gzip (engine/data/readers/text_file.h).
enum class Separator : char { Comma = ',', Tab = '\t' };
/// RFC 4180 with a header; cells are text. If `take` is given, it gets each row together with the table, which then has the
/// columns and keeps no rows.
using TakeRow = std::function<void(const ForeignTable& header, const ForeignRow& row)>;
ForeignTable readSeparated(const std::string& path, Separator separator, const TakeRow& take = {});
/// One object on each line (jsonlines.org). The bare words NaN, Infinity and -Infinity, as Python's json writes them, are
/// values.
ForeignTable readJsonLines(const std::string& path);
/// A file of events, or all of them below a folder; each folder with some is a run. Scalars alone, in both of their forms.
ForeignTable readTensorBoard(const std::string& path);
/// Whether the bytes begin a file of events: a record's length with its checksum.
bool beginsEvents(std::string_view bytes);
/// A project's database (storage/trackio.h).
ForeignTable readTrackio(const std::string& path);

}  // namespace heddle::app
