// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/inspect/inspect_fixture.h"

#include "engine/base/error.h"
#include "engine/run/event_words.h"
#include "storage/run_query.h"
#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QAction>

#include <thread>

namespace heddle::ui::test {
namespace {

constexpr std::int64_t kHeads = 2;

Exposure exposure(const char* id, Exposure::Quantity quantity, const char* axes) {
    return {id, id, quantity, axes, 0, 1, true, false, true};
}

MapTaken map(const char* name, const char* path, float shift) {
    MapTaken taken;
    taken.name = name, taken.path = path;
    taken.heads = kHeads, taken.rows = 2, taken.columns = 3;
    for (int i = 0; i < 12; ++i) taken.values.push_back(shift + float(i % 3 == i % 2 ? 0.6 : 0.2));
    taken.rowTokens = {"<sos>", "ein"};
    taken.columnTokens = {"a", "man", "<eos>"};
    return taken;
}

class FakeSession final : public InspectionSession {
public:
    FakeSession(Asked& asked, ModelRef model, std::function<bool()> stopRequested)
        : asked_(asked), model_(std::move(model)), stopRequested_(std::move(stopRequested)) {
        targets_.attentions = {{"encoder.layers.0.self", kHeads}, {"decoder.layers.0.cross", kHeads}};
        targets_.exposures = {{"decoder.layers.0.cross.residual", "decoder.layers.0.cross",
                               exposure("gate", Exposure::Quantity::UnitGate, "BSD")}};
        targets_.residuals = {"encoder.layers.0.self", "decoder.layers.0.cross"};
        if (model_.run[0] == 'b') targets_.attentions.erase(targets_.attentions.begin());
    }
    const InterventionTargets& targets() override { return targets_; }
    EffectReport effect(const EffectRequest& request) override {
        note(&Asked::effects, request);
        EffectReport report{"valid", request.on.examples, {}, {}, {}, {}, 0.5};
        if (!request.interventions.empty())
            report.metrics = {{"loss", "ce", 100, 1.8, 1.971, DifferenceInterval{0.161, 0.181, 0.0001}}};
        return report;
    }
    RankReport rank(const RankRequest& request) override {
        if (asked_.cannotRank) throw Error(ErrorCode::InvalidInput, "the split is empty", "valid", "give sentences");
        note(&Asked::ranked, request);
        RankReport report{"valid", request.on.examples, {}, {}, 4, {}, 0.5};
        asked_.isRanking = true;
        while (asked_.ranksForever && !stopRequested_()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        asked_.isRanking = false;
        const int done = asked_.ranksForever ? 1 : 4;
        for (int i = 0; i < done; ++i) {
            const char* path = i < 2 ? "decoder.layers.0.cross" : "encoder.layers.0.self";
            Intervention tried = MuteHead{path, i % 2};
            if (request.ablation == RankRequest::Ablation::Mean) tried = MeanOutput{path, i % 2};
            if (request.ablation == RankRequest::Ablation::Resample) tried = ResampleOutput{path, i % 2};
            const double difference = 0.1 - i * 0.01;
            report.entries.push_back(
                {tried,
                 {"loss", "ce", 100, 1.8, 1.8 + difference, DifferenceInterval{difference - 0.001, difference + 0.001, 0.002},
                  "", DifferenceInterval{difference - 0.002, difference + 0.002, 0.002}, 0.008},
                 {}});
            if (request.progress) request.progress(i + 1, 4);
        }
        return report;
    }
    TextEffect outputs(const TextRequest& request) override {
        note(&Asked::texts, request);
        return {"ein Mann", "ein Hund", {}, {}, {}};
    }
    PatchReport patch(const PatchRequest&) override {
        throw Error(ErrorCode::Usage, "there is no other model", "--patch-from", "");
    }
    TextPatchReport patchText(const TextPatchRequest&) override {
        throw Error(ErrorCode::Usage, "this model reads no text", "--corrupt", "");
    }
    LabelsReport labels(const LabelsRequest& request) override {
        noteMeasurement(&Asked::labelled);
        LabelsReport report{"valid", request.on.examples, {}, {}, 0.5};
        for (std::int64_t head = 0; head < kHeads; ++head) {
            HeadScores self, cross;
            self.path = "encoder.layers.0.self", cross.path = "decoder.layers.0.cross";
            self.head = cross.head = head;
            self.previous = 0.9 - double(head);
            self.copying = 0.1 + 0.6 * double(head);
            cross.entropy = 1.5;
            report.heads.insert(report.heads.end(), {self, cross});
        }
        for (HeadScores& one : report.heads) one.labels = labelsOf(one);
        return report;
    }
    LensReport lens(const LensRequest& request) override {
        noteMeasurement(&Asked::lensed);
        LensReport report{"valid", request.on.examples, 3214, {}, {"half precision"}, 0.5};
        const bool isB = model_.run[0] == 'b';
        for (int i = 0; i <= (isB ? asked_.layersOfB.load() : 1); ++i)
            report.layers.push_back({i, i == 0 ? "decoder.h0" : "decoder.layers." + std::to_string(i - 1),
                                     5.0 - i - double(model_.step) / 400 + (isB ? 0.5 : 0), 0.25 * (i + 1), 0.5 * (i + 1),
                                     1.0 - i});
        return report;
    }
    Observation observe(const ObservationRequest& request) override {
        note(&Asked::observed, request);
        while (asked_.readsForever && !stopRequested_()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (request.text == "too long") throw Error(ErrorCode::InvalidInput, "the text has 99 tokens", "text", "shorten it");
        Observation made;
        made.input = request.text.empty() ? "a man" : request.text;
        made.reference = request.text.empty() ? "ein Mann" : "";
        made.output = "Schritt " + std::to_string(model_.step);
        const float shift = model_.run[0] == 'b' ? 0.05F : 0;
        made.maps = {map("weight", "encoder.layers.0.self", shift), map("weight", "decoder.layers.0.cross", shift),
                     map("score", "decoder.layers.0.cross.scorer", shift)};
        if (asked_.hasLogits) made.maps.push_back(map("logits", "decoder.layers.0.cross.score", shift));
        made.means = {{"gate", "decoder.layers.0.cross.residual", {0.25F, 0.75F}, {"<sos>", "ein"}}};
        if (asked_.hasLosses) made.losses = {{"ein", 1.5, "ein"}, {"Mann", 2.5 + double(shift), "Hund"}};
        return made;
    }

private:
    /// A stopped measurement has no answer, unlike a ranking.
    void noteMeasurement(std::vector<ModelRef> Asked::*list) {
        note(list, model_);
        asked_.isMeasuring = true;
        while (asked_.measuresForever && !stopRequested_()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        asked_.isMeasuring = false;
        if (stopRequested_()) throw Error(ErrorCode::Failure, "stopped", "", "");
        if (asked_.cannotMeasure) throw Error(ErrorCode::Usage, "the run predicts no tokens", "task", "rank its heads");
    }
    template <class Value>
    void note(std::vector<Value> Asked::*list, const Value& value) {
        const std::lock_guard lock(asked_.mutex);
        (asked_.*list).push_back(value);
    }

    Asked& asked_;
    ModelRef model_;
    std::function<bool()> stopRequested_;
    InterventionTargets targets_;
};

}  // namespace

void JournalingControl::edit(const Edit& edit) {
    const std::lock_guard lock(mutex);
    if (const auto* put = std::get_if<PutItem>(&edit)) store_->putItem(put->kind, put->key, put->body.dump());
}

void JournalingControl::ask(const std::string& run, const Json& question, std::function<void(bool, const Json&)> callback) {
    if (refuses) return callback(false, {{"what", "the run takes no further step"}, {"where", ""}, {"next", ""}});
    const std::lock_guard lock(mutex);
    const InterventionChange change = readInterventionChange(question);
    for (const Intervention& one : change.remove) std::erase(inForce_, one);
    inForce_.insert(inForce_.end(), change.add.begin(), change.add.end());
    const EventWords words = wordsOf(Intervened{inForce_, change.add, change.remove});
    auto record = *storage::RunQuery::open(file_)->run(run);
    record.intervened = 300;
    store_->add(storage::EventRecord{run, 1, 300, 0, 0, words.kind, words.text, words.data.dump()});
    store_->updateRun(record);
    callback(true, {{"step", 300}});
}

InspectTest::InspectTest() {
    Theme::instance().setAppearance(Appearance::Light);
    file_ = folder_.filePath(text("runs.heddle")).toStdString();
    store_ = storage::RunStore::open(file_, {"test", 0});
    settings_ = std::make_unique<QSettings>(folder_.filePath(text("settings.ini")), QSettings::IniFormat);
    control_ = std::make_unique<JournalingControl>(store_, file_);
    add(kA, "eau-full", 4, 2000);
    add(kB, "eau-base", 4, 1000);
}

void InspectTest::add(const char* id, const char* name, std::uint64_t seed, double created, const char* variant) {
    storage::RunRecord run;
    run.id = id;
    run.name = name;
    run.state = "completed";
    run.spec = std::string(R"({"schema":1,"variant":)") + variant + "}";
    run.variantHash = run.runHash = name;
    run.seed = seed;
    run.created = created;
    run.attempts = 1;
    run.step = run.totalSteps = 400;
    store_->addRun(run);
    storage::AttemptRecord attempt;
    attempt.run = id;
    attempt.context = R"({"steps_per_epoch":100})";
    store_->addAttempt(attempt);
    for (const std::int64_t step : {1, 100, 200, 400})
        for (const std::int64_t probe : {0, 1})
            for (const char* path : {"encoder.layers.0.self", "decoder.layers.0.cross"}) {
                const MapTaken taken = map("weight", path, float(step) / 4000);
                store_->add(storage::MapRecord{id, 1, step, "weight", path, probe, taken.heads, taken.rows, taken.columns,
                                               taken.values, taken.rowTokens, taken.columnTokens});
            }
    store_->add(storage::SampleRecord{id, 1, 400, 0, "a man", "ein Mann", "ein Mann"});
    for (const std::int64_t step : {200, 400}) {
        storage::CheckpointRecord checkpoint;
        checkpoint.run = id;
        checkpoint.step = step;
        checkpoint.kind = step == 200 ? "best" : "last";
        checkpoint.folder = std::string(id) + "/step-" + std::to_string(step);
        store_->add(checkpoint);
    }
}

void InspectTest::setState(const char* run, const char* state) {
    const std::lock_guard lock(control_->mutex);
    store_->setState(run, state, "");
}

Inspector::Opener InspectTest::opener() {
    return [this](const ModelRef& model, const std::function<bool()>& stop) -> std::unique_ptr<InspectionSession> {
        const std::lock_guard lock(asked_.mutex);
        asked_.opened.push_back(model);
        return std::make_unique<FakeSession>(asked_, model, stop);
    };
}

InspectPage& InspectTest::open(const std::function<void()>& prepare) {
    studio_ = std::make_unique<Studio>([this](const QString&) { return control_.get(); }, *settings_);
    page_ = std::make_unique<InspectPage>(*studio_, opener());
    if (prepare) prepare();
    page_->resize(1376, 816);
    page_->show();
    page_->activateWindow();
    page_->setShown(true);
    studio_->open(QString::fromStdString(file_));
    EXPECT_TRUE(waitUntil([&] { return studio_->databases().runs().size() >= 2; }));
    EXPECT_TRUE(settle());
    return *page_;
}

bool InspectTest::settle() {
    return waitUntilSettled([this] { return page_->isSettled(); });
}

void InspectTest::press(const char* objectName) {
    auto& button = named<QAbstractButton>(objectName);
    ASSERT_TRUE(button.isEnabled()) << objectName;
    button.click();
}

}  // namespace heddle::ui::test
