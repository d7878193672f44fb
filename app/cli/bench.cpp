// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench_launches.h"
#include "app/cli/bench_rows.h"
#include "app/cli/commands.h"
#include "app/cli/spec_source.h"
#include "app/session/process/paths.h"
#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/base/temporary_folder.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

namespace heddle::app {
namespace {

constexpr const char* kScriptVariable = "HEDDLE_PEERS_SCRIPT";
constexpr std::int64_t kRounds = 3;

struct BenchOptions {
    std::vector<std::string> workloads, peers;
    BenchSettings settings;
    bool all = false, withPeers = false, launches = false;
};

std::vector<std::string> chosenWorkloads(const BenchOptions& options) {
    if (options.all) return workloadNames();
    if (options.workloads.empty())
        throw Error(ErrorCode::Usage, "no workload given", "heddle bench train",
                    fmt::format("choose from {}, or use --all", fmt::join(workloadNames(), ", ")));
    for (const std::string& name : options.workloads) findWorkload(name, WorkloadSize::Full);
    return options.workloads;
}

std::vector<std::string> chosenPeers(const BenchOptions& options) {
    if (!options.withPeers && options.peers.empty()) return {};
    if (!options.peers.empty()) return options.peers;
    if (deviceKind(options.settings) == "cuda") return {"graph-compile", "compile", "tuned-amp", "lib-amp"};
    return {"eager-fp32", "tuned-fp32", "compile-fp32"};
}

bool isHeddle(const std::string& engine) { return engine == kHeddle || engine == kHeddleNondeterministic; }

/// On a GPU both variants are measured, since determinism costs time.
std::vector<std::string> heddleEngines(const BenchSettings& settings) {
    if (settings.nondeterministic) return {kHeddleNondeterministic};
    if (deviceKind(settings) == "cuda") return {kHeddle, kHeddleNondeterministic};
    return {kHeddle};
}

BenchSettings ofEngine(BenchSettings settings, const std::string& engine) {
    settings.nondeterministic = engine == kHeddleNondeterministic;
    return settings;
}

/// Measures every workload with Heddle and its peers alternately, each time in a new process.
std::vector<Json> inRounds(const std::vector<std::string>& workloads, const std::vector<std::string>& peers,
                           BenchSettings settings, const Context& context) {
    if (settings.peersScript.empty()) settings.peersScript = environment(kScriptVariable);
    if (settings.peersScript.empty())
        throw Error(ErrorCode::Usage, "no script of the peers given", "heddle bench train",
                    fmt::format("give --peers-script FILE, or set {}", kScriptVariable));
    if (settings.small)
        throw Error(ErrorCode::Usage, "the peers have no small workloads", "heddle bench train",
                    "leave out --small or the peers; W5s-raw is the smallest");
    const TemporaryFolder dumped;
    if (settings.batches.empty()) {
        context.err << "writing the peers' batches" << std::endl;
        settings.batches = dumped / "batches.bin";
        dumpPeerBatches(workloads, settings.batches, settings);
    }
    const std::int64_t rounds = settings.repeats.value_or(kRounds);
    settings.repeats = 1;
    // Rows are printed and written at once, since a benchmark takes long. A failure becomes a row and the rest continues.
    const auto record = [&](const std::string& workload, const std::string& engine, std::int64_t round) {
        const std::string place = fmt::format("{}: turn {} of {}: {}", workload, round, rounds, engine);
        Json row;
        try {
            row = isHeddle(engine) ? measureInNewProcess(workload, ofEngine(settings, engine))
                                   : measurePeer(workload, engine, settings);
            context.err << fmt::format("{}: {:.0f} ms a step", place, row.at("step_ms").get<double>()) << std::endl;
        } catch (const Error& error) {
            row = failureRow(workload, engine, error);
            context.err << fmt::format("{}: {}", place, error.what()) << std::endl;
        }
        saveRow(row, round, settings);
        return row;
    };
    std::vector<std::string> engines = heddleEngines(settings);
    engines.insert(engines.end(), peers.begin(), peers.end());
    std::vector<Json> rows;
    for (const std::string& workload : workloads) {
        std::map<std::string, std::vector<Json>> rowsOf;
        for (std::int64_t round = 1; round <= rounds; ++round)
            for (const std::string& engine : engines) rowsOf[engine].push_back(record(workload, engine, round));
        for (const std::string& engine : engines) rows.push_back(mergeRounds(rowsOf[engine]));
    }
    return rows;
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

/// Heddle's tokens/s ÷ the peer's, for every peer's row.
Json ratiosOf(const std::vector<Json>& rows) {
    std::map<std::string, double> heddleSpeed;
    for (const Json& row : rows)
        if (row.at("engine") == kHeddle && !row.contains("failure"))
            heddleSpeed[row.at("workload")] = row.at("tokens_per_second");
    Json ratios = Json::array();
    for (const Json& row : rows) {
        if (row.at("engine") == kHeddle || row.contains("failure") || !heddleSpeed.contains(row.at("workload"))) continue;
        const double speed = row.at("tokens_per_second");
        ratios.push_back({{"workload", row.at("workload")},
                          {"peer", row.at("engine")},
                          {"ratio", heddleSpeed.at(row.at("workload")) / speed}});
        if (row.at("workload") == "W1r-pad" && heddleSpeed.contains("W1r-bkt"))
            ratios.push_back({{"workload", "W1r-bkt"},
                              {"peer", row.at("engine").get<std::string>() + " on W1r-pad"},
                              {"ratio", heddleSpeed.at("W1r-bkt") / speed}});
    }
    return ratios;
}

std::string cell(const Json& value, int digits) {
    return value.is_number() ? fmt::format("{:.{}f}", value.get<double>(), digits) : "";
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

void checkCounts(const BenchSettings& settings) {
    const auto require = [](const char* option, const std::optional<std::int64_t>& value, std::int64_t least) {
        if (value && *value < least)
            throw Error(ErrorCode::Usage, fmt::format("{} {} is too small", option, *value), "heddle bench train",
                        fmt::format("give at least {}", least));
    };
    require("--steps", settings.steps, 1);
    require("--warmup", settings.warmup, 0);
    require("--repeats", settings.repeats, 1);
    require("--threads", settings.threads, 1);
    require("--pool", settings.pool, 1);
}

/// Throws Error(Usage) for options of timing: launches are counted without a device and without time.
void requireNoTiming(const BenchOptions& options) {
    const BenchSettings& s = options.settings;
    const bool isTimed = options.withPeers || !options.peers.empty() || s.steps || s.warmup || s.repeats || s.threads ||
                         s.pool || !s.batches.empty() || !s.rowsFolder.empty() || s.nondeterministic || s.device != "auto";
    if (isTimed)
        throw Error(ErrorCode::Usage, "--launches cannot be combined with options of time measurement", "heddle bench train",
                    "use only workloads, --small, --precision and --seed with it");
}

int benchTrain(const BenchOptions& options, const Context& context) {
    checkCounts(options.settings);
    const auto workloads = chosenWorkloads(options);
    if (options.launches) {
        requireNoTiming(options);
        return countLaunches(workloads, options.settings, context);
    }
    const auto peers = chosenPeers(options);
    std::vector<Json> rows;
    if (!peers.empty()) {
        rows = inRounds(workloads, peers, options.settings, context);
    } else if (workloads.size() == 1) {
        rows.push_back(measureInThisProcess(workloads.front(), options.settings, context));
        saveRow(rows.back(), 1, options.settings);
    } else {
        for (const std::string& workload : workloads) {
            context.err << workload << std::endl;
            try {
                rows.push_back(measureInNewProcess(workload, options.settings));
            } catch (const Error& error) {
                rows.push_back(failureRow(workload, kHeddle, error));
            }
            saveRow(rows.back(), 1, options.settings);
        }
    }
    fillShares(rows);
    const Json ratios = ratiosOf(rows);
    const bool isWhole = std::none_of(rows.begin(), rows.end(), [](const Json& row) { return row.contains("failure"); });
    if (context.json) {
        context.print({{"schema", "heddle.bench/1"},
                       {"size", options.settings.small ? "small" : "full"},
                       {"rows", rows},
                       {"ratios", ratios}});
        return isWhole ? 0 : 1;
    }
    context.out << rowsText(rows);
    for (const Json& ratio : ratios)
        context.out << fmt::format("{}: {:.2f} × {}\n", ratio.at("workload").get<std::string>(),
                                   ratio.at("ratio").get<double>(), ratio.at("peer").get<std::string>());
    return isWhole ? 0 : 1;
}

struct StepOptions {
    std::string spec;
    std::vector<std::string> set;
    std::optional<std::int64_t> repeats;
};

/// Times the training steps of a run that is not trained yet.
int benchStep(const StepOptions& options, const Context& context) {
    const RunSpec run = readRunSpec(options.spec, options.set);
    BenchSettings settings;
    settings.device = run.train.device;
    settings.precision = run.train.precision == "auto" ? "" : run.train.precision;
    settings.nondeterministic = !run.train.deterministic;
    if (run.train.threads > 0) settings.threads = run.train.threads;
    settings.repeats = options.repeats;
    checkCounts(settings);
    const Workload workload = stepWorkload(run);
    const std::vector<Json> rows{measureInThisProcess(workload, settings, context)};
    context.print({{"schema", "heddle.bench_step/1"}, {"row", rows.front()}}, rowsText(rows));
    return 0;
}

int listWorkloads(const Context& context) {
    Table table({"workload", "parameters", "what it is"});
    table.right({1});
    Json all = Json::array();
    for (const std::string& name : workloadNames()) {
        const Workload workload = findWorkload(name, WorkloadSize::Full);
        const std::int64_t parameters = countCost(workload.spec.variant.resolve()).parameters;
        table.add({name, countText(parameters), workload.summary});
        all.push_back({{"workload", name}, {"parameters", parameters}, {"summary", workload.summary}});
    }
    context.print({{"schema", "heddle.workloads/1"}, {"workloads", all}}, table.text());
    return 0;
}

}  // namespace

void addBench(CommandBuilder& root) {
    auto bench = root.command("bench", "Measure how fast this machine trains");
    bench.command("workloads", "What can be measured").action([](Context& context) { return listWorkloads(context); });
    auto step = std::make_shared<StepOptions>();
    bench.command("step", "Time the training steps of a run spec on made-up text of its batch size, before it is trained")
        .positional("SPEC", step->spec, "A JSON file (run spec or bare variant), or the name of a preset")
        .option("--set", step->set, "PATH=VALUE", "Change one value of the spec; may be given several times")
        .option("--repeats", step->repeats, "N", "Repeats (default: 3, on a GPU 5)")
        .examples("heddle bench step mine.json\nheddle bench step eau-full --set dims.vocab_src=8000 --set dims.vocab_tgt=8000")
        .action([step](Context& context) { return benchStep(*step, context); });
    auto o = std::make_shared<BenchOptions>();
    BenchSettings& s = o->settings;
    bench.command("train", "Time whole training steps of fixed models, also beside PyTorch's")
        .positionals("WORKLOAD", o->workloads, "Some of those that `heddle bench workloads` lists",
                     CommandBuilder::Need::Optional)
        .flag("--all", o->all, "All of them, one after the other")
        .flag("--small", s.small, "The same models on fewer rows: seconds instead of minutes")
        .option("--device", s.device, "DEVICE", "auto (default), cpu, cuda or cuda:N")
        .option("--precision", s.precision, "TYPE", "fp32 (default on a CPU), tf32 (on a GPU) or bf16 (default on a GPU)")
        .flag(
            "--nondeterministic", s.nondeterministic,
            "Allow faster kernels whose sums differ from run to run, as train.deterministic=false does; beside peers a GPU is "
            "measured both ways")
        .option("--threads", s.threads, "N", "CPU threads (default: physical cores)")
        .option("--steps", s.steps, "N", "Timed steps of a repeat (default: 10, on a GPU 100; mixed lengths: one pass)")
        .option("--warmup", s.warmup, "N", "Steps before (default: 3, on a GPU 30; mixed lengths: at least one pass)")
        .option("--repeats", s.repeats, "N",
                "Repeats (default: 3, on a GPU 5); beside peers: turns, each a process (default: 3)")
        .option("--seed", s.seed, "N", "Seed of batches, weights and dropout (default: 1)")
        .option("--pool", s.pool, "N",
                "Different batches; mixed lengths: of N times 128 sentences (default: 16, mixed lengths 100)")
        .option("--batches", s.batches, "FILE", "Train on the batches of a file that peers.py --dump-batches wrote")
        .flag("--peers", o->withPeers, "Measure PyTorch in turn with Heddle, on the same batches")
        .option("--peer", o->peers, "NAME", "This peer of peers.py instead of the usual ones; may be given several times")
        .option("--python", s.python, "PROGRAM", "A Python that has torch (default: python3)")
        .option("--peers-script", s.peersScript, "FILE", "peers.py (default: $HEDDLE_PEERS_SCRIPT)")
        .flag("--launches", o->launches,
              "Count what a step launches on a GPU, with Heddle's kernels and without; needs no GPU and measures no time")
        .option("--rows", s.rowsFolder, "FOLDER", "Also write every row there as soon as it is measured, a file each")
        .examples(
            "heddle bench train W1 --small\nheddle bench train --all --json > speed.json\n"
            "heddle bench train W1 W6 --peers --peers-script peers.py --threads 2\nheddle bench train W1 W7 --launches")
        .action([o](Context& context) { return benchTrain(*o, context); });
}

}  // namespace heddle::app
