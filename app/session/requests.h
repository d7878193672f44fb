// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/ledger.h"
#include "engine/run/requests.h"
#include "storage/records.h"

#include <cstdint>
#include <functional>
#include <string>

namespace heddle::app {

/// Whether an engine is needed to carry the request out.
bool startsTraining(const Request& request);

/// An edit and when it was made, in Unix time.
struct TimedEdit {
    Edit edit;
    double at = 0;
};

/// Carries out an edit. Inside a transaction. Returns an empty text, or "superseded: …" when something newer was left as it is.
/// Throws Error(InvalidInput) for a text that is too long and what Ledger throws.
std::string applyEdit(Ledger& ledger, storage::RunStore& store, const TimedEdit& edit);

/// After the commit of an edit that was not superseded: removes the folder of a run that it deleted.
void removeFolderOfDeleted(const Edit& edit, const std::string& database);

/// The id itself. Throws Error(InvalidInput) for a text that is no run id: it must not become a path.
std::string requireRunId(const std::string& run);

/// Removes the folder of a deleted run. After the commit.
void removeRunFolder(const std::string& database, const std::string& run);

/// Puts a request into the inbox of the database's owner; returns its number.
std::int64_t putRequest(const std::string& database, const TimedRequest& request);

/// The same, and waits for the answer. Returns its text; throws Error(Failure) when
/// the owner refuses or does not answer within `patienceSeconds`: the request is withdrawn then, if no owner has taken it.
/// `meanwhile` is called again and again while there is no answer: for a caller who must see to it that there is an owner.
std::string askOwner(const std::string& database, const TimedRequest& request, double patienceSeconds,
                     const std::function<void()>& meanwhile = {});

/// Like applyEdit, from a process that owns nothing: becomes the owner for the moment, or asks the one there is. As the owner
/// it first carries out the edits that wait in the inbox. Throws like askOwner.
std::string edit(const std::string& database, const Edit& edit);

/// Throws Error(InvalidInput) for a run whose row is damaged: what it says of itself cannot be used.
void requireWhole(const storage::RunRecord& run);

/// Throws Error(Usage) for a completed run: no attempt could add a step to it.
void requireResumable(const storage::RunRecord& run);

/// The runs that RUN may mean: one of that id, else those of an id that begins so, else those of that name; of these neither
/// the ones in the trash nor the ones that failed before their first step, unless there are no others.
std::vector<storage::RunRecord> runsMeant(storage::RunQuery& query, const std::string& text);

/// The run that RUN means: an id, a unique prefix of one, or a unique name. Throws Error(Usage) that names the candidates.
storage::RunRecord findRun(storage::RunQuery& query, const std::string& text);

}  // namespace heddle::app
