// SPDX-License-Identifier: Apache-2.0
#include "app/cli/import_runs.h"

#include "app/cli/terminal.h"
#include "app/foreign/foreign_import.h"
#include "app/session/recorder/ownership.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace heddle::app {
namespace {

std::string nameOf(const ForeignGroup& group) { return group.name.empty() ? "not declared" : group.name; }

Json documentOf(const ForeignImport& import, const ImportedRuns& imported) {
    Json columns = Json::object(), groups = Json::array();
    for (const ForeignRole& role : import.found.roles) columns[role.column] = role.role;
    for (const ForeignGroup& group : imported.groups)
        groups.push_back({{"group", group.key}, {"name", nameOf(group)}, {"runs", group.runs}, {"seeds", group.seeds}});
    return {{"schema", "heddle.imported/1"}, {"runs", imported.ids}, {"format", import.format},
            {"sha256", import.sha256},       {"columns", columns},   {"groups", groups},
            {"notes", import.found.notes}};
}

std::string textOf(const ForeignImport& import, const ImportedRuns& imported) {
    Table columns({"column", "is"}), found({"group", "runs", "seeds"});
    for (const ForeignRole& role : import.found.roles) columns.add({printable(role.column), printable(role.role)});
    for (const ForeignGroup& group : imported.groups)
        found.add({cut(printable(nameOf(group)), 60), std::to_string(group.runs), std::to_string(group.seeds.size())});
    const std::size_t runs = imported.ids.size();
    std::string text =
        fmt::format("imported {} run{} of {} ({})\n", runs, runs == 1 ? "" : "s", printable(import.path), import.format);
    text += columns.text() + found.right({1, 2}).text();
    for (const std::string& note : import.found.notes) text += printable(note) + "\n";
    return text;
}

/// Opens the database as its owner. Throws StorageError Locked if another process owns it. That process is not asked to import:
/// it would read a stranger's file, however long that takes, beside its training.
std::unique_ptr<storage::RunStore> ownedStore(const std::string& database) {
    try {
        return openAsOwner(database, {"heddle runs import", 0});
    } catch (const storage::StorageError& error) {
        if (error.kind() != storage::StorageError::Kind::Locked) throw;
        throw storage::StorageError(
            error.kind(), error.problem(), error.where(),
            "if that is the studio, import the file there (Library, Import runs…); else wait until it ends "
            "and import again, or import into another database (--db FILE). Nothing was imported");
    }
}

}  // namespace

GivenMetric givenMetric(const std::string& text) {
    const std::size_t equals = text.rfind('='), colon = text.find(':', equals == std::string::npos ? 0 : equals);
    const bool isWhole = equals != std::string::npos && equals > 0 && colon != std::string::npos && colon > equals + 1 &&
                         colon + 1 < text.size();
    if (!isWhole) throwUsage(fmt::format("\"{}\" is no COLUMN=SPLIT:METRIC", text), "--metric", "write val_loss=valid:loss");
    const std::string split = text.substr(equals + 1, colon - equals - 1);
    return {text.substr(0, equals), {split == "train" ? "" : split, text.substr(colon + 1)}};
}

int importForeignFile(const std::string& file, const ForeignOptions& options, const Context& context) {
    const ForeignImport import = understood(readForeign(file), options);
    const auto store = ownedStore(context.database);
    store->begin();
    const ImportedRuns imported = importForeign(import, *store);
    store->commit(storage::RunStore::Durability::Full);
    context.print(documentOf(import, imported), textOf(import, imported));
    return 0;
}

}  // namespace heddle::app
