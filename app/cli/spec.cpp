// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/suggestion.h"
#include "engine/spec/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace heddle::app {
namespace {

struct SpecOptions {
    std::string key;
    bool markdown = false;
};

bool isBelow(const std::string& path, const std::string& key) {
    return path == key || (path.size() > key.size() && path.starts_with(key) && path[key.size()] == '.');
}

/// Rows of the key and all keys below it; all keys if empty. Keys of the variant may omit "variant.".
std::vector<FieldRow> rowsOf(const std::string& key) {
    auto all = specRows();
    if (key.empty()) return all;
    for (const std::string& path : {key, "variant." + key}) {
        std::vector<FieldRow> found;
        std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                     [&](const auto& row) { return isBelow(row.path, path); });
        if (!found.empty()) return found;
    }
    std::vector<std::string> known;
    for (const auto& row : all) {
        known.push_back(row.path);
        if (row.path.ends_with("." + key))
            throw Error(ErrorCode::Usage, fmt::format("unknown key \"{}\"", printable(key)), "KEY",
                        "did you mean \"" + row.path + "\"?");
    }
    const std::string hint = nearestHint(key, known);
    throw Error(ErrorCode::Usage, fmt::format("unknown key \"{}\"", printable(key)), "KEY",
                hint.empty() ? "heddle spec lists all keys" : hint);
}

/// Removes Markdown's code marks.
std::string plain(std::string text) {
    std::erase(text, '`');
    return text;
}

int print(const SpecOptions& options, const Context& context) {
    if (options.markdown) {
        context.out << specManual();
        return 0;
    }
    const auto rows = rowsOf(options.key);
    if (context.json) {
        Json keys = Json::array();
        for (const auto& row : rows)
            keys.push_back({{"key", row.path},
                            {"values", plain(row.values)},
                            {"default", row.defaultValue.empty() ? Json() : Json::parse(row.defaultValue)},
                            {"help", row.help}});
        context.print({{"schema", "heddle.spec/1"}, {"keys", keys}});
        return 0;
    }
    for (const auto& row : rows) {
        context.out << fmt::format("{}: {}{}\n    {}\n", row.path, plain(row.values),
                                   row.defaultValue.empty() ? "" : "; default " + row.defaultValue, plain(row.help));
    }
    return 0;
}

}  // namespace

void addSpec(CommandBuilder& root) {
    auto o = std::make_shared<SpecOptions>();
    root.command("spec", "Describe the run spec: every key, its values, its default, its meaning")
        .positional("KEY", o->key, "Only this key and what is below it: train.schedule, data.tokenizer.kind",
                    CommandBuilder::Need::Optional)
        .flag("--markdown", o->markdown, "Print the whole reference as Markdown instead")
        .examples("heddle spec train.schedule\nheddle spec data.split.valid")
        .action([o](Context& context) { return print(*o, context); });
}

}  // namespace heddle::app
