// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "engine/run/run_state.h"
#include "engine/spec/run_spec.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace heddle {

/// The closed vocabulary of what is asked of the owner of a run database (design section 6): made by a control, carried by the
/// inbox where another process owns the database, carried out by the session. Plain values. Each says what changes, not what
/// the whole shall be.

struct EnqueueRun {
    RunSpec spec;
};
struct PauseRun {
    std::string run;
};
/// Lets a paused run go on, or queues a new attempt of one that has ended.
struct ResumeRun {
    std::string run;
};
struct StopRun {
    std::string run;
};
struct CheckpointRun {
    std::string run;
};
/// A question to a run in training, answered with a value at a step border.
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
struct AnnotateRun {
    std::string run, text;
};
/// By so many places towards the end of the queue; negative: towards its beginning.
struct MoveRun {
    std::string run;
    std::int64_t by = 0;
};
/// Hidden and kept whole, until it is restored or deleted.
struct TrashRun {
    std::string run;
};
struct RestoreRun {
    std::string run;
};
/// For good, with its checkpoints.
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

/// What changes rows only. What was changed again after an edit was made stays as it is.
using Edit = std::variant<RenameRun, TagRun, AnnotateRun, MoveRun, TrashRun, RestoreRun, DeleteRun, PutItem, RemoveItem>;

using Request = std::variant<EnqueueRun, PauseRun, ResumeRun, StopRun, CheckpointRun, AskRun, Edit>;

/// A request and when it was made, in Unix time; 0: when it is put into the inbox.
struct TimedRequest {
    Request request;
    double at = 0;
};

/// A request as the inbox stores it: a contract between versions of the program.
struct StoredRequest {
    std::string verb;
    std::string run;   ///< id, or empty
    std::string body;  ///< JSON text; may be empty where the verb says all
};

StoredRequest storedRequest(const Request& request);

/// Throws Error(Usage) for an unknown verb and for a body that lacks a member or has it in another type, Error(InvalidInput)
/// for a body that is too long or no JSON, and what RunSpec::parse throws.
Request parseRequest(const StoredRequest& stored);

/// The word for a request in the inbox and on the command line: "rename".
std::string verbOf(const Request& request);

/// The run that it is about; empty: none.
std::string runOf(const Request& request);

/// What a verb of the transition table asks for.
Request requestOf(RunVerb verb, const std::string& run);

}  // namespace heddle
