// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the Inspect page by their names, and what a user does there.
#pragma once

#include "storage/run_query.h"
#include "tests/ui/inspect/inspect_fixture.h"
#include "ui/panels/head_grid_panel.h"
#include "ui/panels/head_panel.h"
#include "ui/panels/intervention_list.h"
#include "ui/panels/interventions_panel.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/sentence_panel.h"
#include "ui/panels/token_bars_panel.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QMessageBox>

#include <algorithm>

namespace heddle::ui::test {

class InspectPageTest : public InspectTest {
protected:
    HeadGridPanel& gridPanel() { return the<HeadGridPanel>(); }
    HeadGrid& grid() { return gridPanel().grid(); }
    QString chosenSublayer() {
        const auto place = grid().current();
        return place ? grid().data().rows[std::size_t(place->row)].sublayer : QString();
    }
    HeadPanel& head() { return the<HeadPanel>(); }
    SentencePanel& sentence() { return the<SentencePanel>(); }
    InterventionsPanel& interventions() { return the<InterventionsPanel>(); }
    TokenBarsPanel& bars(const char* title) { return the<TokenBarsPanel>(title); }
    ScrubBar& scrub() { return the<ScrubBar>(); }
    QAbstractButton& button(const char* words) {
        for (auto* found : page_->findChildren<QAbstractButton*>())
            if (found->text() == text(words)) return *found;
        throw std::runtime_error(words);
    }
    bool labelled(const char* words) {
        const auto labels = page_->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) { return label->text() == text(words); });
    }
    /// Whether a visible label has these words in its text or its tool tip: narrow labels cut their text.
    bool says(const char* words) {
        const auto labels = page_->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return !label->isHidden() && (label->text().contains(text(words)) || label->toolTip().contains(text(words)));
        });
    }
    void chooseA(const char* run) {
        auto& box = the<QComboBox>("Run A");
        box.setCurrentIndex(box.findData(studio_->databases().withId(run)->ref.key()));
        Q_EMIT box.activated(box.currentIndex());
        ASSERT_TRUE(settle());
    }
    /// Presses a button of the open dialog.
    void answerDialog(const char* words) {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        ASSERT_NE(box, nullptr);
        for (QAbstractButton* found : box->buttons())
            if (found->text().remove(QLatin1Char('&')) == text(words)) return found->click();
        FAIL() << words;
    }
    /// Interventions among its events.
    qsizetype flagsOf(const char* run) {
        const auto events = storage::RunQuery::open(file_)->events(run);
        return std::count_if(events.begin(), events.end(), [](const auto& event) { return event.kind == kInterventionEvent; });
    }
    void chooseB(const char* run) {
        auto& box = the<QComboBox>("Run B");
        box.setCurrentIndex(box.findData(studio_->databases().withId(run)->ref.key()));
        Q_EMIT box.activated(box.currentIndex());
        ASSERT_TRUE(settle());
    }
};

}  // namespace heddle::ui::test
