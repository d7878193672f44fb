// SPDX-License-Identifier: GPL-3.0-or-later
// Where drafts come from and go to: presets, saved variants, runs, the baseline, the matched control. Owns the actions of
// drafts and the button with the name of the draft.
#pragma once

#include "ui/pages/compose/variant_library.h"
#include "ui/theme/tokens.h"

class QAction;
class QKeySequence;
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

    /// Opens a copy as a draft and shows it; a message says that an unsaved draft stays open. See VariantDraft::open().
    void open(const Json& document, const QString& name, const QString& seeds = {},
              VariantDraft::Place place = VariantDraft::Place::OfSavedDraft);
    /// Opens the specification of a run, counted with the sizes that its data had, and says what its model was built with.
    void openRun(const Json& document, const QString& name, const RunRef& run);
    void openEntry(const PresetEntry& entry) { open(entry.document, entry.name); }
    void pinEntry(const PresetEntry& entry) { pin(entry.document, entry.name); }
    /// Pins the draft shown, if it is valid.
    void pinShown();
    /// Deletes a saved variant, which stays open as an unsaved draft.
    void remove(const PresetEntry& entry);
    /// Offers once to train the sample, if the database has no run.
    void offerSample();

    void addTools(QToolBar& bar);

    QAction *const save, *const rename, *const undo, *const redo, *const pinDraft, *const control, *const close;

private:
    static QAction* make(QWidget& page, std::optional<Icon> icon, const QString& words, const QKeySequence& key);
    void refresh();
    void fillMenu();
    void show(int id);
    void pin(const Json& document, const QString& name);
    /// Opens the baseline, made as large as the draft.
    void openControl();
    void askAndClose();
    void askForName();
    void store();
    void showBuilt(const BuiltComparison& found, int draft, bool isBeside);

    VariantDraft& draft_;
    VariantLibrary& library_;
    Studio& studio_;
    MessageStrip& strip_;
    QWidget& page_;
    DraftButton* button_;
    QMenu* menu_;
    QAction *return_, *sample_;
    int previous_ = 0;  ///< id of the draft that return_ shows
    bool isSampleOffered_ = false;
};

}  // namespace heddle::ui
