// SPDX-License-Identifier: Apache-2.0
#include "app/study/run_notes.h"

#include "engine/run/event_words.h"

#include <algorithm>

namespace heddle::app {

std::vector<RunNote> notesOf(const std::vector<storage::EventRecord>& events) {
    std::vector<RunNote> notes;
    for (const storage::EventRecord& event : events) {
        if (event.kind != kNoteEvent || event.damaged) continue;
        const double replaced = replacedNote(event.data);
        const auto found = std::find_if(notes.begin(), notes.end(), [&](const RunNote& note) { return note.at == replaced; });
        if (replaced == 0)
            notes.push_back({event.at, event.step, event.text});
        else if (found != notes.end())
            found->text = event.text;
    }
    std::erase_if(notes, [](const RunNote& note) { return note.text.empty(); });
    return notes;
}

}  // namespace heddle::app
