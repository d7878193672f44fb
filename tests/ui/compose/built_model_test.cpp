// SPDX-License-Identifier: GPL-3.0-or-later
// The diagram of a run: drawn from its spec, counted with the sizes that its model was built with.
#include "ui/pages/compose/draft/built_model.h"
#include "engine/run/event_words.h"
#include "engine/spec/variant_spec.h"
#include "storage/run_store.h"
#include "tests/ui/compose/open_page.h"
#include "ui/pages/first_run.h"
#include "ui/text/number.h"

#include <QLabel>
#include <QSignalSpy>

#include <algorithm>
#include <filesystem>

namespace heddle::ui::test {
namespace {

constexpr char kRun[] = "0123456789ab";

void addAttempt(storage::RunStore& store, const std::string& context) {
    storage::AttemptRecord attempt;
    attempt.run = kRun;
    attempt.context = context;
    store.addAttempt(attempt);
}

class RunDiagram : public OpenPage {
protected:
    void SetUp() override {
        store_ = openStore();
        OpenPage::SetUp();
        spec_ = {{"schema", 1}, {"variant", small()}};
        parameters_ = factsOf(spec_, {1234, 2345})->cost.parameters;
    }
    /// The list of modules that an attempt records.
    std::vector<BuiltModule> modules() {
        std::vector<BuiltModule> modules;
        const Facts facts = factsOf(spec_, {1234, 2345});
        for (const ModuleCost& module : facts->cost.modules) modules.push_back({module.path, "", module.parameters});
        forEachBlock(facts->variant, [&](const auto& path, const auto&, const BlockChoice& choice, const BlockContext&) {
            for (BuiltModule& module : modules)
                if (module.path == path) module.block = choice.id;
        });
        return modules;
    }
    void addModel(const std::vector<BuiltModule>& modules) {
        const EventWords words = wordsOf(ModelBuilt{modules});
        store_->add(storage::EventRecord{kRun, 1, 0, 0, 0, words.kind, words.text, words.data.dump(), false});
    }
    /// Adds a run whose data had 1234 and 2345 words, and opens the database.
    void add(std::int64_t parameters) {
        storage::RunRecord run = completedRun(kRun, "trained", spec_.dump());
        run.parameters = parameters;
        run.attempts = 1;
        store_->addRun(run);
        addAttempt(*store_, R"({"vocab_source":1234,"vocab_target":2345})");
        openDatabase();
        ASSERT_TRUE(waitUntil([&] { return studio_.databases().runs().size() == 1; }));
    }
    void composeRun() { studio_.compose(spec_, text("trained"), studio_.databases().runWithId(kRun)->ref); }
    QString said() { return shownMessage(page()); }
    /// The whole text of the message.
    QString words() {
        QStringList words;
        for (const auto* label : page().findChild<MessageStrip*>()->findChildren<QLabel*>()) words << label->text();
        return words.join(QLatin1Char(' '));
    }

    std::unique_ptr<storage::RunStore> store_;
    Json spec_;
    std::int64_t parameters_ = 0;
};

}  // namespace

TEST_F(RunDiagram, TheSampleIsOfferedOnceInADatabaseWithoutRuns) {
    openDatabase();
    ASSERT_TRUE(waitUntil([&] { return findNamed<QPushButton>(page(), "trainSample") != nullptr; }));
    EXPECT_TRUE(words().contains(sampleWords()));
    QSignalSpy gone(&studio_, &Studio::pageRequested);
    named<QPushButton>(page(), "trainSample").click();
    ASSERT_TRUE(waitUntil([&] { return control_.specs().size() == 2; }));
    EXPECT_EQ(gone.size(), 1);
    EXPECT_EQ(said(), QString());
    page().setShown(false);
    page().setShown(true);
    EXPECT_EQ(said(), QString()) << "the offer was already made";
}

TEST_F(RunDiagram, TheOfferIsClosedWhenARunStarts) {
    openDatabase();
    ASSERT_TRUE(waitUntil([&] { return findNamed<QPushButton>(page(), "trainSample") != nullptr; }));
    storage::RunRecord run;
    run.id = kRun;
    run.state = "queued";
    store_->addRun(run);
    EXPECT_TRUE(waitUntil([&] { return said().isEmpty(); }));
}

TEST_F(RunDiagram, ARunIsCountedAsItWasBuilt) {
    add(parameters_);
    const auto assumed = draft().facts()->cost.parameters;
    composeRun();
    ASSERT_TRUE(waitUntil([&] { return said().contains(text("as it was built")); })) << said().toStdString();
    EXPECT_EQ(draft().name(), text("trained"));
    EXPECT_EQ(total("parametersNote"), QString()) << "the same number is not shown twice";
    EXPECT_EQ(draft().facts()->cost.parameters, parameters_);
    EXPECT_NE(parameters_, assumed);
    EXPECT_EQ(draft().document()["variant"].value("dims", Json()).value("vocab_src", Json()), Json())
        << "the spec is not edited";
    EXPECT_FALSE(draft().isModified());
}

TEST_F(RunDiagram, AnUnsavedDraftCanBeReturnedTo) {
    add(parameters_);
    draft().apply({"dims.f=300"}, text("f"));
    composeRun();
    ASSERT_TRUE(waitUntil([&] { return said().contains(text("as it was built")); }));
    named<QPushButton>(page(), "returnToDraft").click();
    EXPECT_EQ(draft().facts()->variant.dims.f, 300);
}

TEST_F(RunDiagram, AModelOfAnotherSizeIsReported) {
    add(parameters_ + 7);
    composeRun();
    EXPECT_TRUE(waitUntil([&] { return said().contains(text("its specification gives")); })) << said().toStdString();
    const QString note = text("≠ %1 in the run").arg(count(parameters_ + 7));
    EXPECT_EQ(total("parametersValue"), count(parameters_));
    EXPECT_EQ(total("parametersNote"), note);
    draft().apply({"dims.f=300"}, text("f"));
    EXPECT_EQ(total("parametersNote"), QString()) << "not the variant of the run";
    draft().history().undo();
    EXPECT_EQ(total("parametersNote"), note);
    page().drafts().open(small(), text("trained"));
    EXPECT_EQ(total("parametersNote"), QString()) << "a draft of the same name";
}

TEST_F(RunDiagram, TheBuiltModulesAreComparedWithTheSpecification) {
    add(parameters_);
    addModel(modules());
    composeRun();
    EXPECT_TRUE(waitUntil([&] { return said().contains(text("as it was built")); })) << said().toStdString();
}

TEST_F(RunDiagram, AModuleThatWasBuiltDifferentlyIsNamed) {
    std::vector<BuiltModule> built = modules();
    const auto at = [&](const std::string& end) {
        return std::find_if(built.begin(), built.end(), [&](const auto& module) { return module.path.ends_with(end); });
    };
    const auto norm = at("layers.0.self.norm"), residual = at("layers.0.self.residual");
    ASSERT_NE(norm, built.end());
    ASSERT_NE(residual, built.end());
    const BuiltModule before = *norm;
    norm->block = "older";
    const std::string missing = residual->path;
    built.erase(residual);
    built.push_back({"encoder.gone", "old", 0});
    add(parameters_);
    addModel(built);
    composeRun();
    ASSERT_TRUE(waitUntil([&] { return said().contains(text("built with other modules")); })) << said().toStdString();
    const QString all = words();
    EXPECT_TRUE(all.contains(text("%1: the run has older with %2, the specification gives %3 with %2")
                                 .arg(text(before.path.c_str()), count(before.parameters), text(before.block.c_str()))))
        << all.toStdString();
    EXPECT_TRUE(all.contains(text(missing.c_str()) + text(": the run has no module"))) << all.toStdString();
    EXPECT_TRUE(all.contains(text("and 1 more module"))) << all.toStdString();
}

TEST_F(RunDiagram, AListThatCannotBeReadIsIgnored) {
    add(parameters_);
    const std::string file = databaseFile();
    for (const char* data : {"", "7", R"({"modules":7})", R"({"modules":[7]})", R"({"modules":[{"path":7}]})"}) {
        store_->add(storage::EventRecord{kRun, 1, 0, 0, 0, kModelEvent, "built", data, false});
        EXPECT_TRUE(readBuiltModel(*storage::RunQuery::open(file), kRun).value().modules.empty()) << data;
    }
    addModel(modules());
    EXPECT_EQ(readBuiltModel(*storage::RunQuery::open(file), kRun).value().modules, modules());
}

TEST_F(RunDiagram, ARunThatWasNeverBuiltDoesNotChangeTheSizes) {
    for (const char* context : {"", "7", "{}", R"({"vocab_source":"many"})"}) {
        auto query = [&] {
            const std::string file = folder_.filePath(text("other.heddle")).toStdString();
            std::filesystem::remove(file);
            auto store = storage::RunStore::open(file, {"test", 0});
            storage::RunRecord run;
            run.id = kRun;
            store->addRun(run);
            addAttempt(*store, context);
            store.reset();
            return storage::RunQuery::open(file);
        }();
        EXPECT_FALSE(readBuiltModel(*query, kRun)) << context;
        EXPECT_FALSE(readBuiltModel(*query, "ffffffffffff"));
    }
}

}  // namespace heddle::ui::test
