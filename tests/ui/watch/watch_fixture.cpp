// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/watch/watch_fixture.h"

namespace heddle::ui::test {

storage::HistogramRecord gateOf(const std::string& run, std::int64_t step, const std::string& path) {
    storage::HistogramRecord gate;
    gate.run = run;
    gate.step = step;
    gate.name = "gate";
    gate.path = path;
    gate.bins.assign(64, 10);
    return gate;
}

WatchTest::WatchTest() {
    Theme::instance().setAppearance(Appearance::Light);
    file_ = folder_.filePath(text("runs.heddle")).toStdString();
    store_ = storage::RunStore::open(file_, {"test", 0});
    settings_ = std::make_unique<QSettings>(folder_.filePath(text("settings.ini")), QSettings::IniFormat);
}

void WatchTest::add(const Made& made) {
    storage::RunRecord run;
    run.id = made.id;
    run.name = made.name;
    run.state = made.state;
    run.spec = R"({"schema":1,"variant":{"preset":"eau-full"},"train":{"label_smoothing":0.1}})";
    run.variantHash = run.runHash = made.hash;
    run.seed = 4;
    run.created = made.created;
    run.attempts = 1;
    run.step = made.steps;
    run.totalSteps = 1000;
    store_->addRun(run);
    storage::AttemptRecord attempt;
    attempt.run = made.id;
    attempt.started = made.created;
    attempt.context = R"({"steps_per_epoch":100})";
    store_->addAttempt(attempt);
    if (made.steps == 0) return;
    append(made.id, "loss", 1, made.steps, 4);
    append(made.id, "accuracy", 1, made.steps, 0.5);
    append(made.id, "step_seconds", 1, made.steps, 0.1);
    append(made.id, "tokens_per_second", 1, made.steps, 5000);
    for (std::int64_t step = 100; step <= made.steps; step += 100) {
        store_->add(storage::EvaluationRecord{made.id, 1, step, step / 100, "valid", "loss", "ce:nats|smoothing:0|per:token",
                                              5.0 - double(step) / 1000, 10, 1});
        store_->add(storage::EvaluationRecord{made.id, 1, step, step / 100, "valid", "accuracy", "teacher-forced|per:token",
                                              0.25, 10, 1});
    }
    store_->add(storage::EventRecord{made.id, 1, 0, 0, made.created, "state", "running", R"({"reason":"started"})"});
    if (made.snapshots) addSnapshots(made);
}

void WatchTest::append(const std::string& run, const std::string& series, std::int64_t first, std::int64_t last, double scale,
                       std::int64_t attempt) {
    storage::SeriesAppend rows;
    rows.run = run;
    rows.attempt = attempt;
    rows.name = series;
    rows.firstStep = first;
    for (std::int64_t step = first; step <= last; ++step) rows.values.push_back(float(scale * (1 + 1.0 / double(step))));
    store_->append(rows);
}

void WatchTest::addSnapshots(const Made& made) {
    for (const std::int64_t step : {1, 100, 200, 300, 400}) {
        if (step > made.steps) break;
        for (const char* path : {"encoder.layers.0.self", "decoder.layers.0.cross"}) {
            storage::MapRecord map{made.id, 1, step, "weight", path, 0, 2, 2, 3, {}, {"<sos>", "ein"}, {"a", "man", "<eos>"}};
            for (int i = 0; i < 12; ++i) map.values.push_back(float(i) / 12);
            store_->add(map);
            storage::HistogramRecord gate = gateOf(made.id, step, std::string(path) + ".residual");
            gate.mean = 0.5 + double(step) / 1000;
            store_->add(gate);
        }
        store_->add(
            storage::SampleRecord{made.id, 1, step, 0, "a man", "ein Mann", "ein Mann an Schritt " + std::to_string(step)});
    }
    for (const auto& [path, share] : {std::pair("", 0.05), std::pair("encoder.layers.0.self.residual", 0.10),
                                      std::pair("encoder.layers.0.ffn.residual", 0.20), std::pair("head", 0.02)}) {
        storage::SeriesAppend shares;
        shares.run = made.id;
        shares.name = "near_zero@0.001";
        shares.path = path;
        shares.firstStep = 100;
        shares.stride = 100;
        for (std::int64_t step = 100; step <= made.steps; step += 100) shares.values.push_back(float(share));
        store_->append(shares);
    }
}

WatchPage& WatchTest::open() {
    studio_ = std::make_unique<Studio>([this](const QString&) { return &control_; }, *settings_);
    page_ = std::make_unique<WatchPage>(*studio_);
    page_->resize(1376, 816);
    page_->show();
    page_->setShown(true);
    bool opened = false;
    QObject::connect(&studio_->databases(), &Databases::opened, page_.get(), [&] { opened = true; });
    studio_->open(QString::fromStdString(file_));
    EXPECT_TRUE(waitUntil([&] { return opened; }));
    EXPECT_TRUE(settle());
    return *page_;
}

bool WatchTest::settle() {
    return waitUntilSettled([this] { return page_->isSettled(); });
}

}  // namespace heddle::ui::test
