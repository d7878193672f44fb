// SPDX-License-Identifier: Apache-2.0
#include "app/session/open_inspection.h"

#include "app/session/checkpoint_folders.h"
#include "app/session/paths.h"
#include "app/session/recorded_precision.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/spec/catalogue.h"
#include "storage/run_query.h"
#include "storage/run_store.h"

#include <algorithm>
#include <filesystem>

namespace heddle::app {

std::unique_ptr<InspectionSession> openInspection(Engine& engine, const InspectedCheckpoint& checkpoint) {
    const auto query = storage::RunQuery::open(checkpoint.database);
    const auto record = query->run(checkpoint.run);
    if (!record) throw Error(ErrorCode::Usage, "there is no such run", checkpoint.run, "choose another run");
    const auto all = query->checkpoints(checkpoint.run);
    const auto chosen = std::find_if(all.rbegin(), all.rend(), [&](const auto& one) { return one.step == checkpoint.step; });
    if (chosen == all.rend())
        throw Error(ErrorCode::Usage, "the run keeps no checkpoint of step " + std::to_string(checkpoint.step),
                    "run " + checkpoint.run, "choose a step whose checkpoint is kept");
    const std::string artifacts = storage::artifactFolder(std::filesystem::absolute(checkpoint.database).string());
    if (const auto problem = checkpointProblem(artifacts, *chosen); !problem.empty())
        throwInvalid(problem, "run " + checkpoint.run, "choose another checkpoint");
    InspectionRequest request;
    request.spec = RunSpec::parse(parseJson(record->spec, "run " + record->id), builtinCatalogue());
    const std::string precision = recordedPrecision(*query, checkpoint.run);
    if (request.spec.train.precision == "auto" && !precision.empty()) request.spec.train.precision = precision;
    request.runFolder = artifacts + "/" + checkpoint.run;
    request.checkpointFolder = artifacts + "/" + chosen->folder;
    request.cacheFolder = defaultCacheFolder();
    request.device = checkpoint.device;
    request.stopRequested = checkpoint.stopRequested;
    return engine.openInspection(request);
}

}  // namespace heddle::app
