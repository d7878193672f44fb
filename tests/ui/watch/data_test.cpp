// SPDX-License-Identifier: GPL-3.0-or-later
// What is made of the stored rows before anything is drawn.
#include "engine/run/event_words.h"
#include "tests/ui/watch/watch_fixture.h"
#include "ui/data/exposures.h"
#include "ui/data/gate_data.h"
#include "ui/data/sentence_maps.h"
#include "ui/data/series_store.h"
#include "ui/data/sparsity_data.h"
#include "ui/pages/watch/state_strip.h"
#include "ui/pages/watch/x_axis.h"
#include "ui/panels/attention_panel.h"

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;
using namespace heddle::ui::watch;
using testing::ElementsAre;

TEST_F(WatchTest, ReadsOnlyWhatIsNew) {
    add({});
    const SeriesId id{refOf(kRun), "loss", "", 1};
    const SeriesState first = readOn(*query(), id, {}, query()->attempts(kRun));
    EXPECT_TRUE(first.complete);
    EXPECT_EQ(first.rows->size(), 400);
    append(kRun, "loss", 401, 410, 4);
    const SeriesState second = readOn(*query(), id, first, query()->attempts(kRun));
    EXPECT_EQ(second.rows->size(), 410);
    EXPECT_EQ(second.generation, first.generation) << "rows were only added";
    EXPECT_EQ(first.rows->size(), 400) << "who draws the old rows keeps them";
    EXPECT_EQ(readOn(*query(), id, second, query()->attempts(kRun)).rows, second.rows) << "nothing new costs nothing";
}

TEST_F(WatchTest, EvaluationsAndMeansOfStretchesAreSeriesToo) {
    add({});
    const SeriesId valid{refOf(kRun), "valid.loss", "", 1, SeriesId::Source::Evaluations};
    const SeriesId means{refOf(kRun), "accuracy", "", 100, SeriesId::Source::Means};
    const SeriesState first = readOn(*query(), valid, {}, {});
    EXPECT_TRUE(first.complete);
    ASSERT_EQ(first.rows->size(), 4);
    EXPECT_NEAR(first.rows->at(3).value, 4.6, 1e-6);
    EXPECT_EQ(readOn(*query(), valid, first, {}).rows, first.rows) << "nothing new is no news";
    store_->add(storage::EvaluationRecord{kRun, 1, 500, 5, "valid", "loss", "ce", 4.5, 10, 1});
    const SeriesState second = readOn(*query(), valid, first, {});
    EXPECT_EQ(second.rows->size(), 5);
    EXPECT_EQ(second.generation, first.generation) << "rows were only added";
    store_->add(storage::EvaluationRecord{kRun, 2, 300, 3, "valid", "loss", "ce", 9, 10, 1});
    EXPECT_NE(readOn(*query(), valid, second, {}).generation, second.generation) << "a later attempt says otherwise";
    EXPECT_EQ(readOn(*query(), means, {}, {}).rows->range().last, 400);
    EXPECT_NEAR(readOn(*query(), means, {}, {}).rows->nearest(400)->value, 50, 1) << "times the factor";
}

TEST_F(WatchTest, AMillionRowsAreReadInSlices) {
    add({.steps = 1});
    for (std::int64_t first = 2; first <= 250'000; first += 50'000) append(kRun, "loss", first, first + 49'999, 4);
    SeriesState state;
    int slices = 0;
    while (!state.complete && slices < 10) {
        const auto before = state.rows->size();
        state = readOn(*query(), {refOf(kRun), "loss", "", 1}, state, query()->attempts(kRun));
        EXPECT_LE(state.rows->size() - before, kSeriesSlice);
        ++slices;
    }
    EXPECT_EQ(slices, 3);
    EXPECT_EQ(state.rows->size(), 250'001);
}

TEST_F(WatchTest, AStoreReadsALongSeriesToItsEndWhenAskedOnce) {
    add({.steps = 1});
    for (std::int64_t first = 2; first <= 250'000; first += 50'000) append(kRun, "loss", first, first + 49'999, 4);
    Studio studio([](const QString&) { return nullptr; }, *settings_);
    studio.open(QString::fromStdString(file_));
    ASSERT_TRUE(waitUntil([&] { return studio.databases().run(refOf(kRun)) != nullptr; }));
    SeriesStore store(studio.databases(), nullptr);
    const SeriesId id{refOf(kRun), "loss", "", 1};
    store.setWanted({id});
    store.refresh();
    EXPECT_TRUE(waitUntil([&] { return store.rows(id)->size() == 250'001; })) << store.rows(id)->size();
}

TEST_F(WatchTest, AResumedAttemptReplacesItsSteps) {
    add({});
    const SeriesId id{refOf(kRun), "loss", "", 1};
    SeriesState state = readOn(*query(), id, {}, query()->attempts(kRun));
    storage::AttemptRecord again;
    again.run = kRun;
    again.attempt = 2;
    again.firstStep = 300;
    store_->addAttempt(again);
    append(kRun, "loss", 301, 350, 40, 2);
    const auto readAll = [&] {
        do state = readOn(*query(), id, state, query()->attempts(kRun));
        while (!state.complete);
    };
    const int before = state.generation;
    readAll();
    EXPECT_NE(state.generation, before);
    EXPECT_EQ(state.rows->size(), 400);
    EXPECT_NEAR(state.rows->nearest(320)->value, 40, 1) << "the newest attempt's";
    EXPECT_NEAR(state.rows->nearest(380)->value, 4, 1) << "not reached again yet";
    EXPECT_NEAR(state.rows->nearest(300)->value, 4, 1);
    append(kRun, "loss", 351, 420, 40, 2);
    readAll();
    EXPECT_EQ(state.rows->size(), 420);
    EXPECT_NEAR(state.rows->nearest(380)->value, 40, 1);
    const int settled = state.generation;
    append(kRun, "loss", 421, 430, 40, 2);
    readAll();
    EXPECT_EQ(state.rows->size(), 430);
    EXPECT_EQ(state.generation, settled) << "beyond the old attempt rows are only added";
}

TEST_F(WatchTest, DetailKnowsSnapshotsEpochsAndEvaluations) {
    add({});
    const auto detail = readDetail(*query(), refOf(kRun));
    ASSERT_TRUE(detail);
    EXPECT_THAT(detail->snapshotSteps, ElementsAre(1, 100, 200, 300, 400));
    EXPECT_EQ(detail->epochOf(100), 1);
    EXPECT_EQ(detail->epochOf(101), 2);
    EXPECT_DOUBLE_EQ(*detail->evaluatedAt("valid", "loss", 250), 4.8);
    EXPECT_FALSE(detail->evaluatedAt("valid", "loss", 50));
    EXPECT_DOUBLE_EQ(*detail->evaluatedAt("valid", "loss", 499), 4.6) << "it trains; the next evaluation is due at 500";
    EXPECT_FALSE(detail->evaluatedAt("valid", "loss", 500));
    EXPECT_FALSE(detail->evaluatedAt("valid", "loss", 1133));
    ASSERT_TRUE(detail->counted("loss"));
    EXPECT_EQ(detail->counted("loss")->per, "token");
    EXPECT_FALSE(detail->counted("no such metric"));
    EXPECT_EQ(readDetail(*query(), refOf("bbbbbbbbbbbb")), nullptr);
}

TEST_F(WatchTest, DetailReadOnFromAnEarlierOneIsTheSameAsOneReadAnew) {
    add({});
    const auto before = readDetail(*query(), refOf(kRun));
    for (const std::int64_t step : {400, 500}) {  // 400 is there already, of attempt 1
        storage::HistogramRecord gate = gateOf(kRun, step);
        gate.attempt = 2;
        store_->add(gate);
    }
    const auto after = readDetail(*query(), refOf(kRun), before), anew = readDetail(*query(), refOf(kRun));
    EXPECT_EQ(after->histograms, anew->histograms);
    EXPECT_EQ(after->maps, anew->maps);
    EXPECT_THAT(after->histograms.at({"gate", "encoder.layers.0.self.residual"}), ElementsAre(1, 100, 200, 300, 400, 500));
    EXPECT_THAT(after->snapshotSteps, ElementsAre(1, 100, 200, 300, 400, 500));
    store_->thinMaps(kRun);
    EXPECT_EQ(readDetail(*query(), refOf(kRun), after)->maps, readDetail(*query(), refOf(kRun))->maps);
}

TEST_F(WatchTest, ARunThatIsOverHasNoValueBehindItsEnd) {
    add({.state = "completed", .steps = 160});
    const auto detail = readDetail(*query(), refOf(kRun));
    EXPECT_DOUBLE_EQ(*detail->evaluatedAt("valid", "loss", 160), 4.9);
    EXPECT_FALSE(detail->evaluatedAt("valid", "loss", 161));
    EXPECT_TRUE(readSparsityBeside(*query(), *detail, "0.001", 160));
    EXPECT_FALSE(readSparsityBeside(*query(), *detail, "0.001", 161));
    EXPECT_TRUE(readSparsity(*query(), *detail, "0.001", 161)) << "of the run itself: its step is named";
}

TEST(GateData, ThinsByLeavingOut) {
    std::vector<Step> steps;
    for (Step step = 0; step < 100; ++step) steps.push_back(step * 20);
    const auto few = nested(steps, 14);
    EXPECT_LE(few.size(), 14u);
    EXPECT_EQ(few.front(), 0);
    EXPECT_EQ(few.back(), 99 * 20);
    steps.push_back(2000);
    auto more = nested(steps, 14);
    more.pop_back();
    for (const Step step : more) EXPECT_TRUE(std::count(steps.begin(), steps.end(), step));
    EXPECT_EQ(std::vector<Step>(few.begin(), few.begin() + 5), std::vector<Step>(more.begin(), more.begin() + 5));
    EXPECT_THAT(upTo({1, 5, 9}, 8), ElementsAre(1, 5));
    EXPECT_THAT(nested({7}, 14), ElementsAre(7));
    EXPECT_TRUE(nested({}, 14).empty());
}

TEST_F(WatchTest, GatesAreFoundByTheirExposure) {
    add({});
    const auto detail = readDetail(*query(), refOf(kRun));
    const auto kinds = gateKinds(*detail);
    ASSERT_EQ(kinds.size(), 1u);
    EXPECT_FALSE(kinds[0].isSigned);
    EXPECT_EQ(kinds[0].paths.front(), "encoder.layers.0.self.residual") << "the encoder stands above the decoder";
    RunDetail deep;
    for (const char* path :
         {"encoder.layers.10.ffn.residual", "encoder.layers.2.ffn.residual", "encoder.layers.2.self.residual",
          "decoder.layers.0.ffn.residual", "decoder.layers.0.cross.residual"})
        deep.histograms[{"gate", path}] = {1};
    EXPECT_THAT(gateKinds(deep).front().paths,
                ElementsAre("encoder.layers.2.self.residual", "encoder.layers.2.ffn.residual", "encoder.layers.10.ffn.residual",
                            "decoder.layers.0.cross.residual", "decoder.layers.0.ffn.residual"));
    EXPECT_EQ(shortSite("encoder.layers.0.ffn.residual"), text("enc.0.ffn"));
    EXPECT_EQ(longSite("decoder.layers.1.cross"), text("decoder.layers.1.cross"));
    EXPECT_EQ(exposureOf({"log10_weight", "head.weight"}), nullptr);
}

TEST(GateData, SaturationCountsBothEndsAndBeyond) {
    storage::HistogramRecord record;
    record.bins.assign(20, 0);
    record.bins[0] = 5;
    record.bins[10] = 80;
    record.bins[19] = 5;
    record.above = 10;
    EXPECT_DOUBLE_EQ(saturated(record), 0.2);
    EXPECT_EQ(valuesOf(record), 100u);
}

TEST_F(WatchTest, SparsityOfOlderDatabasesIsTheWholeModel) {
    add({.snapshots = false});
    storage::SeriesAppend shares;
    shares.run = kRun;
    shares.name = "near_zero";
    shares.path = "eps=0.001";
    shares.firstStep = 100;
    shares.stride = 100;
    shares.values = {0.1f, 0.2f, 0.3f};
    store_->append(shares);
    const auto detail = readDetail(*query(), refOf(kRun));
    const auto found = readSparsity(*query(), *detail, "0.001", 250);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->step, 200);
    EXPECT_FLOAT_EQ(float(found->shares.at("")), 0.2f);
    EXPECT_FALSE(readSparsity(*query(), *detail, "0.01", 250));
    EXPECT_FALSE(readSparsity(*query(), *detail, "0.001", 50));
}

TEST(MapOfHead, CausalMaskIsNotDrawn) {
    storage::MapRecord record;
    record.heads = 2;
    record.rows = record.columns = 2;
    record.values = {1, 0, 0.5f, 0.5f, 0.9f, 0.1f, 0.2f, 0.8f};
    EXPECT_TRUE(headOf(record, 0).isMasked(0, 1));
    EXPECT_FALSE(headOf(record, 0).isMasked(1, 0));
    EXPECT_FALSE(headOf(record, 1).isMasked(0, 1));
    EXPECT_FLOAT_EQ(headOf(record, 1).at(0, 0), 0.9f);
}

TEST(StepAxes, AreOfferedOnlyWhereTheyCanBeReckoned) {
    Pace pace;
    EXPECT_TRUE(axisFor(XAxis::Steps, pace)->countsSteps());
    EXPECT_FALSE(axisFor(XAxis::Epoch, pace));
    EXPECT_FALSE(axisFor(XAxis::Time, pace));
    auto seconds = std::make_shared<Series>(), rates = std::make_shared<Series>();
    for (Step step = 2; step <= 1000; step += 2) {  // every second step is recorded
        seconds->append(step, 0.5);
        rates->append(step, 2000);
    }
    pace = {100, seconds, rates, text("eau s4")};
    EXPECT_DOUBLE_EQ(axisFor(XAxis::Epoch, pace)->toX(250), 2.5);
    EXPECT_NEAR(axisFor(XAxis::Time, pace)->toX(1000), 500.0 / 60, 0.01) << "minutes";
    EXPECT_NEAR(axisFor(XAxis::Tokens, pace)->toX(1000), 1.0, 0.01) << "millions";
}

TEST_F(WatchTest, InterventionsAreFlagsAndTheLastIsInForce) {
    RunDetail detail;
    EXPECT_FALSE(detail.interventions());
    const auto happened = [&](std::int64_t step, const Intervened& event) {
        const EventWords words = wordsOf(event);
        detail.events.push_back({"r", 1, step, 0, 0, words.kind, words.text, words.data.dump()});
    };
    const Intervention mute = MuteHead{"encoder.layers.0.self", 1};
    happened(20, {{mute}, {mute}, {}});
    EXPECT_EQ(detail.interventions(), (InterventionsAt{20, {mute}}));
    happened(50, {{}, {}, {mute}});
    EXPECT_EQ(detail.interventions(), (InterventionsAt{50, {}}));
    ASSERT_EQ(detail.flags().size(), 2);
    EXPECT_EQ(detail.flags()[0].kind, EventKind::Intervention);
    EXPECT_EQ(detail.flags()[1].step, 50);
    EXPECT_TRUE(detail.flags()[0].text.contains(text("mute encoder.layers.0.self:1")));
}

TEST(StateStrip, AFaultyKeyOfTheRunIsFoundWhetherItIsStatedOrNot) {
    const auto faultOf = [](const char* data) {
        RunDetail detail;
        detail.record.state = "failed";
        detail.record.spec = R"({"schema":1,"variant":{"preset":"eau-base"},"train":{"lr":1}})";
        detail.events.push_back({"r", 1, 450, 0, 0, "failure", "the loss is not a finite number", data});
        return stateWords(detail)->fault;
    };
    EXPECT_EQ(faultOf(R"({"where":"step 450","next":"lower train.lr or set train.clip"})"), "train.lr");
    EXPECT_EQ(faultOf(R"({"where":"train.batch.tokens","next":"use fewer"})"), "train.batch.tokens") << "a default";
    EXPECT_EQ(faultOf(R"({"where":"evaluate.every_steps","next":"set it above 0"})"), "evaluate.every_steps");
    EXPECT_EQ(faultOf(R"({"where":"data.tokenizer.vocab_size","next":"lower it"})"), "data.tokenizer.vocab_size");
    EXPECT_EQ(faultOf(R"({"where":"/data/train.en, line 3","next":"see train.nothing"})"), "") << "a file, and no key";
}

TEST(StateStrip, SaysWhatIsSafe) {
    RunDetail detail;
    detail.record.state = "running";
    EXPECT_FALSE(stateWords(detail));
    detail.record.state = "failed";
    detail.record.step = 450;
    detail.checkpoints.push_back({"r", 1, 400, "step", "f", "", "", "", 1});
    detail.events.push_back(
        {"r", 1, 450, 0, 0, "failure", "the loss is NaN", R"({"where":"decoder.layers.1","next":"lower lr"})"});
    const auto failed = stateWords(detail);
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->title, text("This run failed at step 450, in decoder.layers.1: the loss is NaN."));
    EXPECT_EQ(failed->text, text("Checkpoint 400 is kept; 50 steps are run again."));
    EXPECT_EQ(failed->advice, text("Lower lr."));
    EXPECT_EQ(failed->fault, "") << "a module is no key";
    EXPECT_TRUE(failed->canResume);
    ASSERT_EQ(detail.flags().size(), 1);
    EXPECT_EQ(detail.flags().first().kind, EventKind::Failure);
    detail.record.state = "interrupted";
    EXPECT_NE(stateWords(detail)->key, failed->key) << "closing one strip does not close another";
}
