// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of the variant that a draft is drawn over: the menu and the session.
#include "tests/ui/compose/open_page.h"
#include "ui/pages/compose/diagram/diagram_view.h"

#include <QMenu>
#include <QToolButton>

namespace heddle::ui::test {

class OverMenu : public OpenPage {
protected:
    /// An entry by its object name, or by the name of its preset, variant or run; null: there is none.
    QAction* entry(const char* name) {
        auto* menu = named<QToolButton>(page(), "overButton").menu();
        Q_EMIT menu->aboutToShow();
        if (auto* fixed = findNamed<QAction>(*menu, name)) return fixed;
        for (QAction* part : menu->actions())
            for (QAction* each : part->menu() ? part->menu()->actions() : QList<QAction*>())
                if (each->text() == text(name)) return each;
        return nullptr;
    }
    QString over() { return page().diagram().diagram().over; }
    /// The text of each layer and slot for screen readers.
    QStringList accessibleText() {
        QStringList all;
        for (const auto* part : page().diagram().parts()) all << part->accessibleText();
        return all;
    }
};

TEST_F(OverMenu, TheBaselineOrAPresetIsChosenAndUpdatedByEdits) {
    EXPECT_EQ(over(), QString());
    ASSERT_NE(entry("overBaseline"), nullptr);
    entry("overBaseline")->trigger();
    EXPECT_EQ(over(), text("base"));
    const auto change = [&](const char* path) {
        const auto& diagram = page().diagram().diagram();
        return diagram.box(diagram.boxOf(site(path))).change;
    };
    EXPECT_EQ(change("encoder.self.adjuster"), DiagramChange::New);
    draft().apply({"encoder.self.adjuster=none"}, text("none"));
    EXPECT_EQ(change("encoder.self.adjuster"), DiagramChange::None);
    ASSERT_NE(entry("thesis-G2"), nullptr);
    entry("thesis-G2")->trigger();
    ASSERT_TRUE(settle());
    EXPECT_EQ(over(), text("thesis-G2"));
    EXPECT_EQ(change("encoder.self.score"), DiagramChange::Missing);
    EXPECT_TRUE(entry("thesis-G2")->isChecked());
    actionNamed(page().viewActions(), "markDifferences").trigger();
    EXPECT_EQ(over(), QString()) << "no marks, no other variant";
    entry("overNothing")->trigger();
    actionNamed(page().viewActions(), "markDifferences").trigger();
    EXPECT_EQ(over(), QString());
    EXPECT_EQ(draft().history().count(), 1) << "drawing over a variant is not an edit";
}

TEST_F(OverMenu, AMenuThatIsFilledAgainHasNoOldEntries) {
    const auto* menu = named<QToolButton>(page(), "overButton").menu();
    entry("overNothing");
    const auto parts = menu->findChildren<QMenu*>().size();
    EXPECT_GT(parts, 0);
    entry("overNothing");
    EXPECT_EQ(menu->findChildren<QMenu*>().size(), parts);
}

TEST_F(OverMenu, MissingPartsAreReachedAndDescribed) {
    Json deep = small();
    deep["dims"]["layers_enc"] = 4;
    draft().setBaseline(deep, text("deep"));
    entry("overBaseline")->trigger();
    DiagramView& view = page().diagram();
    // 33,088 of the MLP, 4,160 of the GRC, 128 of the norm.
    EXPECT_TRUE(accessibleText().contains(text("encoder layers 2–3 ffn, Feed-forward, 37,376 parameters, only in deep")))
        << accessibleText().join(QLatin1Char('\n')).toStdString();
    const auto before = draft().site();
    for (const auto* part : view.parts())
        if (part->box() && part->box()->isAbsent) view.press(*part);
    EXPECT_EQ(draft().site(), before) << "a missing part cannot be edited";
}

TEST_F(OverMenu, AMovedSublayerIsDescribed) {
    entry("overBaseline")->trigger();
    draft().moveSublayer({"encoder", "ffn"}, 0);
    ASSERT_TRUE(draft().problems().empty()) << draft().problems().front().what;
    EXPECT_EQ(accessibleText().filter(text("moved, in base: Self-attention (place 1 of 2)")).size(), 1)
        << accessibleText().join(QLatin1Char('\n')).toStdString();
}

/// The page in a later session.
class OverSession : public OverMenu {
protected:
    void SetUp() override {
        store_ = openStore();
        OverMenu::SetUp();
    }
    void addRun(const char* id, const std::string& spec = Json{{"schema", 1}, {"variant", {{"preset", "eau-base"}}}}.dump()) {
        storage::RunRecord run = completedRun(id, "trained", spec);
        run.variantHash = "v1";
        store_->addRun(run);
    }
    void open() {
        openDatabase();
        ASSERT_TRUE(settle());
    }
    /// Opens the database, waits until the menu lists the entry, and chooses it.
    void choose(const char* words) {
        open();
        ASSERT_TRUE(waitUntil([&] { return entry(words) != nullptr; }));
        entry(words)->trigger();
        ASSERT_TRUE(settle());
        EXPECT_TRUE(entry(words)->isChecked());
    }
    /// Restores a session in which the draft was drawn over the run.
    void restoreRun() {
        settings_.setValue(text("compose/over"), text("run"));
        settings_.setValue(text("compose/overName"), text("trained"));
        settings_.setValue(text("compose/overRun"), text("0123456789ab"));
        page().restoreSession(settings_);
    }
    ComposePage& again() {
        save(page(), settings_);
        later_ = std::make_unique<ComposePage>(studio_);
        later_->restoreSession(settings_);
        later_->setShown(true);
        EXPECT_TRUE(waitUntil([&] { return later_->isSettled(); }));
        return *later_;
    }
    static QString over(ComposePage& page) { return page.diagram().diagram().over; }
    void TearDown() override { later_.reset(); }

    std::unique_ptr<storage::RunStore> store_;
    std::unique_ptr<ComposePage> later_;
};

TEST_F(OverSession, TheBaselineIsRestored) {
    entry("overBaseline")->trigger();
    EXPECT_EQ(over(again()), text("base"));
}

TEST_F(OverSession, APresetIsRestoredWithoutADatabase) {
    entry("thesis-G2")->trigger();
    ASSERT_TRUE(settle());
    ComposePage& page = again();
    EXPECT_TRUE(waitUntil([&] { return over(page) == text("thesis-G2"); }));
    EXPECT_EQ(shownMessage(page), QString());
    settings_.setValue(text("compose/overName"), text("thesis-G99"));
    ComposePage gone(studio_);
    gone.restoreSession(settings_);
    EXPECT_TRUE(waitUntil([&] { return shownMessage(gone) == text("The preset thesis-G99 no longer exists."); }));
    EXPECT_EQ(over(gone), QString());
}

TEST_F(OverSession, ASavedVariantIsRestoredUntilItIsDeleted) {
    store_->putItem("variant", "mine", Json{{"preset", "eau-base"}}.dump());
    choose("mine");
    ComposePage& page = again();
    EXPECT_TRUE(waitUntil([&] { return over(page) == text("mine"); }));
    store_->removeItem("variant", "mine");
    ComposePage gone(studio_);
    gone.restoreSession(settings_);
    gone.setShown(true);
    EXPECT_TRUE(waitUntil([&] { return shownMessage(gone) == text("The variant mine is not saved in this database."); }))
        << shownMessage(gone).toStdString();
    EXPECT_EQ(over(gone), QString());
    save(gone, settings_);
    EXPECT_EQ(settings_.value(text("compose/over")).toString(), QString());
}

TEST_F(OverSession, ARunIsRestoredUntilItIsDeleted) {
    addRun("0123456789ab");
    choose("trained");
    ComposePage& page = again();
    EXPECT_TRUE(waitUntil([&] { return over(page) == text("trained"); }));
    settings_.setValue(text("compose/overRun"), text("ffffffffffff"));
    ComposePage gone(studio_);
    gone.restoreSession(settings_);
    EXPECT_TRUE(waitUntil([&] { return shownMessage(gone) == text("No open database has the run trained."); }));
    EXPECT_EQ(over(gone), QString());
}

TEST_F(OverSession, ARunWithADamagedSpecificationIsNotReportedAsMissing) {
    addRun("0123456789ab", "{\"schema\":");
    restoreRun();
    open();
    EXPECT_TRUE(waitUntil([&] { return shownMessage(page()) == text("The specification of the run trained is damaged."); }))
        << shownMessage(page()).toStdString();
    EXPECT_EQ(over(page()), QString());
}

TEST_F(OverSession, TheChoiceOfARunIsKeptUntilADatabaseIsOpen) {
    addRun("0123456789ab");
    restoreRun();
    ASSERT_TRUE(settle());
    EXPECT_EQ(over(page()), QString());
    EXPECT_EQ(shownMessage(page()), QString()) << "no database was searched yet";
    save(page(), settings_);
    EXPECT_EQ(settings_.value(text("compose/over")).toString(), text("run")) << "the pending choice is kept";
    open();
    EXPECT_TRUE(waitUntil([&] { return over(page()) == text("trained"); }));
}

}  // namespace heddle::ui::test
