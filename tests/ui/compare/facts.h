// SPDX-License-Identifier: GPL-3.0-or-later
// Runs for tests, in memory or in a small database of their own.
#pragma once

#include "engine/base/temporary_folder.h"
#include "storage/run_store.h"
#include "tests/ui/support/offscreen.h"
#include "tests/ui/support/run_refs.h"
#include "ui/data/run_facts.h"

#include <memory>
#include <string>

namespace heddle::ui::test {

struct RunWish {
    std::string id, name = "base", variant = "v1", state = "completed";
    std::uint64_t seed = 1;
    double loss = 2;  ///< best valid loss
    int d = 64;
    std::vector<std::string> tags = {};
    int database = 1;  ///< number of the database that it is in
};

inline storage::RunRecord recordOf(const RunWish& wish) {
    storage::RunRecord run;
    run.id = wish.id;
    run.name = wish.name;
    run.state = wish.state;
    run.seed = wish.seed;
    run.variantHash = run.runHash = wish.variant;
    run.tags = wish.tags;
    run.parameters = std::int64_t{1000} * wish.d;
    run.created = 1.7e9 + double(wish.seed);
    run.epoch = 3;
    run.step = 300;
    run.seconds = 65;
    run.spec =
        Json{{"schema", 1}, {"seed", wish.seed}, {"name", wish.name}, {"variant", {{"dims", {{"d", wish.d}, {"heads", 4}}}}}}
            .dump();
    return run;
}

inline RunPointer factsOf(const RunWish& wish) {
    auto facts = std::make_shared<RunFacts>();
    facts->record = Run(recordOf(wish), wish.database);
    facts->record.groupKey = wish.variant;
    facts->settings = std::make_shared<const Leaves>(Leaves{{"train.lr", 0.01}, {"train.batch.tokens", 512}});
    facts->variant = std::make_shared<const Leaves>(
        Leaves{{"variant.dims.d", wish.d}, {"variant.encoder.layers.0.self.residual.kind", wish.d > 64 ? "grc" : "add"}});
    facts->metrics["valid.loss"] = {wish.loss, wish.loss + 0.5, 100, 300, 2604, "ce:nats"};
    facts->evaluations["valid.loss"] = {{100, wish.loss}, {200, wish.loss + 0.25}, {300, wish.loss + 0.5}};
    facts->searchText =
        QString::fromStdString(wish.name + "\n" + wish.state + "\n" + wish.id + "\n" + facts->record.spec).toLower();
    for (const auto& tag : wish.tags) facts->searchText += QLatin1Char('\n') + QString::fromStdString(tag);
    facts->setMeasured();
    return facts;
}

/// Puts a changed copy in the place of facts.
template <class Edit>
void change(RunPointer& run, const Edit& edit) {
    auto changed = std::make_shared<RunFacts>(*run);
    edit(*changed);
    changed->setMeasured();
    run = changed;
}

/// Two variants: "base" with three seeds (one of them running) and "wide" with one.
inline RunTable smallTable() {
    RunTable table;
    table.runs = {factsOf({"a10000000000", "base", "v1", "completed", 1, 2.0}),
                  factsOf({"a20000000000", "base", "v1", "completed", 2, 3.0}),
                  factsOf({"a30000000000", "base", "v1", "running", 3, 9.0}),
                  factsOf({"b10000000000", "wide", "v2", "completed", 1, 1.0, 128, {"paper"}})};
    table.paths = {"train.batch.tokens", "train.lr", "variant.dims.d", "variant.encoder.layers.0.self.residual.kind"};
    table.varying = {"variant.dims.d", "variant.encoder.layers.0.self.residual.kind"};
    table.metrics = {"valid.loss"};
    table.total = 4;
    return table;
}

/// A folder with a database, gone with the object.
class Database {
public:
    const std::string& folder() const { return folder_.path(); }
    std::string file() const { return folder_ / "runs.heddle"; }
    storage::RunStore& store() { return *store_; }
    /// Ends writing: everything stands in the file.
    void close() { store_.reset(); }

    /// A run with three evaluations of the valid loss and 300 steps of the train loss.
    void add(const RunWish& wish) {
        store_->addRun(recordOf(wish));
        for (int i = 1; i <= 3; ++i) {
            const double value = i == 1 ? wish.loss : wish.loss + 0.1 * i;
            store_->add(
                storage::EvaluationRecord{wish.id, 1, std::int64_t{100} * i, i, "valid", "loss", "ce:nats", value, 2604, 0.5});
        }
        storage::SeriesAppend series;
        series.run = wish.id;
        series.name = "loss";
        series.firstStep = 1;
        for (int i = 0; i < 300; ++i) series.values.push_back(float(wish.loss + 3.0 / (1 + i)));
        store_->append(series);
    }
    /// Reads of the run's evaluations fail from now on: it has one with a name that is longer than any that is read.
    void spoilEvaluations(const std::string& run) {
        const std::string split(std::size_t{17} << 20, 'x');
        store_->add(storage::EvaluationRecord{run, 1, 400, 4, split, "loss", "ce:nats", 1, 2604, 0.5});
    }

private:
    TemporaryFolder folder_;
    std::unique_ptr<storage::RunStore> store_ = storage::RunStore::open(file(), {"ui test", 0});
};

}  // namespace heddle::ui::test
