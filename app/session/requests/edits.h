// SPDX-License-Identifier: Apache-2.0
// Edits of users, carried out on rows.
#pragma once

#include "app/session/recorder/ledger.h"
#include "engine/run/requests.h"

#include <string>

namespace heddle::app {

/// An edit and its Unix time.
struct TimedEdit {
    Edit edit;
    double at = 0;
};

/// Executes an edit inside a transaction. Values that were edited later than `at` stay. Returns an empty text, or
/// "superseded: …" if a newer change was kept. Throws the errors of requireShortTexts(), Error(Usage) for an unknown run or for
/// a move of a run that does not wait, Error(Failure) if an active run is to be trashed or deleted, and Error(InvalidInput) for
/// a run whose row is damaged, since writing it would hide the damage.
std::string applyEdit(Ledger& ledger, storage::RunStore& store, const TimedEdit& edit);

/// Throws Error(InvalidInput) when a text of the edit is longer than engine/base/text_limits.h allows: a name, a note, a tag,
/// the kind, key or body of an item.
void requireShortTexts(const Edit& edit);

/// Removes the folder of a run deleted by the edit. Call after the commit, unless superseded.
void removeFolderOfDeleted(const Edit& edit, const std::string& database);

}  // namespace heddle::app
