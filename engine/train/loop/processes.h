// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/parallel/group.h"
#include "engine/run/engine.h"
#include "engine/train/loop/setup.h"

#include <functional>
#include <memory>

namespace heddle {

/// The beginning of an attempt that several processes train: they meet, rank 0 sends the request, all prepare, and each
/// compares itself with rank 0. One process only prepares.

/// Joins the group. Throws Error(InvalidInput) when program, LibTorch or spec of some process are not those of rank 0,
/// Error(Usage) when a step has fewer micro-batches than there are processes, and as joinGroup().
std::shared_ptr<Group> meet(const JoinRequest& joined);

/// Rank 0 sends its request to the others with shareRequest(); they receive it with requestOfLeader().
void shareRequest(Group& group, const TrainRequest& request);
TrainRequest requestOfLeader(Group& group, const JoinRequest& joined);

/// Calls `prepare`. Throws on all processes if it throws on one, or if data, model, precision or threads differ.
Setup prepareTogether(const std::shared_ptr<Group>& group, const TrainRequest& request, const std::function<Setup()>& prepare);

/// Rank 0: calls `train`. If it throws, the other processes are told why, and the exception is rethrown.
TrainOutcome tellingFailure(Group& group, const std::function<TrainOutcome()>& train);

}  // namespace heddle
