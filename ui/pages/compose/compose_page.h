// SPDX-License-Identifier: GPL-3.0-or-later
// Composing a variant: the diagram as the editor, what to start from at its left, the selected slot at its right, problems,
// differences, text and plan below.
#pragma once

#include "engine/spec/run_spec.h"
#include "ui/pages/compose/diagram/diagram_view.h"
#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/pages/compose/panels/preset_model.h"
#include "ui/pages/page.h"

#include <QTimer>

#include <vector>

class QDockWidget;
class QLabel;
class QMenu;
class QTabWidget;
class QTreeView;

namespace heddle::ui {

class DataPanel;
class DifferenceModel;
class DimsPanel;
class DraftButton;
struct LayerChoice;
class MemoryMeter;
struct NamedControl;
class PartInspector;
class JsonPanel;
class PartsPanel;
class PlanPanel;
class PlanTable;
enum class PlanColumn;
class ProblemModel;
class SectionTitle;
class SlotCostModel;
class TotalsStrip;

class ComposePage : public Page {
    Q_OBJECT

public:
    explicit ComposePage(Studio& studio);

    ~ComposePage() override;

    QString title() const override { return tr("Compose"); }
    Icon icon() const override { return Icon::Compose; }
    QList<QAction*> editActions() const override;
    QList<QAction*> viewActions() const override;
    QList<QAction*> runActions() const override;
    void setShown(bool shown) override;
    bool isSettled() const override;
    void saveSession(QSettings& settings) const override;
    void restoreSession(QSettings& settings) override;
    void arrange(const QByteArray& arrangement) override;

    VariantDraft& draft() { return draft_; }
    DiagramView& diagram() { return *view_; }
    const std::optional<SlotSite>& site() const { return site_; }
    /// Selects a slot everywhere on the page.
    void setSite(const std::optional<SlotSite>& site);
    /// Opens a copy as a draft and shows it. See VariantDraft::open().
    void openDraft(const Json& document, const QString& name, const QString& seeds = {},
                   VariantDraft::Place place = VariantDraft::Place::OfSavedDraft);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Makes the panels at the sides tabs of one dock while the page is too narrow for both.
    void arrangeSides();
    /// Counts the draft with the sizes that the data of its run had, and says what the run's model was built with.
    void countAsBuilt(const RunRef& run);
    /// Offers once to train the sample, while the database has no run.
    void offerSample();
    void makeActions();
    void connectActions();
    void makeToolBar();
    void makeMiddle();
    void makeLeft();
    void makeRight();
    void makeBottom();
    /// Makes the dock below high enough for a report or a plan to be read.
    void growBottom();
    QTreeView* makeTable(QAbstractItemModel* model, const QString& name);
    QDockWidget* addDock(const QString& name, const QString& title, std::pair<Qt::DockWidgetArea, QWidget*> content);
    void connectParts();
    /// Fills a menu with entries, in a section for each group; `add` adds the action of one.
    static void addEntries(QMenu& menu, const std::vector<PresetEntry>& entries,
                           const std::function<void(QMenu&, const PresetEntry&)>& add);
    void fillDraftMenu();
    /// Takes back what the page says about another draft.
    void draftOpened();
    void showDraft(int id);
    void closeDraft();

    void draftChanged();
    void nameChanged();
    void fitOnce();
    void relayout();
    void foldToggled(const std::string& stack);
    void setUnfolded(std::set<std::string> stacks);
    void selectFirstDifference();
    void goTo(const std::string& path);
    void makeLayerActions();
    /// The selected slot's sublayer, in every layer of its stack.
    void moveSublayer(int by);
    void copyLayer();
    void reportNotPasted(const Problem& problem);
    /// Pastes the copied layer onto these layers, in the background.
    void pasteLayer(const LayerChoice& to);
    void pasteOntoNamed();
    /// Which variant the draft is drawn over, as the session keeps it.
    enum class OverKind { None, Baseline, Preset, Saved, Run };
    struct OverChoice {
        OverKind kind = OverKind::None;
        QString name;     ///< of the preset, the saved variant or the run
        std::string run;  ///< id of the run
        bool operator==(const OverChoice&) const = default;
    };
    void makeOverMenu();
    void fillOverMenu();
    void drawOver(const OverChoice& choice, const Json& document = {});
    void saveOver(QSettings& settings) const;
    void restoreOver(const QSettings& settings);
    /// Looks up the document of the choice that a session kept, once the place that holds it has been read. Shows a message
    /// when it is gone.
    void findOver();
    /// Returns the document: null when it is gone, nothing while its place has not been read yet.
    std::optional<Json> documentOf(const OverChoice& choice) const;
    /// Brings what is drawn over up to date with the baseline and the assumed vocabularies.
    void refreshOver();
    /// The earlier layers that the selected attention can take scores from, as a menu.
    void showCarryMenu();
    /// Returns the score slot of the selected attention if it is one of a single layer that has earlier layers.
    std::optional<SlotSite> carrySite() const;
    void showLayerMenu(const QPoint& place);
    void refreshLayerActions();
    void useBlock(const std::string& slot, const std::string& block);
    void readLibrary();
    void readSaved();
    void takeEntries();
    void save();
    void removeSaved(const PresetEntry& entry);
    void rename();
    void pinBaseline();
    void pin(const Json& document, const QString& name);
    void findControl(const std::function<void(const NamedControl&)>& take);
    void makeMatchedControl();
    void exportDiagram();
    void showPlan();
    void refreshPlan();
    void showSteps();
    void showMemory();
    /// Shows beside the totals how many parameters the run's model has, while the draft is its specification and has another
    /// number.
    void showBuilt();
    void addControlToPlan();
    void editDraft(PlanColumn column, const QString& words);
    /// Starts those runs of the plan that the current database does not have yet, and says how many it has.
    void startRuns();
    void submit(int database, const std::vector<RunSpec>& specs);

    VariantDraft draft_;
    MemoryMeter *meter_, *baselineMeter_;
    DiagramOptions options_;
    struct {
        OverChoice choice;
        Json document;  ///< null for the baseline, and until findOver() has found it
        AssumedVocabulary assumed;
        bool isAsked = false;
        int generation = 0;
    } over_;
    std::optional<SlotSite> site_;
    std::vector<PresetEntry> shipped_, saved_;
    int savedOf_ = 0;  ///< number of the database that saved_ was read from; 0: none
    /// The run whose model has another size than its specification, while the draft is that specification.
    struct {
        QString draft;
        std::int64_t parameters = 0;
    } built_;
    int reading_ = 0;
    bool shown_ = false, fitted_ = false;
    bool isSampleOffered_ = false;
    int previous_ = 0;  ///< id of the draft that return_ shows
    QTimer autosave_;

    DiagramView* view_ = nullptr;
    TotalsStrip* totals_ = nullptr;
    MessageStrip* strip_ = nullptr;
    PartsPanel* parts_ = nullptr;
    PartInspector* inspector_ = nullptr;
    DimsPanel* dims_ = nullptr;
    JsonPanel* json_ = nullptr;
    DataPanel* data_ = nullptr;
    PlanPanel* plan_ = nullptr;
    PlanTable* table_ = nullptr;
    SectionTitle *slotTitle_ = nullptr, *costTitle_ = nullptr;
    SlotCostModel* costs_ = nullptr;
    QTreeView* costTable_ = nullptr;
    DifferenceModel* differences_ = nullptr;
    ProblemModel* problems_ = nullptr;
    QTabWidget* bottom_ = nullptr;
    QList<QDockWidget*> docks_;
    DraftButton* draftButton_ = nullptr;
    QLabel* zoomWords_ = nullptr;
    QMenu* overMenu_ = nullptr;

    QAction *save_ = nullptr, *rename_ = nullptr, *undo_ = nullptr, *redo_ = nullptr, *find_ = nullptr, *pin_ = nullptr,
            *matched_ = nullptr;
    QAction *unfold_ = nullptr, *mark_ = nullptr, *carries_ = nullptr, *zoomIn_ = nullptr, *zoomOut_ = nullptr,
            *zoomReset_ = nullptr, *fit_ = nullptr;
    QAction *planAction_ = nullptr, *export_ = nullptr, *earlier_ = nullptr, *later_ = nullptr, *return_ = nullptr,
            *sample_ = nullptr, *close_ = nullptr;
    QAction *copyLayer_ = nullptr, *pasteLayer_ = nullptr, *pasteOnto_ = nullptr, *carryFrom_ = nullptr;
};

}  // namespace heddle::ui
