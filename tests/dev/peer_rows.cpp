// SPDX-License-Identifier: Apache-2.0
#include "tests/dev/peer_rows.h"

#include "app/session/process/child_process.h"
#include "engine/analysis/spread.h"
#include "engine/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>

namespace heddle::dev {
namespace {

Json optionalNumber(const Json& row, const char* name) { return row.contains(name) ? row.at(name) : Json(); }

std::vector<double> valuesOf(const std::vector<Json>& rounds, const char* name) {
    std::vector<double> values;
    for (const Json& round : rounds)
        if (round.at(name).is_number()) values.push_back(round.at(name));
    return values;
}

[[noreturn]] void throwPeerFailure(const app::ChildResult& child, const std::string& what) {
    throw Error(ErrorCode::Failure, what + " failed: " + child.last, "exit code " + std::to_string(child.code),
                "check that `PYTHON PEERS_SCRIPT --device cpu --tiny` works, or choose another --python");
}

}  // namespace

Json measurePeer(const std::string& workload, const std::string& peer, const PeerScript& script,
                 const BenchSettings& settings) {
    std::vector<std::string> arguments{script.python, script.file,          "--device", app::deviceKind(settings),
                                       "--row",       workload + ":" + peer};
    app::addCounts(arguments, settings);
    app::ChildOptions options;
    if (settings.threads) options.environment.emplace_back("OMP_NUM_THREADS", std::to_string(*settings.threads));
    const app::ChildResult child = app::runChild(arguments, options);
    std::istringstream lines(child.out);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("ROW ", 0) != 0) continue;
        const Json row = parseJson(line.substr(4), peer);
        return {{"workload", workload},
                {"engine", peer},
                {"device", app::deviceKind(settings)},
                {"precision", row.at("dtype")},
                {"threads", orNull(settings.threads)},
                {"parameters", row.at("params")},
                {"step_ms", row.at("ms_med")},
                {"step_ms_min", row.at("ms_min")},
                {"step_ms_max", row.at("ms_max")},
                {"single_step_ms", row.at("ms")},
                {"tokens_per_second", row.at("tok_s")},
                {"tokens_per_step", row.at("tok_step")},
                {"fill", row.at("fill")},
                {"gflop_per_step", row.at("gflop")},
                {"gemm_gflops", nullptr},
                {"ceiling_share", nullptr},
                {"peak_mib", row.at("mem_mb")},
                {"host_ms", optionalNumber(row, "host_ms")},
                {"start_seconds", nullptr},
                {"first_step_seconds", nullptr},
                {"preparation_seconds", row.at("build_s").get<double>() + row.at("compile_s").get<double>()},
                {"first_loss", row.at("loss0")},
                {"last_loss", row.at("loss")},
                {"steps", row.at("steps")},
                {"repeats", row.at("repeats")},
                {"shapes", row.at("shapes")},
                {"batches", "peer"}};
    }
    throwPeerFailure(child, "peer " + peer + " on " + workload);
}

void dumpPeerBatches(const std::vector<std::string>& workloads, const std::string& file, const PeerScript& script,
                     const BenchSettings& settings) {
    const std::string names = fmt::format("{}", fmt::join(workloads, ","));
    std::vector<std::string> arguments{script.python, script.file, "--device", "cpu", "--only", names, "--dump-batches", file};
    BenchSettings drawn;
    drawn.seed = settings.seed, drawn.pool = settings.pool;
    app::addCounts(arguments, drawn);
    const app::ChildResult child = app::runChild(arguments);
    if (child.code != 0) throwPeerFailure(child, "writing the peers' batches");
}

Json mergeRounds(const std::vector<Json>& all) {
    std::vector<Json> rounds;
    std::copy_if(all.begin(), all.end(), std::back_inserter(rounds), [](const Json& row) { return !row.contains("failure"); });
    if (rounds.empty()) return all.front();
    Json joined = rounds.front();
    const auto ofRounds = [&](const char* name) { return valuesOf(rounds, name); };
    const auto least = ofRounds("step_ms_min"), most = ofRounds("step_ms_max");
    joined["step_ms"] = median(ofRounds("step_ms"));
    joined["step_ms_min"] = *std::min_element(least.begin(), least.end());
    joined["step_ms_max"] = *std::max_element(most.begin(), most.end());
    joined["single_step_ms"] = median(ofRounds("single_step_ms"));
    joined["tokens_per_second"] = joined.at("tokens_per_step").get<double>() / (joined.at("step_ms").get<double>() / 1e3);
    for (const char* name : {"peak_mib", "gemm_gflops"}) {
        const auto values = ofRounds(name);
        if (!values.empty()) joined[name] = *std::max_element(values.begin(), values.end());
    }
    for (const char* name : {"host_ms", "start_seconds", "first_step_seconds"}) {
        const auto values = ofRounds(name);
        if (!values.empty()) joined[name] = median(values);
    }
    joined["turns"] = rounds.size();
    return joined;
}

std::vector<app::SpeedRatio> ratiosOf(const std::vector<Json>& rows) {
    std::map<std::string, double> heddleSpeed;
    for (const Json& row : rows)
        if (row.at("engine") == app::kHeddle && !row.contains("failure"))
            heddleSpeed[row.at("workload")] = row.at("tokens_per_second");
    std::vector<app::SpeedRatio> ratios;
    for (const Json& row : rows) {
        if (row.at("engine") == app::kHeddle || row.contains("failure") || !heddleSpeed.contains(row.at("workload"))) continue;
        const double speed = row.at("tokens_per_second");
        const std::string workload = row.at("workload"), engine = row.at("engine");
        ratios.push_back({workload, engine, heddleSpeed.at(workload) / speed});
        if (workload == "W1r-pad" && heddleSpeed.contains("W1r-bkt"))
            ratios.push_back({"W1r-bkt", engine + " on W1r-pad", heddleSpeed.at("W1r-bkt") / speed});
    }
    return ratios;
}

}  // namespace heddle::dev
