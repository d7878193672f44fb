// SPDX-License-Identifier: Apache-2.0
// Heddle's half of the comparison with Python's torch (peers_oracle.py): builds a variant, writes its initial weights, trains
// on dumped batches and writes the loss of every step.
//   oracle_steps SPEC.json BATCHES WORKLOAD FOLDER  →  FOLDER/weights.safetensors, FOLDER/losses.json
// SPEC.json is a run spec whose vocabulary sizes are numbers; train.steps says how many steps. BATCHES is a file in the format
// "peer-batches-1": a JSON line (its length is a multiple of 64), then little-endian int32 arrays at the offsets it states.
#include "engine/device/torch_pch.h"
#include "engine/model/model.h"
#include "engine/spec/error.h"
#include "engine/spec/json.h"
#include "engine/spec/run_spec.h"
#include "engine/train/named_tensors.h"
#include "engine/train/safetensors.h"
#include "engine/train/step.h"

#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

namespace heddle {
namespace {

/// A dump of peers.py, in memory.
class BatchDump {
public:
    BatchDump(const std::string& file, std::string workload) : workload_(std::move(workload)) {
        std::ifstream in(file, std::ios::binary);
        std::string line;
        if (!std::getline(in, line)) throwInvalid("cannot read the batches", file, "write them with peers.py --dump-batches");
        header_ = parseJson(line, file);
        if (header_.at("format") != "peer-batches-1") throwInvalid("unknown format", file, "expected peer-batches-1");
        data_.assign(std::istreambuf_iterator<char>(in), {});
    }

    std::int64_t count() const {
        std::int64_t n = 0;
        for (const Json& array : header_.at("arrays")) n += array.at("workload") == workload_ && array.at("name") == "src";
        return n;
    }

    Batch batch(std::int64_t number) const {
        Batch b;
        b.source = values(number, "src", b.rows, b.sourceWidth);
        b.targetIn = values(number, "tin", b.rows, b.targetWidth);
        const std::vector<std::int64_t> wanted = values(number, "tout", b.rows, b.targetWidth);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (wanted[i] == kPad) continue;
            b.positions.push_back(static_cast<std::int64_t>(i));
            b.targets.push_back(wanted[i]);
        }
        b.sourceTokens = static_cast<std::int64_t>(b.source.size()) - std::count(b.source.begin(), b.source.end(), kPad);
        b.targetTokens = static_cast<std::int64_t>(b.targets.size());
        return b;
    }

private:
    std::vector<std::int64_t> values(std::int64_t number, const std::string& name, std::int64_t& rows,
                                     std::int64_t& width) const {
        for (const Json& array : header_.at("arrays")) {
            if (array.at("workload") != workload_ || array.at("batch") != number || array.at("name") != name) continue;
            rows = array.at("shape").at(0);
            width = array.at("shape").at(1);
            std::vector<std::int32_t> stored(static_cast<std::size_t>(rows * width));
            const std::size_t offset = array.at("offset"), bytes = stored.size() * sizeof(std::int32_t);
            if (offset + bytes > data_.size()) throwInvalid("the dump is cut short", name, "write it again");
            std::memcpy(stored.data(), data_.data() + offset, bytes);
            return {stored.begin(), stored.end()};
        }
        throwInvalid("no batch of this name", workload_ + "/" + name, "dump the workload with peers.py --only");
    }

    std::string workload_, data_;
    Json header_;
};

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

void run(const std::string& specFile, const BatchDump& dump, const std::string& folder) {
    const RunSpec spec = RunSpec::parse(readJsonFile(specFile), builtinCatalogue());
    const auto model = buildModel(spec.variant.resolve(), spec.seed);
    writeFile(folder + "/weights.safetensors", SafetensorsImage(namedParameters(model->parameters())).parts());

    const RunData data;
    const auto task = makeTask(spec, data);
    TrainStep step(*model, *task, spec.train, {spec.seed, at::kCPU, spec.train.steps});
    Json values = Json::array();
    for (std::int64_t i = 0; i < spec.train.steps; ++i) {
        step.run(dump.batch(i % dump.count()));
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
    heddle::run(argv[1], heddle::BatchDump(argv[2], argv[3]), argv[4]);
    return 0;
} catch (const std::exception& error) {
    std::cerr << "oracle_steps: " << error.what() << '\n';
    return 1;
}
