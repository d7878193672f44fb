// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/event_words.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// A note of a user on a run. An edit is stored as an event of its own, so that what was written stays.
struct RunNote {
    double at = 0;  ///< Unix time when it was first written; the note's identity within its run
    std::int64_t step = 0;
    std::string text;
};

/// The notes among the stored events of a run (storage::EventRecord), in the order of `events`: each with the text of its last
/// edit, without removed ones.
template <class Event>
std::vector<RunNote> notesOf(const std::vector<Event>& events) {
    std::vector<RunNote> notes;
    for (const Event& event : events) {
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

}  // namespace heddle
