// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench_rows.h"

#include "app/cli/write_file.h"
#include "app/session/process/child_process.h"
#include "app/session/process/engine_loader.h"
#include "engine/analysis/spread.h"
#include "engine/base/error.h"
#include "engine/run/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <sstream>

namespace heddle::app {
namespace {

/// The workload at the requested size, with the requested number of distinct batches.
Workload chosenWorkload(const std::string& name, const BenchSettings& settings) {
    Workload workload = findWorkload(name, settings.small ? WorkloadSize::Small : WorkloadSize::Full);
    if (!settings.pool) return workload;
    workload.batches = *settings.pool;
    if (workload.lengths != Workload::Lengths::Full) workload.sentences = *settings.pool * workload.rows;
    return workload;
}

void addNumber(std::vector<std::string>& arguments, const std::string& name, const std::optional<std::int64_t>& value) {
    if (value) arguments.insert(arguments.end(), {name, std::to_string(*value)});
}

/// Appends steps, warm-up, repeats, seed and batches, whose options both programs share.
void addCounts(std::vector<std::string>& arguments, const BenchSettings& settings) {
    addNumber(arguments, "--steps", settings.steps);
    addNumber(arguments, "--warmup", settings.warmup);
    addNumber(arguments, "--repeats", settings.repeats);
    addNumber(arguments, "--seed", settings.seed);
    addNumber(arguments, "--pool", settings.pool);
}

Json optionalNumber(const Json& row, const char* name) { return row.contains(name) ? row.at(name) : Json(); }

std::vector<double> valuesOf(const std::vector<Json>& rounds, const char* name) {
    std::vector<double> values;
    for (const Json& round : rounds)
        if (round.at(name).is_number()) values.push_back(round.at(name));
    return values;
}

[[noreturn]] void throwPeerFailure(const ChildResult& child, const std::string& what) {
    throw Error(ErrorCode::Failure, what + " failed: " + child.last, "exit code " + std::to_string(child.code),
                "check that `PYTHON PEERS_SCRIPT --device cpu --tiny` works, or choose another --python");
}

}  // namespace

std::string deviceKind(const BenchSettings& settings) {
    if (settings.device != "auto") return settings.device.rfind("cuda", 0) == 0 ? "cuda" : "cpu";
    return loadEngine()->devices().size() > 1 ? "cuda" : "cpu";
}

std::string precisionOf(const BenchSettings& settings) {
    if (!settings.precision.empty()) return settings.precision;
    return deviceKind(settings) == "cuda" ? "bf16" : "fp32";
}

Json rowDocument(const TrainBenchRow& row) {
    return {{"workload", row.workload},
            {"engine", row.deterministic ? kHeddle : kHeddleNondeterministic},
            {"device", row.device},
            {"precision", row.precision},
            {"threads", row.threads},
            {"torch", row.torch},
            {"parameters", row.parameters},
            {"step_ms", row.stepMs},
            {"step_ms_min", row.stepMsLeast},
            {"step_ms_max", row.stepMsMost},
            {"single_step_ms", row.singleStepMs},
            {"tokens_per_second", row.tokensPerSecond},
            {"tokens_per_step", row.tokensPerStep},
            {"fill", row.fill},
            {"gflop_per_step", row.gflopPerStep},
            {"gemm_gflops", row.gemmGflops},
            {"gemm", row.gemm},
            {"ceiling_share", row.shareOfCeiling()},
            {"peak_mib", row.peakMib},
            {"host_ms", row.hostMs},
            {"recording_ms", orNull(row.captureMs)},
            {"captures", row.captures},
            {"evictions", row.evictions},
            {"replayed_share", orNull(row.replayedShare)},
            {"start_seconds", orNull(row.startSeconds)},
            {"first_step_seconds", orNull(row.firstStepSeconds)},
            {"first_loss", row.firstLoss},
            {"last_loss", row.lastLoss},
            {"steps", row.steps},
            {"repeats", row.repeats},
            {"shapes", row.shapes},
            {"batches", row.generated ? "generated" : "file"}};
}

Json measureInThisProcess(const std::string& workload, const BenchSettings& settings, const Context& context) {
    return measureInThisProcess(chosenWorkload(workload, settings), settings, context);
}

Json measureInThisProcess(const Workload& workload, const BenchSettings& settings, const Context& context) {
    TrainBenchRequest request;
    request.workload = workload;
    request.batches = settings.batches;
    request.device = settings.device;
    request.precision = precisionOf(settings);
    request.deterministic = !settings.nondeterministic;
    request.threads = settings.threads.value_or(0);
    request.steps = settings.steps.value_or(0);
    request.warmup = settings.warmup.value_or(0);
    request.repeats = settings.repeats.value_or(0);
    request.seed = static_cast<std::uint64_t>(settings.seed.value_or(1));
    request.progress = [&context](const std::string& text) { context.err << text << std::endl; };
    const auto engine = context.engine();
    return rowDocument(engine->benchTraining(request));
}

Json measureInNewProcess(const std::string& workload, const BenchSettings& settings) {
    std::vector<std::string> arguments{"/proc/self/exe", "bench",       "train",
                                       workload,         "--json",      "--device",
                                       settings.device,  "--precision", precisionOf(settings)};
    if (settings.small) arguments.emplace_back("--small");
    if (settings.nondeterministic) arguments.emplace_back("--nondeterministic");
    if (!settings.batches.empty()) arguments.insert(arguments.end(), {"--batches", settings.batches});
    addNumber(arguments, "--threads", settings.threads);
    addCounts(arguments, settings);
    const ChildResult child = runChild(arguments);
    if (child.code != 0) {
        const Json reported = Json::parse(child.out, nullptr, false);
        if (reported.is_object() && reported.contains("what"))
            throw Error(static_cast<ErrorCode>(reported.at("code").get<int>()), reported.at("what"), reported.at("where"),
                        reported.at("next"));
        throw Error(ErrorCode::Failure, "the measuring process exited with " + std::to_string(child.code), workload,
                    child.last);
    }
    return parseJson(child.out, "heddle bench train " + workload).at("rows").at(0);
}

Json measurePeer(const std::string& workload, const std::string& peer, const BenchSettings& settings) {
    std::vector<std::string> arguments{settings.python, settings.peersScript, "--device", deviceKind(settings),
                                       "--row",         workload + ":" + peer};
    addCounts(arguments, settings);
    ChildOptions options;
    if (settings.threads) options.environment.emplace_back("OMP_NUM_THREADS", std::to_string(*settings.threads));
    const ChildResult child = runChild(arguments, options);
    std::istringstream lines(child.out);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("ROW ", 0) != 0) continue;
        const Json row = parseJson(line.substr(4), peer);
        return {{"workload", workload},
                {"engine", peer},
                {"device", deviceKind(settings)},
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

Json failureRow(const std::string& workload, const std::string& engine, const Error& error) {
    return {{"workload", workload}, {"engine", engine}, {"failure", error.what()}};
}

void saveRow(const Json& row, std::int64_t round, const BenchSettings& settings) {
    if (settings.rowsFolder.empty()) return;
    const std::filesystem::path folder = settings.rowsFolder;
    std::filesystem::create_directories(folder);
    const std::string name =
        fmt::format("{}-{}-{}.json", row.at("workload").get<std::string>(), row.at("engine").get<std::string>(), round);
    writeFile((folder / name).string(), row.dump(2) + "\n");
}

void dumpPeerBatches(const std::vector<std::string>& workloads, const std::string& file, const BenchSettings& settings) {
    const std::string names = fmt::format("{}", fmt::join(workloads, ","));
    std::vector<std::string> arguments{settings.python, settings.peersScript, "--device", "cpu", "--only",
                                       names,           "--dump-batches",     file};
    addNumber(arguments, "--seed", settings.seed);
    addNumber(arguments, "--pool", settings.pool);
    const ChildResult child = runChild(arguments);
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

}  // namespace heddle::app
