// SPDX-License-Identifier: Apache-2.0
// Requests to the owner of a database, from any process.
#pragma once

#include "engine/run/requests.h"

#include <cstdint>
#include <functional>
#include <string>

namespace heddle::app {

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
