// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/run/run_state.h"
#include "engine/spec/run_spec.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace heddle {

/// The requests to the owner of a run database (design section 6), a closed set of plain values: made by a control, carried by
/// the inbox if another process owns the database, executed by the session. Each states a change, not a complete new value.

struct EnqueueRun {
    RunSpec spec;
    std::string group = {};  ///< of the new run; empty: none
};
struct PauseRun {
    std::string run;
};
/// Resumes a paused run, or queues a new attempt of one that has ended.
struct ResumeRun {
    std::string run;
};
struct StopRun {
    std::string run;
};
struct CheckpointRun {
    std::string run;
};
/// A question to a run in training, answered at a step border.
struct AskRun {
    std::string run;
    Json question;
};

struct RenameRun {
    std::string run, name;
};
struct TagRun {
    std::string run;
    std::vector<std::string> add, remove;  ///< a tag in both is added
};
/// Adds a note, or replaces one; replacing one by an empty text removes it.
struct AnnotateRun {
    std::string run, text;
    double replaces = 0;  ///< Unix time of the note (RunNote::at); 0: adds one
};
/// Moves a queued run by `by` places towards the end; negative: towards the beginning.
struct MoveRun {
    std::string run;
    std::int64_t by = 0;
};
/// Hides a run until it is restored or deleted.
struct TrashRun {
    std::string run;
};
struct RestoreRun {
    std::string run;
};
/// Deletes a run permanently, with its checkpoints.
struct DeleteRun {
    std::string run;
};
/// Items of the database: saved variants, colours, pins.
struct PutItem {
    std::string kind, key;
    Json body;
};
struct RemoveItem {
    std::string kind, key;
};

/// Requests that only change rows. A later change of the same value wins.
using Edit = std::variant<RenameRun, TagRun, AnnotateRun, MoveRun, TrashRun, RestoreRun, DeleteRun, PutItem, RemoveItem>;

using Request = std::variant<EnqueueRun, PauseRun, ResumeRun, StopRun, CheckpointRun, AskRun, Edit>;

/// A request and its Unix time; 0: the time when it is put into the inbox.
struct TimedRequest {
    Request request;
    double at = 0;
};

/// A request as the inbox stores it: a contract between versions of the program.
struct StoredRequest {
    std::string verb;
    std::string run;   ///< id, or empty
    std::string body;  ///< JSON text; may be empty if the verb suffices
};

StoredRequest storedRequest(const Request& request);

/// Throws Error(Usage) for an unknown verb and for a missing or mistyped member, Error(InvalidInput) for a body that is too
/// long or not JSON, and what RunSpec::parse throws.
Request parseRequest(const StoredRequest& stored);

/// Whether executing the request needs an engine.
bool startsTraining(const Request& request);

/// The verb of a request in the inbox and on the command line: "rename".
std::string verbOf(const Request& request);

/// The id of its run; empty: none.
std::string runOf(const Request& request);

/// The error that a refused question's answer describes: {"what","where","next"}, or a text.
Error refusalOf(const Json& answer);

/// The request for a verb of the transition table.
Request requestOf(RunVerb verb, const std::string& run);

}  // namespace heddle
