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
    ScrubBar& scrub() { return the<ScrubBar>(); }
    QAbstractButton& button(const char* objectName) { return named<QAbstractButton>(objectName); }
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
        auto& box = named<QComboBox>("runA");
        box.setCurrentIndex(box.findData(studio_->databases().runWithId(run)->ref.key()));
        Q_EMIT box.activated(box.currentIndex());
        ASSERT_TRUE(settle());
    }
    QMessageBox& dialog() {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        if (!box) throw std::runtime_error("no dialog is open");
        return *box;
    }
    /// Interventions among its events.
    qsizetype flagsOf(const char* run) {
        const auto events = storage::RunQuery::open(file_)->events(run);
        return std::count_if(events.begin(), events.end(), [](const auto& event) { return event.kind == kInterventionEvent; });
    }
    void chooseB(const char* run) {
        auto& box = named<QComboBox>("runB");
        box.setCurrentIndex(box.findData(studio_->databases().runWithId(run)->ref.key()));
        Q_EMIT box.activated(box.currentIndex());
        ASSERT_TRUE(settle());
    }
};

}  // namespace heddle::ui::test
