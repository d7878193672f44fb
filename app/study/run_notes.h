// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/records.h"

#include <string>
#include <vector>

namespace heddle::app {

/// A note of a user on a run. An edit is stored as an event of its own, so that what was written stays.
struct RunNote {
    double at = 0;  ///< Unix time when it was first written; the note's identity within its run
    std::int64_t step = 0;
    std::string text;
};

/// Returns the notes among the events of a run in the order of `events`, with their newest text and without removed ones.
std::vector<RunNote> notesOf(const std::vector<storage::EventRecord>& events);

}  // namespace heddle::app
