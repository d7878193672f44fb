// SPDX-License-Identifier: Apache-2.0
// Reads TensorBoard's event files. The numbers of the fields are those of tensorflow/core/util/event.proto and
// framework/{summary,tensor,tensor_shape}.proto.
#include "app/foreign/foreign_table.h"
#include "app/foreign/own_table.h"
#include "app/foreign/wire.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "engine/base/unicode.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <optional>
#include <utility>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using Field = MessageReader::Field;
using Wire = Field::Wire;

constexpr std::uint64_t kFloat = 1, kDouble = 2;  // of DataType

/// The value of a tensor that is one float or double, whichever field has it; nothing for text, pictures and several numbers.
std::optional<double> scalarOf(std::string_view tensor, const std::string& place) {
    std::uint64_t type = 0;
    std::string numbers;  // little-endian, as tensor_content, float_val and double_val have them
    MessageReader reader(tensor, place);
    for (Field field; reader.next(field);) {
        if (field.is(1, Wire::Varint)) type = field.value;
        if (field.number >= 4 && field.number <= 6) numbers += field.bytes;
    }
    if (type == kFloat && numbers.size() == sizeof(float)) return std::bit_cast<float>(fixed32(numbers));
    if (type == kDouble && numbers.size() == sizeof(double)) return std::bit_cast<double>(fixed64(numbers));
    return std::nullopt;
}

/// The first text of a tensor; nothing where it has none.
std::optional<std::string> textIn(std::string_view tensor, const std::string& place) {
    MessageReader reader(tensor, place);
    for (Field field; reader.next(field);)
        if (field.is(8, Wire::Bytes)) return std::string(field.bytes);
    return std::nullopt;
}

struct Scalar {
    std::string tag;
    std::optional<double> value;  ///< nothing: no scalar
    std::string_view tensor{};    ///< the message, where there is one
};

Scalar scalarIn(std::string_view message, const std::string& place) {
    Scalar scalar;
    MessageReader reader(message, place);
    for (Field field; reader.next(field);) {
        if (field.is(1, Wire::Bytes)) scalar.tag = field.bytes;
        if (field.is(2, Wire::Fixed32)) scalar.value = std::bit_cast<float>(fixed32(field.bytes));
        if (field.is(8, Wire::Bytes)) scalar.value = scalarOf(field.bytes, place), scalar.tensor = field.bytes;
    }
    if (findInvalidUtf8(scalar.tag))
        throwInvalid("a tag is not valid UTF-8", place, "the file is damaged: download or copy it again");
    return scalar;
}

/// Adds the scalars of files of events to a table.
class Events {
public:
    explicit Events(ForeignTable& table) : table_(table), own_(table) {}

    void add(const std::string& file, const std::string& run) {
        RecordReader records(file);
        for (std::string record; records.next(record);) addEvent(record, run, records.place());
        hash_.add(run + '\0' + records.sha256());
    }

    void finish() {
        table_.sha256 = hash_.hex();
        own_.finish();
    }

private:
    void addEvent(std::string_view event, const std::string& run, const std::string& place) {
        double time = 0;
        std::uint64_t step = 0;
        MessageReader reader(event, place);
        for (Field field; reader.next(field);) {
            if (field.is(1, Wire::Fixed64)) time = std::bit_cast<double>(fixed64(field.bytes));
            if (field.is(2, Wire::Varint)) step = field.value;
        }
        ForeignRow row{++rows_, {{table_.column("run"), run}, {table_.column("step"), step}}};
        if (!own_.has(run)) row.cells.emplace_back(table_.column(kTimeColumn), time);  // else the run itself told its time
        const std::size_t named = row.cells.size();
        // A second time, since a list of the values would take many times the bytes of a message of empty ones.
        MessageReader again(event, place);
        for (Field field; again.next(field);)
            if (field.is(5, Wire::Bytes)) addSummary(row, run, {field.bytes, place});
        if (row.cells.size() > named) table_.rows.push_back(std::move(row));
    }

    struct Summary {
        std::string_view message;
        const std::string& place;
    };
    void addSummary(ForeignRow& row, const std::string& run, const Summary& of) {
        MessageReader summary(of.message, of.place);
        for (Field value; summary.next(value);) {
            if (!value.is(1, Wire::Bytes)) continue;
            const Scalar scalar = scalarIn(value.bytes, of.place);
            if (scalar.tag == kRunTag && !scalar.value)
                addRun(run, scalar.tensor, of.place);
            else if (scalar.value && isTold(run, scalar.tag))
                row.cells.emplace_back(table_.column(scalar.tag), *scalar.value);
            else if (!scalar.value)
                table_.leftOut.insert(scalar.tag);
        }
    }

    /// Whether a scalar is imported. A run that Heddle exported has rounded copies of its evaluations, too, which only
    /// TensorBoard needs: they are not imported.
    bool isTold(const std::string& run, const std::string& tag) {
        if (own_.isLeftOut(run)) return false;
        if (!own_.has(run)) return true;
        const auto column = table_.find(tag);
        return column && table_.declared.contains(*column);
    }

    /// Adds a run that Heddle exported, from the text of its object, and a column for each of its tags.
    void addRun(const std::string& run, std::string_view tensor, const std::string& place) {
        const auto text = textIn(tensor, place);
        if (!text) return;
        const Json told = objectIn(*text, place, kExportAgain);
        own_.addRun(run, told);
        const Json tags = told.value("tags_of_values", Json::object());
        for (const auto& [tag, metric] : tags.items()) {
            if (!metric.is_array() || metric.size() != 3 || !metric[0].is_string() || !metric[1].is_string() ||
                !metric[2].is_string())
                throwInvalid("not the tags of an export", place, kExportAgain);
            own_.column(tag, {metric[0], metric[1], metric[2]});
        }
    }

    ForeignTable& table_;
    OwnTable own_;
    Sha256 hash_;
    std::int64_t rows_ = 0;
};

/// The files of events below a folder, sorted by name. The names begin with the time, so those of a run are in order of time.
std::vector<fs::path> filesBelow(const std::string& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.path().filename().string().find("tfevents") == std::string::npos) continue;
        if (entry.is_symlink())
            throwInvalid("is a symbolic link", entry.path().string(), "import the folder that it points to");
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    if (files.empty())
        throwInvalid("no TensorBoard events in this folder", folder, "their files have \"tfevents\" in their names");
    return files;
}

}  // namespace

bool beginsEvents(std::string_view bytes) { return recordLength(bytes).has_value(); }

ForeignTable readTensorBoard(const std::string& path) {
    ForeignTable table;
    table.path = path;
    table.format = "tensorboard";
    table.unit = "event";
    table.isLastOfStep = true;
    Events events(table);
    if (!fs::is_directory(path)) {
        events.add(path, fs::absolute(path).parent_path().filename().string());
    } else {
        const fs::path folder = fs::absolute(path).lexically_normal();
        const fs::path top = folder.has_filename() ? folder : folder.parent_path();
        for (const fs::path& file : filesBelow(path)) {
            const std::string run = fs::relative(file.parent_path(), path).string();
            events.add(file.string(), run == "." ? top.filename().string() : run);
        }
    }
    events.finish();
    return table;
}

}  // namespace heddle::app
