// SPDX-License-Identifier: GPL-3.0-or-later
// What the menus, lists and forms of Compose do, one by one.
#include "tests/ui/compose/open_page.h"
#include "ui/pages/compose/panels/dims_form.h"
#include "ui/pages/compose/plan/plan_table.h"

#include <QtTest/qtestkeyboard.h>
#include <QFileDialog>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeView>
#include <QWheelEvent>

namespace heddle::ui::test {
namespace {

class ComposeActions : public OpenPage {
protected:
    QAction& action(const char* objectName) { return named<QAction>(page(), objectName); }
    QTreeView& tree(const char* objectName) { return named<QTreeView>(page(), objectName); }
    /// The leaves of a tree of groups that begin with these words.
    static QModelIndexList leaves(const QTreeView& tree, const QString& words = {}) {
        QModelIndexList found;
        for (int g = 0; g < tree.model()->rowCount(); ++g) {
            const QModelIndex group = tree.model()->index(g, 0);
            for (int row = 0; row < tree.model()->rowCount(group); ++row)
                if (const QModelIndex leaf = tree.model()->index(row, 0, group); leaf.data().toString().startsWith(words))
                    found << leaf;
        }
        return found;
    }
    /// The menu of a preset in the list: open, pin, and delete if it is a saved one.
    QMenu& menuOf(const QModelIndex& preset) {
        tree("presets").setCurrentIndex(preset);
        Q_EMIT tree("presets").customContextMenuRequested({5, 5});
        auto& menu = the<QMenu>(named<QTabWidget>(page(), "partsTabs"));
        menu.hide();
        return menu;
    }
};

}  // namespace

TEST_F(ComposeActions, UndoAndRedoAreInTheEditMenu) {
    QAction &undo = actionNamed(page().editActions(), "undoEdit"), &redo = actionNamed(page().editActions(), "redoEdit");
    EXPECT_FALSE(undo.isEnabled() || redo.isEnabled());
    draft().apply({"dims.f=300"}, text("f"));
    ASSERT_TRUE(undo.isEnabled());
    undo.trigger();
    EXPECT_EQ(draft().document()["variant"]["dims"]["f"], 256);
    ASSERT_TRUE(redo.isEnabled());
    redo.trigger();
    EXPECT_EQ(draft().document()["variant"]["dims"]["f"], 300);
}

TEST_F(ComposeActions, TheVariantGetsTheNameThatIsTyped) {
    action("renameVariant").trigger();
    auto& dialog = the<QInputDialog>(page());
    EXPECT_EQ(dialog.textValue(), text("full"));
    dialog.setTextValue(text(" gated "));
    dialog.accept();
    EXPECT_EQ(draft().name(), text("gated"));
}

TEST_F(ComposeActions, TheDiagramIsZoomedByTheMenuAndByCtrlAndTheWheel) {
    DiagramView& view = page().diagram();
    view.setZoom(1);
    action("zoomIn").trigger();
    EXPECT_DOUBLE_EQ(view.zoom(), 1.25);
    action("zoomOut").trigger();
    EXPECT_DOUBLE_EQ(view.zoom(), 1);
    view.setZoom(2);
    action("actualSize").trigger();
    EXPECT_DOUBLE_EQ(view.zoom(), 1);
    const auto turn = [&](Qt::KeyboardModifiers modifiers) {
        const QPointF middle = view.viewport()->rect().center();
        QWheelEvent wheel(middle, view.viewport()->mapToGlobal(middle), {}, {0, 120}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(view.viewport(), &wheel);
    };
    turn(Qt::NoModifier);
    EXPECT_DOUBLE_EQ(view.zoom(), 1) << "it scrolls";
    turn(Qt::ControlModifier);
    EXPECT_DOUBLE_EQ(view.zoom(), 1.1);
}

TEST_F(ComposeActions, TheDiagramIsWrittenWhereTheDialogSays) {
    action("exportDiagram").trigger();
    auto& dialog = the<QFileDialog>(page());
    QFile file(folder_.filePath(text("diagram.svg")));
    Q_EMIT dialog.fileSelected(file.fileName());
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().contains("<svg"));
    QSignalSpy said(&studio_, &Studio::messageRequested);
    Q_EMIT dialog.fileSelected(folder_.filePath(text("no/such/folder.svg")));
    ASSERT_EQ(said.size(), 1);
    EXPECT_EQ(said[0][0].value<MessageStrip::Message>().kind, StripKind::Bad);
    dialog.reject();
}

TEST_F(ComposeActions, PresetsAreFoundByTypingAndPinnedByTheirMenu) {
    ASSERT_TRUE(waitUntil([&] { return !leaves(tree("presets"), text("realformer")).isEmpty(); }));
    const auto all = leaves(tree("presets")).size();
    named<QTabWidget>(page(), "partsTabs").setCurrentIndex(1);
    action("findPreset").trigger();
    ASSERT_TRUE(waitUntil([] { return qobject_cast<QLineEdit*>(QApplication::focusWidget()) != nullptr; }));
    QTest::keyClicks(QApplication::focusWidget(), text("realformer"));
    const QModelIndexList found = leaves(tree("presets"));
    EXPECT_LT(found.size(), all);
    ASSERT_FALSE(leaves(tree("presets"), text("realformer")).isEmpty());
    const QModelIndex preset = leaves(tree("presets"), text("realformer")).front();
    const QString name = preset.data().toString();
    QMenu& menu = menuOf(preset);
    ASSERT_EQ(menu.actions().size(), 2) << "a preset cannot be deleted";
    menu.actions().at(1)->trigger();
    EXPECT_TRUE(waitUntil([&] { return draft().baselineName() == name; })) << draft().baselineName().toStdString();
}

TEST_F(ComposeActions, ASavedVariantIsDeletedAndStaysOpenAsADraft) {
    openStore()->putItem("variant", "mine", Json{{"schema", 1}, {"variant", small()}}.dump());
    openDatabase();
    ASSERT_TRUE(waitUntil([&] { return !leaves(tree("presets"), text("mine")).isEmpty(); }));
    QMenu& menu = menuOf(leaves(tree("presets"), text("mine")).front());
    ASSERT_EQ(menu.actions().size(), 3);
    menu.actions().at(2)->trigger();
    ASSERT_TRUE(waitUntil([&] { return draft().drafts().size() == 2; }));
    EXPECT_EQ(draft().drafts().back()->name, text("mine"));
    EXPECT_EQ(draft().name(), text("full")) << "the draft that is shown stays";
    ASSERT_EQ(control_.edits().size(), 1U);
    const Edit edit = control_.edits().front();
    ASSERT_TRUE(std::holds_alternative<RemoveItem>(edit));
    EXPECT_EQ(std::get<RemoveItem>(edit).key, "mine");
    EXPECT_TRUE(shownMessage(page()).startsWith(text("mine is deleted."))) << shownMessage(page()).toStdString();
}

TEST_F(ComposeActions, ABlockOfTheListGoesIntoTheSelectedSlotElseIntoAllOfItsKind) {
    QTreeView& blocks = tree("blocks");
    QModelIndex none;
    for (const QModelIndex& leaf : leaves(blocks, text("none")))
        if (leaf.parent().data().toString() == text("adjuster")) none = leaf;
    ASSERT_TRUE(none.isValid());
    ASSERT_NE(idAt("encoder.layers.0.self.adjuster"), "none");
    draft().select(site("encoder.self.adjuster"));
    Q_EMIT blocks.activated(none);
    ASSERT_TRUE(settle());
    EXPECT_EQ(idAt("encoder.layers.0.self.adjuster"), "none");
    EXPECT_EQ(idAt("encoder.layers.1.self.adjuster"), "none");
    EXPECT_NE(idAt("decoder.layers.0.self.adjuster"), "none") << "another slot";
    draft().select(site("encoder.self.residual"));
    Q_EMIT blocks.activated(none);
    ASSERT_TRUE(settle());
    EXPECT_EQ(idAt("decoder.layers.0.self.adjuster"), "none");
    EXPECT_EQ(idAt("decoder.layers.1.cross.adjuster"), "none");
}

TEST_F(ComposeActions, ADifferenceSelectsItsSlot) {
    QTreeView& differences = tree("differences");
    draft().select(std::nullopt);
    const QModelIndexList found =
        differences.model()->match(differences.model()->index(0, 0), Qt::DisplayRole, text("adjuster"), 1, Qt::MatchContains);
    ASSERT_EQ(found.size(), 1);
    Q_EMIT differences.clicked(found.front());
    ASSERT_TRUE(draft().site());
    EXPECT_EQ(draft().site()->slot, "adjuster");
}

TEST_F(ComposeActions, AMatchedControlIsNotToldToMakeOne) {
    const auto next = [&] {
        const QAbstractItemModel& rows = *tree("problems").model();
        return rows.index(rows.rowCount() - 1, 2).data().toString();
    };
    EXPECT_EQ(next(), text("make a matched control (M)"));
    draft().replace(draft().baselineDocument(), text("control"));
    draft().apply({"dims.f=97"}, text("f"));
    ASSERT_TRUE(settle());
    EXPECT_EQ(next(), text("put it into the plan beside its variant"));
}

TEST_F(ComposeActions, ADoubleClickOnALayerUnfoldsItsStack) {
    DiagramView& view = page().diagram();
    const auto frames = [&] { return view.diagram().frames.size(); };
    const auto before = frames();
    const auto doubleClick = [&] {
        const QPoint place = view.mapFromScene(view.diagram().frames[0].rect.topLeft() + QPointF(60, 8));
        QTest::mouseDClick(view.viewport(), Qt::LeftButton, {}, place);
        ASSERT_TRUE(settle());
    };
    doubleClick();
    EXPECT_EQ(frames(), before + 1) << "two layers in place of one";
    doubleClick();
    EXPECT_EQ(frames(), before);
}

TEST_F(ComposeActions, ADimensionIsEditedInItsForm) {
    auto& field = named<QSpinBox>(the<DimsForm>(page()), "f");
    EXPECT_EQ(field.value(), 256);
    field.selectAll();
    QTest::keyClicks(&field, text("300"));
    QTest::keyClick(&field, Qt::Key_Return);
    ASSERT_TRUE(settle());
    EXPECT_EQ(draft().facts()->variant.dims.f, 300);
    EXPECT_EQ(draft().history().count(), 1);
}

TEST_F(ComposeActions, RowsOfThePlanAreMoved) {
    actionNamed(page().runActions(), "planExperiment").trigger();
    auto& table = the<PlanTable>(page());
    const auto names = [&] {
        QStringList all;
        for (int row = 0; row < table.model().rowCount(); ++row)
            all << table.model().index(row, int(PlanColumn::Name)).data().toString();
        return all;
    };
    for (int i = 0; i < 2; ++i) named<QAction>(table, "addDraft").trigger();
    ASSERT_EQ(names(), (QStringList{text("full"), text("full-2"), text("full-3")}));
    QAction &up = named<QAction>(table, "moveRowUp"), &down = named<QAction>(table, "moveRowDown");
    EXPECT_FALSE(down.isEnabled()) << "the last row is selected";
    up.trigger();
    EXPECT_EQ(names(), (QStringList{text("full"), text("full-3"), text("full-2")}));
    EXPECT_FALSE(up.isEnabled()) << "the row of the draft stays the first";
    ASSERT_TRUE(down.isEnabled());
    down.trigger();
    EXPECT_EQ(names(), (QStringList{text("full"), text("full-2"), text("full-3")}));
}

TEST_F(ComposeActions, AFileOfTheDataIsTypedOrChosenInADialog) {
    auto& field = named<QLineEdit>(page(), "data.train.source");
    const auto inDraft = [&] { return draft().document()["data"]["train"]["source"]; };
    field.setText(text(" /corpus/typed.en "));
    field.setModified(true);
    Q_EMIT field.editingFinished();
    EXPECT_EQ(inDraft(), "/corpus/typed.en");
    for (auto* pick : page().findChildren<QToolButton*>())
        if (pick->accessibleName() == text("Choose data.train.source")) pick->click();
    auto& dialog = the<QFileDialog>(page());
    EXPECT_EQ(dialog.fileMode(), QFileDialog::ExistingFile);
    Q_EMIT dialog.fileSelected(text("/corpus/chosen.en"));
    EXPECT_EQ(inDraft(), "/corpus/chosen.en");
    EXPECT_EQ(field.text(), text("/corpus/chosen.en"));
    dialog.reject();
}

}  // namespace heddle::ui::test
