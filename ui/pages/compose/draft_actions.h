// SPDX-License-Identifier: GPL-3.0-or-later
// Opens, saves, closes and pins drafts: from presets, saved variants, runs, the baseline and the matched control. Owns these
// actions and the button with the name of the draft.
#pragma once

#include "ui/pages/compose/variant_library.h"

class QAction;
class QMenu;
class QToolBar;

namespace heddle::ui {

class DraftButton;
struct BuiltComparison;

class DraftActions : public QObject {
    Q_OBJECT

public:
    /// Messages about drafts go to `strip`; dialogs belong to `page`, which gets the actions.
    DraftActions(VariantDraft& draft, VariantLibrary& library, Studio& studio, MessageStrip& strip, QWidget& page);

    /// Opens a copy as a draft and shows it; a message tells the user that an unsaved draft stays open. See
    /// VariantDraft::open().
    void open(const Json& document, const QString& name, const QString& seeds = {},
              VariantDraft::Opening opening = VariantDraft::Opening::ReplaceSaved);
    /// Opens the specification of a run, counted with the vocabulary sizes of its data, and shows how its model was built.
    void openRun(const Json& document, const QString& name, const RunRef& run);
    void openEntry(const PresetEntry& entry) { open(entry.document, entry.name); }
    void pinEntry(const PresetEntry& entry) { pin(entry.document, entry.name); }
    /// Pins the draft shown, if it is valid.
    void pinShown();
    /// Deletes a saved variant; it stays open as an unsaved draft.
    void remove(const PresetEntry& entry);
    /// While the page is shown, offers once to train the sample, if the database has no run.
    void setActive(bool active);

    void addTools(QToolBar& bar);

    QAction *const save, *const rename, *const undo, *const redo, *const pinDraft, *const control, *const close;
    QAction* const plan;  ///< the page shows the plan

private:
    void refresh();
    void fillMenu();
    void offerSample();
    void show(int id);
    void pin(const Json& document, const QString& name);
    void followPin();
    /// Opens the baseline, made as large as the draft.
    void openControl();
    void askAndClose();
    void askForName();
    void store();
    void showBuilt(const BuiltComparison& found, int draft, bool isAdded);

    VariantDraft& draft_;
    VariantLibrary& library_;
    Studio& studio_;
    MessageStrip& strip_;
    QWidget& page_;
    DraftButton* button_;
    QMenu* menu_;
    QAction *return_, *sample_;
    int previous_ = 0;    ///< id of the draft that return_ shows
    std::string pinned_;  ///< the VariantColours::baseline() that followPin() applied last
    bool isActive_ = false, isSampleOffered_ = false;
};

}  // namespace heddle::ui
