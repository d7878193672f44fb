// SPDX-License-Identifier: GPL-3.0-or-later
// large_database FILE.heddle [RUNS=300] [POINTS=1000000]: a run database of that many finished runs, the newest two with loss
// and accuracy curves of that many points, to see how the studio stands it:
//   large_database large.heddle && window_bench large.heddle library stalls.json
#include "engine/spec/catalogue.h"
#include "engine/spec/run_spec.h"
#include "storage/run_store.h"

#include <QString>

#include <cmath>
#include <cstdlib>
#include <iostream>

using namespace heddle;

namespace {

constexpr std::int64_t kBlock = 4096;

storage::RunRecord record(std::int64_t number, std::int64_t steps, const RunSpec& spec) {
    storage::RunRecord run;
    run.id = QString::asprintf("%012llx", static_cast<unsigned long long>(number) + 1).toStdString();
    run.name = "run-" + std::to_string(number / 3);
    run.state = "completed";
    RunSpec own = spec;
    own.seed = std::uint64_t(number % 3 + 1);
    const std::int64_t group = number / 3;
    own.train.lr = 1e-4 * double(group + 1);
    run.spec = canonicalJson(own.toJson());
    run.variantHash = spec.variant.hash();
    run.runHash = own.hash({});
    run.seed = own.seed;
    run.created = 1.7e9 + 60.0 * double(number);
    run.attempts = 1;
    run.step = run.totalSteps = steps;
    run.epoch = 10;
    run.parameters = 1'623'661;
    run.seconds = 100;
    return run;
}

/// A loss that falls and trembles, different for each run.
float lossAt(std::int64_t step, std::int64_t run) {
    const double t = double(step);
    return float(1 + 6 * std::exp(-t / 50'000) + 0.2 * std::sin(t * 12.9898 + double(run)));
}

void addCurves(storage::RunStore& store, const storage::RunRecord& run, std::int64_t number) {
    for (std::int64_t first = 1; first <= run.step; first += kBlock) {
        storage::SeriesAppend loss{run.id, 1, "loss", "", first, 1, {}, true},
            accuracy{run.id, 1, "accuracy", "", first, 1, {}, true};
        for (std::int64_t step = first; step < first + kBlock && step <= run.step; ++step) {
            loss.values.push_back(lossAt(step, number));
            accuracy.values.push_back(0.7F / lossAt(step, number));
        }
        store.append(loss);
        store.append(accuracy);
    }
}

void addEvaluations(storage::RunStore& store, const storage::RunRecord& run, std::int64_t number) {
    for (std::int64_t epoch = 1; epoch <= run.epoch; ++epoch)
        for (const char* metric : {"loss", "accuracy"}) {
            storage::EvaluationRecord row;
            row.run = run.id;
            row.epoch = epoch;
            row.step = run.step * epoch / run.epoch;
            row.split = "valid";
            row.metric = metric;
            row.value = double(lossAt(row.step, number));
            row.n = 1000;
            store.add(row);
        }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "large_database FILE.heddle [RUNS] [POINTS]\n";
        return 2;
    }
    const std::int64_t runs = argc > 2 ? std::atoll(argv[2]) : 300, points = argc > 3 ? std::atoll(argv[3]) : 1'000'000;
    const RunSpec spec = RunSpec::parse(Json{{"preset", "eau-base"}}, builtinCatalogue());
    const auto store = storage::RunStore::open(argv[1], {"large_database", 0});
    for (std::int64_t number = 0; number < runs; ++number) {
        const bool large = number >= runs - 2;
        const auto run = record(number, large ? points : 1000, spec);
        store->begin();
        store->addRun(run);
        storage::AttemptRecord attempt;
        attempt.run = run.id;
        attempt.device = "cpu";
        store->addAttempt(attempt);
        addCurves(*store, run, number);
        addEvaluations(*store, run, number);
        store->commit(storage::RunStore::Durability::Normal);
    }
    std::cout << runs << " runs in " << argv[1] << "\n";
    return 0;
}
