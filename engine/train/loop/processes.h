// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/parallel/group.h"
#include "engine/run/engine.h"
#include "engine/train/loop/setup.h"

#include <functional>
#include <memory>

namespace heddle {

/// The beginning of an attempt that several processes train: they meet, rank 0 says what is trained, all prepare, and each
/// compares itself with rank 0. With one process nothing happens but the preparation.

/// Joins the group. Throws Error(InvalidInput) when program, LibTorch or spec of some process are not those of rank 0,
/// Error(Usage) when a step has fewer micro-batches than there are processes, and as joinGroup().
std::shared_ptr<Group> meet(const JoinRequest& joined);

/// Rank 0 gives the others its request; they get it without what only rank 0 does.
void shareRequest(Group& group, const TrainRequest& request);
TrainRequest requestOfLeader(Group& group, const JoinRequest& joined);

/// Prepares, and throws on all processes when one cannot, or when data, model, precision or threads differ.
Setup prepareTogether(const std::shared_ptr<Group>& group, const TrainRequest& request, const std::function<Setup()>& prepare);

/// Calls `train`; tells the other processes of its failure.
TrainOutcome tellingFailure(Group& group, const std::function<TrainOutcome()>& train);

}  // namespace heddle
