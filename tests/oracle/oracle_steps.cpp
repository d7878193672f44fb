// SPDX-License-Identifier: Apache-2.0
// Heddle's half of the comparison with Python's torch (peers_oracle.py): builds a variant, writes its initial weights, trains
// on dumped batches and writes the loss of every step.
//   oracle_steps SPEC.json BATCHES WORKLOAD FOLDER  →  FOLDER/weights.safetensors, FOLDER/losses.json
// SPEC.json is a run spec whose vocabulary sizes are numbers; train.steps says how many steps. BATCHES: see BatchDump.
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/model/model.h"
#include "engine/spec/run_spec.h"
#include "engine/train/checkpoint/named_tensors.h"
#include "engine/train/checkpoint/safetensors.h"
#include "engine/train/step/step.h"
#include "tests/dev/engine/batch_dump.h"

#include <fstream>
#include <iostream>

namespace heddle {
namespace {

void writeFile(const std::string& file, const std::vector<std::string_view>& parts) {
    std::ofstream out(file, std::ios::binary);
    for (const std::string_view part : parts) out.write(part.data(), static_cast<std::streamsize>(part.size()));
    if (!out.flush()) throw Error(ErrorCode::Failure, "cannot write", file, "is there room?");
}

std::vector<double> losses(StepRing& ring) {
    std::vector<double> drained;
    for (const StepValues& values : ring.drain()) drained.push_back(values.objective);
    return drained;
}

void run(const std::string& specFile, const std::vector<Batch>& batches, const std::string& folder) {
    const RunSpec spec = RunSpec::parse(readJsonFile(specFile), builtinCatalogue());
    const auto model = buildModel(spec.variant.resolve(), spec.seed);
    writeFile(folder + "/weights.safetensors", SafetensorsImage(namedParameters(model->parameters())).parts());

    const RunData data;
    const auto task = makeTask(spec, data);
    TrainStep step(*model, *task, spec.train, {spec.seed, at::kCPU, spec.train.steps});
    Json values = Json::array();
    for (std::int64_t i = 0; i < spec.train.steps; ++i) {
        step.run(batches[static_cast<std::size_t>(i) % batches.size()]);
        for (const double loss : losses(step.ring())) values.push_back(loss);
    }
    const std::string text = values.dump();
    writeFile(folder + "/losses.json", {text});
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) try {
    if (argc != 5) {
        std::cerr << "usage: oracle_steps SPEC.json BATCHES WORKLOAD FOLDER\n";
        return 2;
    }
    heddle::run(argv[1], heddle::BatchDump(argv[2]).batches(argv[3]), argv[4]);
    return 0;
} catch (const std::exception& error) {
    std::cerr << "oracle_steps: " << error.what() << '\n';
    return 1;
}
