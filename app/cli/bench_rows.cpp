// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench_rows.h"

#include "app/cli/write_file.h"
#include "app/session/process/child_process.h"
#include "app/session/process/engine_loader.h"
#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/run/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

namespace heddle::app {
namespace {

void addNumber(std::vector<std::string>& arguments, const std::string& name, const std::optional<std::int64_t>& value) {
    if (value) arguments.insert(arguments.end(), {name, std::to_string(*value)});
}

/// Computes shares of the fastest matrix product found by any process.
void fillShares(std::vector<Json>& rows) {
    double best = 0;
    for (const Json& row : rows)
        if (!row.contains("failure") && row.at("gemm_gflops").is_number())
            best = std::max(best, row.at("gemm_gflops").get<double>());
    if (best <= 0) return;
    for (Json& row : rows)
        if (!row.contains("failure"))
            row["ceiling_share"] = row.at("gflop_per_step").get<double>() / (row.at("step_ms").get<double>() / 1e3) / best;
}

std::string cell(const Json& value, int digits) {
    return value.is_number() ? fmt::format("{:.{}f}", value.get<double>(), digits) : "";
}

}  // namespace

CommandBuilder& addWorkloads(CommandBuilder& command, BenchOptions& options) {
    return command
        .positionals("WORKLOAD", options.workloads, "Some of those that `heddle bench workloads` lists",
                     CommandBuilder::Need::Optional)
        .flag("--all", options.all, "All of them, one after the other")
        .flag("--small", options.settings.small, "The same models on fewer rows: seconds instead of minutes");
}

CommandBuilder& addBenchOptions(CommandBuilder& command, BenchOptions& options) {
    BenchSettings& s = options.settings;
    return addWorkloads(command, options)
        .device(s.device, " (default: auto)")
        .option("--precision", s.precision, "TYPE", "fp32 (default on a CPU), tf32 (on a GPU) or bf16 (default on a GPU)")
        .flag("--nondeterministic", s.nondeterministic,
              "Allow faster kernels whose sums differ from run to run, as train.deterministic=false does")
        .option("--threads", s.threads, "N", "CPU threads (default: physical cores)")
        .option("--steps", s.steps, "N", "Timed steps of a repeat (default: 10, on a GPU 100; mixed lengths: one pass)")
        .option("--warmup", s.warmup, "N", "Steps before (default: 3, on a GPU 30; mixed lengths: at least one pass)")
        .option("--seed", s.seed, "N", "Seed of batches, weights and dropout (default: 1)")
        .option("--pool", s.pool, "N",
                "Different batches; mixed lengths: of N times 128 sentences (default: 16, mixed lengths 100)")
        .option("--rows", s.rowsFolder, "FOLDER", "Also write every row there as soon as it is measured, a file each");
}

std::vector<std::string> chosenWorkloads(const BenchOptions& options) {
    if (options.all) return workloadNames();
    if (options.workloads.empty())
        throw Error(ErrorCode::Usage, "no workload given", "bench",
                    fmt::format("choose from {}, or use --all", fmt::join(workloadNames(), ", ")));
    for (const std::string& name : options.workloads) findWorkload(name, WorkloadSize::Full);
    return options.workloads;
}

void checkCounts(const BenchSettings& settings) {
    const auto require = [](const char* option, const std::optional<std::int64_t>& value, std::int64_t least) {
        if (value && *value < least)
            throw Error(ErrorCode::Usage, fmt::format("{} {} is too small", option, *value), "bench",
                        fmt::format("give at least {}", least));
    };
    require("--steps", settings.steps, 1);
    require("--warmup", settings.warmup, 0);
    require("--repeats", settings.repeats, 1);
    require("--threads", settings.threads, 1);
    require("--pool", settings.pool, 1);
}

Workload chosenWorkload(const std::string& name, const BenchSettings& settings) {
    Workload workload = findWorkload(name, settings.small ? WorkloadSize::Small : WorkloadSize::Full);
    if (!settings.pool) return workload;
    workload.batches = *settings.pool;
    if (workload.lengths != Workload::Lengths::Full) workload.sentences = *settings.pool * workload.rows;
    return workload;
}

void addCounts(std::vector<std::string>& arguments, const BenchSettings& settings) {
    addNumber(arguments, "--steps", settings.steps);
    addNumber(arguments, "--warmup", settings.warmup);
    addNumber(arguments, "--repeats", settings.repeats);
    addNumber(arguments, "--seed", settings.seed);
    addNumber(arguments, "--pool", settings.pool);
}

std::string deviceKind(const BenchSettings& settings) {
    if (settings.device != "auto") return settings.device.rfind("cuda", 0) == 0 ? "cuda" : "cpu";
    return loadEngine()->devices().size() > 1 ? "cuda" : "cpu";
}

Precision chosenPrecision(const std::string& name) {
    if (const auto named = choiceNamed<Precision>(name)) return *named;
    throwInvalid(fmt::format("unknown precision \"{}\"", printable(name)), "--precision", "use auto, fp32, tf32 or bf16");
}

namespace {

/// The user's precision; default fp32 on a CPU, bf16 on a GPU.
Precision precisionOf(const BenchSettings& settings) {
    if (!settings.precision.empty()) return chosenPrecision(settings.precision);
    return deviceKind(settings) == "cuda" ? Precision::BFloat16 : Precision::Float32;
}

}  // namespace

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
            {"batches", "generated"}};
}

Json measureInThisProcess(const std::string& workload, const BenchSettings& settings, const Context& context) {
    return measureInThisProcess(chosenWorkload(workload, settings), settings, context);
}

TrainBenchRequest benchRequest(const Workload& workload, const BenchSettings& settings, const Context& context) {
    TrainBenchRequest request;
    request.workload = workload;
    request.device = settings.device;
    request.precision = precisionOf(settings);
    request.deterministic = !settings.nondeterministic;
    request.threads = settings.threads.value_or(0);
    request.steps = settings.steps.value_or(0);
    request.warmup = settings.warmup.value_or(0);
    request.repeats = settings.repeats.value_or(0);
    request.seed = static_cast<std::uint64_t>(settings.seed.value_or(1));
    request.progress = [&context](const std::string& text) { context.err << text << std::endl; };
    return request;
}

Json measureInThisProcess(const Workload& workload, const BenchSettings& settings, const Context& context) {
    return rowDocument(context.engine()->benchTraining(benchRequest(workload, settings, context)));
}

Json measureInNewProcess(const std::string& workload, const BenchSettings& settings, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"/proc/self/exe", "bench",       "train",
                                       workload,         "--json",      "--device",
                                       settings.device,  "--precision", wordOf(precisionOf(settings))};
    if (settings.small) arguments.emplace_back("--small");
    if (settings.nondeterministic) arguments.emplace_back("--nondeterministic");
    addNumber(arguments, "--threads", settings.threads);
    addCounts(arguments, settings);
    arguments.insert(arguments.end(), more.begin(), more.end());
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

std::string rowsText(const std::vector<Json>& rows) {
    Table table({"workload", "engine", "parameters", "ms", "least", "most", "tokens/s", "GFLOP", "of GEMM", "MiB", "host ms",
                 "start s", "first step s"});
    table.right({2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    for (const Json& row : rows) {
        if (row.contains("failure")) continue;  // reported below the table
        table.add(
            {row.at("workload"), row.at("engine"), countText(row.at("parameters")), cell(row.at("step_ms"), 1),
             cell(row.at("step_ms_min"), 1), cell(row.at("step_ms_max"), 1), cell(row.at("tokens_per_second"), 0),
             cell(row.at("gflop_per_step"), 1),
             row.at("ceiling_share").is_number() ? fmt::format("{:.1f} %", 100 * row.at("ceiling_share").get<double>()) : "",
             cell(row.at("peak_mib"), 0), cell(row.at("host_ms"), 1), cell(row.at("start_seconds"), 2),
             cell(row.at("first_step_seconds"), 2)});
    }
    std::string text = table.text();
    for (const Json& row : rows)
        if (row.contains("failure"))
            text += fmt::format("{}, {}: not measured: {}\n", row.at("workload").get<std::string>(),
                                row.at("engine").get<std::string>(), printable(row.at("failure").get<std::string>()));
    return text;
}

int printRows(std::vector<Json> rows, const std::vector<SpeedRatio>& ratios, const BenchSettings& settings,
              const Context& context) {
    fillShares(rows);
    if (context.json) {
        Json all = Json::array();
        for (const SpeedRatio& one : ratios)
            all.push_back({{"workload", one.workload}, {"peer", one.engine}, {"ratio", one.ratio}});
        context.print(
            {{"schema", "heddle.bench/1"}, {"size", settings.small ? "small" : "full"}, {"rows", rows}, {"ratios", all}});
    } else {
        context.out << rowsText(rows);
        for (const SpeedRatio& one : ratios)
            context.out << fmt::format("{}: {:.2f} × {}\n", one.workload, one.ratio, one.engine);
    }
    return std::any_of(rows.begin(), rows.end(), [](const Json& row) { return row.contains("failure"); }) ? 1 : 0;
}

}  // namespace heddle::app
