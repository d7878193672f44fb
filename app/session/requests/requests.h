// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/recorder/ledger.h"
#include "engine/run/requests.h"
#include "storage/records.h"

#include <cstdint>
#include <functional>
#include <string>

namespace heddle::app {

/// Whether executing the request needs an engine.
bool startsTraining(const Request& request);

/// An edit and its Unix time.
struct TimedEdit {
    Edit edit;
    double at = 0;
};

/// Executes an edit inside a transaction. Returns an empty text, or "superseded: …" if a newer change was kept. Throws
/// Error(InvalidInput) for a text that is too long, and the errors of Ledger.
std::string applyEdit(Ledger& ledger, storage::RunStore& store, const TimedEdit& edit);

/// Removes the folder of a run deleted by the edit. Call after the commit, unless superseded.
void removeFolderOfDeleted(const Edit& edit, const std::string& database);

/// Removes the folder of a deleted run. Call after the commit.
void removeRunFolder(const std::string& database, const std::string& run);

/// Puts a request into the inbox of the database's owner; returns its number.
std::int64_t putRequest(const std::string& database, const TimedRequest& request);

/// The same, and waits for the answer and returns its text. Throws Error(Failure) when the owner refuses or does not answer
/// within `timeoutSeconds`; the request is then withdrawn unless an owner has taken it. Calls `meanwhile` repeatedly while
/// waiting, for callers that must ensure an owner or may have to end; what it throws withdraws the request and is rethrown.
std::string askOwner(const std::string& database, const TimedRequest& request, double timeoutSeconds,
                     const std::function<void()>& meanwhile = {});

/// Like applyEdit, for a process that is not the owner: becomes the owner temporarily, or asks the present one. As the owner it
/// first executes the edits waiting in the inbox. Throws like askOwner.
std::string edit(const std::string& database, const Edit& edit);

}  // namespace heddle::app
