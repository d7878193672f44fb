// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/edit_row.h"
#include "app/cli/follow.h"
#include "app/session/runs/find_run.h"
#include "engine/base/error.h"
#include "engine/run/run_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace heddle::app {
namespace {

struct NoteOptions {
    std::string run;
    std::vector<std::string> text;
    std::optional<std::int64_t> edit, remove;  ///< numbers in the list of notes
};

/// The time of the note with this number in the list.
double noteAt(const std::vector<RunNote>& notes, std::int64_t number, const std::string& option) {
    if (number < 1 || number > std::ssize(notes))
        throwUsage(fmt::format("the run has {} note{}", notes.size(), notes.size() == 1 ? "" : "s"),
                   fmt::format("{} {}", option, number), "heddle runs note RUN lists them");
    return notes[static_cast<std::size_t>(number) - 1].at;
}

int note(const NoteOptions& options, const Context& context) {
    const auto run = findRun(*openDatabase(context), options.run);
    const auto notes = [&] { return notesOf(openDatabase(context)->events(run.id)); };
    const std::string text = fmt::format("{}", fmt::join(options.text, " "));
    if (options.remove) {
        if (options.edit || !text.empty())
            throwUsage("a note can be removed or changed, not both", "heddle runs note", "remove --remove, or the text");
        editRow(context, AnnotateRun{run.id, "", noteAt(notes(), *options.remove, "--remove")});
    } else if (options.edit) {
        if (text.empty()) throwUsage("no new text given", "heddle runs note --edit", "write it after the run");
        editRow(context, AnnotateRun{run.id, text, noteAt(notes(), *options.edit, "--edit")});
    } else if (!text.empty()) {
        editRow(context, AnnotateRun{run.id, text});
    }
    if (context.json)
        printRun(context, run.id);
    else
        context.out << notesText(notes());
    return 0;
}

}  // namespace

void addRunsNote(CommandBuilder& runs) {
    auto o = std::make_shared<NoteOptions>();
    runs.command(verbOf(AnnotateRun{}), "Show, add, change or remove notes on a run")
        .run(o->run)
        .positionals("TEXT", o->text, "A note to add", CommandBuilder::Need::Optional)
        .option("--edit", o->edit, "N", "Give the note with this number the text instead")
        .option("--remove", o->remove, "N", "Remove the note with this number")
        .examples(
            "heddle runs note 3f2a\n"
            "heddle runs note 3f2a \"warm-up too short?\"\n"
            "heddle runs note 3f2a --edit 1 \"warm-up was too short\"\n"
            "heddle runs note 3f2a --remove 1")
        .action([o](Context& context) { return note(*o, context); });
}

}  // namespace heddle::app
