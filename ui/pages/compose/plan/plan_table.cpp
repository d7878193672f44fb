// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/plan/plan_table.h"

#include "engine/analysis/run_group.h"
#include "engine/base/files.h"
#include "engine/run/run_state.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/data_files.h"
#include "ui/data/slurm_watcher.h"
#include "ui/pages/compose/draft/matched_control.h"
#include "ui/pages/compose/forms/parts.h"
#include "ui/pages/compose/plan/study_dialog.h"
#include "ui/pages/slurm_dialog.h"
#include "ui/pages/slurm_jobs.h"
#include "ui/text/utf8.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"
#include "ui/threads/ask.h"
#include "ui/widgets/mark_delegate.h"
#include "ui/widgets/picture.h"

#include <QAction>
#include <QBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QToolBar>
#include <QWidget>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

namespace heddle::ui {
namespace {

/// An editor of a cell is filled once, when it opens. A view would fill it again whenever the cell changes, and what a user has
/// typed would be lost.
class EditDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void setEditorData(QWidget* editor, const QModelIndex& index) const override {
        constexpr const char* kIsFilled = "isFilled";
        if (editor->property(kIsFilled).toBool()) return;
        editor->setProperty(kIsFilled, true);
        QStyledItemDelegate::setEditorData(editor, index);
    }
};

/// A run of a plan, and its key (plannedKey()).
struct PlannedRun {
    RunSpec spec;
    std::string key;
};

/// The runs of a plan. Throws where one of them cannot be queued.
std::vector<PlannedRun> checkedRuns(const std::vector<PlanRow>& rows) {
    std::vector<PlannedRun> runs;
    for (const PlanRow& row : rows)
        for (RunSpec& spec : runsOf(row, builtinCatalogue(), std::filesystem::current_path().string())) {
            requireDataFiles(spec.data);
            std::string key = plannedKey(spec.toJson().dump());
            runs.push_back({std::move(spec), std::move(key)});
        }
    return runs;
}

/// Whether a run is the planned one: the same settings, files and seed, and completed or not ended.
bool isSame(const Run& run, const PlannedRun& planned) {
    const auto state = runStateFromName(run.state);
    const bool counts = state && (!isFinal(*state) || *state == RunState::Completed) && !run.damaged && run.intervened < 0;
    return counts && run.seed == planned.spec.seed && run.plannedKey == planned.key;
}

}  // namespace

PlanTable::PlanTable(VariantDraft& draft, Studio& studio, MessageStrip& strip, QWidget* parent)
    : QWidget(parent),
      draft_(draft),
      studio_(studio),
      strip_(strip),
      meter_(new PlanMeter(studio, this)),
      model_(new PlanModel(draft, *meter_, this)),
      slurm_(studio.slurm()) {
    QVBoxLayout* column = makeColumn(this);
    table_ = makeTree("planTable", tr("Experiment plan"), this);
    table_->setModel(model_);
    table_->setRootIsDecorated(false);
    table_->setIndentation(0);
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    table_->setItemDelegate(new EditDelegate(table_));
    table_->setItemDelegateForColumn(int(PlanColumn::Note), new MarkDelegate(table_));
    table_->setMinimumHeight(px(72));
    table_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->header()->setStretchLastSection(true);
    column->addWidget(table_, 1);
    words_ = makeCaption({}, this);
    words_->setWordWrap(true);
    words_->setContentsMargins(px(10), px(3), px(10), px(3));
    column->addWidget(words_);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(px(4), 0, px(8), px(6));
    row->setSpacing(px(6));
    row->addWidget(makeToolBar(), 1);
    onSlurm_ = new QPushButton(tr("On Slurm…"), this);
    onSlurm_->setObjectName(QStringLiteral("startOnSlurm"));
    onSlurm_->setToolTip(tr("Submit the ticked rows as jobs of Slurm, as heddle sweep --launcher slurm does"));
    row->addWidget(onSlurm_);
    start_ = new QPushButton(this);
    start_->setObjectName(QStringLiteral("startRuns"));
    setControlRole(*start_, ControlRole::Primary);
    row->addWidget(start_);
    column->addLayout(row);
    connect(start_, &QPushButton::clicked, this, &PlanTable::startRuns);
    connect(onSlurm_, &QPushButton::clicked, this, &PlanTable::openSlurmDialog);
    connect(model_, &PlanModel::changed, this, &PlanTable::refresh);
    connect(model_, &PlanModel::gridRefused, this, [this] {
        strip_.showMessage({StripKind::Warn,
                            tr("The settings were not applied: their value grid makes more than %1 rows.").arg(kMaxGridRows),
                            tr("Use fewer values, or split the grid over several rows.")});
    });
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, &PlanTable::refresh);
    refresh();
}

/// The extension button of the bar shows the actions that do not fit.
QToolBar* PlanTable::makeToolBar() {
    auto* bar = new QToolBar(tr("Plan"), this);
    bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
    bar->setAutoFillBackground(false);
    bar->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    const auto add = [&](const char* name, const QString& text, const QString& tip, const std::function<void()>& does) {
        QAction* action = makeAction(this, {name, text, {}, {}, tip}, does);
        bar->addAction(action);
        return action;
    };
    add("addDraft", tr("Add draft"), tr("Add the draft, as it is now, as a row"), [this] { cloneRow(0); });
    add("addControl", tr("Add control"),
        tr("Add the pinned baseline, with as many parameters and the same budget as the draft"), [this] { addControl(); });
    add("cloneRow", tr("Clone"), tr("Copy the selected row"), [this] { cloneRow(currentRow()); });
    ask_ =
        add("askStudy", tr("Ask as study…"),
            tr("Before training, write down what the ticked rows are to show: whether they are better than the selected row, "
               "and in which metric. Compare answers it"),
            [this] { openStudyDialog(); });
    time_ =
        add("timeSteps", {},
            tr("Measure a training step of every row and of the baseline, each in a separate process; takes seconds per row"),
            [this] { meter_->isTiming() ? meter_->cancel() : meter_->timeSteps(); });
    remove_ =
        add("removeRow", tr("Remove"), tr("Remove the selected row from the plan"), [this] { model_->remove(currentRow()); });
    up_ = add("moveRowUp", tr("Up"), tr("Train the selected row earlier"), [this] { model_->move(currentRow(), -1); });
    down_ = add("moveRowDown", tr("Down"), tr("Train the selected row later"), [this] { model_->move(currentRow(), 1); });
    save_ = add("savePlan", tr("Save as sweep…"), tr("Save the ticked rows as a file for heddle sweep"), [this] {
        openExportDialog({tr("Save as sweep"), {tr("Plans (*.json)")}, QStringLiteral("plan")}, this,
                         [this](const QString& file) { saveAs(file); });
    });
    bar->addAction(makeSlurmJobsAction(studio_, this));
    return bar;
}

void PlanTable::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    meter_->setActive(true);
}

void PlanTable::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    meter_->setActive(false);
}

int PlanTable::currentRow() const { return table_->currentIndex().isValid() ? table_->currentIndex().row() : 0; }

void PlanTable::addControl() {
    findControl(draft_, this, [this, seeds = readSeeds(draft_.seeds())](Result<NamedControl> found) {
        if (!found) return strip_.showMessage({StripKind::Warn, found.problem().what, found.problem().next});
        model_->add({found->name.toStdString(), found->document, {}, seeds}, tr("control: %1").arg(found->difference));
    });
}

/// Gives the copy a new name: "full-2".
void PlanTable::cloneRow(int row) {
    PlanRow copy = model_->row(row);
    const std::string name = copy.name;
    const auto isTaken = [&] {
        const auto rows = model_->addedRows();
        return copy.name == model_->row(0).name ||
               std::any_of(rows.begin(), rows.end(), [&](const PlanRow& other) { return other.name == copy.name; });
    };
    for (int number = 2; isTaken(); ++number) copy.name = name + "-" + std::to_string(number);
    model_->add(copy, {});
    table_->setCurrentIndex(model_->index(model_->rowCount() - 1, int(PlanColumn::Settings)));
}

void PlanTable::refresh() {
    const int row = currentRow();
    remove_->setEnabled(row > 0);
    up_->setEnabled(row > 1);
    down_->setEnabled(row > 0 && row + 1 < model_->rowCount());
    time_->setEnabled(meter_->canTime());
    time_->setText(meter_->isTiming() ? tr("Cancel measuring") : tr("Measure step times"));
    const QString error = model_->error();
    const QString warning = error.isEmpty() ? model_->warning() : error;
    const bool hasStarts = model_->hasStarts();
    const QString told =
        !hasStarts ? model_->totals()
        : slurm_.isAvailable()
            ? tr("Rows that start from others are trained by heddle sweep and on Slurm: use Save as sweep… or On Slurm….")
            : tr("Rows that start from others are trained by heddle sweep: use Save as sweep….");
    words_->setText(warning.isEmpty() ? told : warning);
    int runs = 0;
    for (const PlanRow& one : model_->included()) runs += int(one.seeds.size());
    save_->setEnabled(error.isEmpty());
    ask_->setEnabled(error.isEmpty() && !hasStarts && model_->included().size() > 1);
    start_->setEnabled(error.isEmpty() && !hasStarts && !isStarting_);
    onSlurm_->setVisible(slurm_.isAvailable());
    onSlurm_->setEnabled(error.isEmpty());
    start_->setText(isStarting_ ? tr("Starting") : runs == 1 ? tr("Start run") : tr("Start %Ln run(s)", nullptr, runs));
}

void PlanTable::saveAs(const QString& file) {
    const auto write = [rows = model_->included(), path = file.toStdString()] {
        requireStarts(rows, path);
        writeFileAtomically(path, Plan{writtenRows(rows)}.toJson().dump(2) + "\n", Readers::Umask);
    };
    ask(this, Pool{}, write, [this, file](const Result<Done>& done) {
        if (!done) return studio_.report(done.problem());
        strip_.showMessage({StripKind::Ok, tr("The plan is saved."), tr("heddle sweep %1 trains it.").arg(file)});
    });
}

/// "gated-against-base": a database keeps a study under its file's name, so that each question needs its own.
QString PlanTable::proposedStudy() const {
    const std::string& baseline = model_->row(currentRow()).name;
    const std::vector<PlanRow> rows = model_->included();
    const auto other = std::find_if(rows.begin(), rows.end(), [&](const PlanRow& row) { return row.name != baseline; });
    QString name = text(baseline);
    if (other != rows.end()) name = QStringLiteral("%1-against-%2").arg(text(other->name), name);
    return name.replace(QLatin1Char('/'), QLatin1Char('-'));
}

/// "gated", or "gated-2" where that is taken.
QString PlanTable::proposedSweep(const QStringList& taken) const {
    const std::vector<PlanRow> rows = model_->included();
    const QString first =
        rows.empty() ? QStringLiteral("plan") : text(rows.front().name).replace(QLatin1Char('/'), QLatin1Char('-'));
    QString name = first;
    for (int number = 2; taken.contains(name); ++number) name = QStringLiteral("%1-%2").arg(first).arg(number);
    return name;
}

void PlanTable::openSlurmDialog() {
    const int database = studio_.databases().currentNumber();
    if (database == 0)
        return strip_.showMessage({StripKind::Warn, tr("Nothing was submitted: no database is open to record the runs."),
                                   tr("Create or open one on Library.")});
    QStringList taken;
    for (const auto& [number, submission] : slurm_.all())
        if (number == database) taken << text(submission.name);
    int runs = 0;
    for (const PlanRow& row : model_->included()) runs += int(row.seeds.size());
    auto* dialog = new SlurmDialog({proposedSweep(taken), taken, slurm_.folderOf(database), runs}, studio_.settings(), this);
    connect(dialog, &QDialog::accepted, this, [this, dialog, database, rows = model_->included()] {
        slurm_.submit(
            database, dialog->name(), [rows] { return writtenRows(rows); }, dialog->options());
    });
    dialog->open();
}

void PlanTable::openStudyDialog() {
    auto* dialog = new StudyDialog({model_->included(), model_->row(currentRow()).name}, this);
    connect(dialog, &QDialog::accepted, this, [this, dialog, name = proposedStudy()] {
        openExportDialog({tr("Ask as study"), {tr("Studies (*.json)")}, name}, this,
                         [this, question = dialog->question()](const QString& file) { askAs(question, file); });
    });
    dialog->open();
}

void PlanTable::askAs(const PlanQuestion& question, const QString& file) {
    const RunDatabase* database = studio_.databases().current();
    if (!database)
        return strip_.showMessage({StripKind::Warn, tr("The study was not asked: no database is open to keep it."),
                                   tr("Create or open one on Library.")});
    const auto write = [question, path = file.toStdString(), name = database->file().toStdString()](storage::RunQuery& query) {
        return askPlan(question, path, query, name);
    };
    const auto told = [this, words = tr("Baseline: %1. %2").arg(text(question.baseline), file)] {
        strip_.showMessage({StripKind::Ok, tr("The study is asked: start its runs, and Compare answers it."), words});
    };
    const auto take = [this, told, number = database->number()](const Result<PutItem>& asked) {
        if (!asked) return studio_.report(asked.problem());
        studio_.commander().edit(number, *asked, told);
    };
    ask(this, studio_.databases().reader(database->number()), write, take);
}

void PlanTable::startRuns() {
    isStarting_ = true;
    refresh();
    const auto take = [this, database = studio_.databases().currentNumber()](Result<std::vector<PlannedRun>> runs) {
        isStarting_ = false;
        refresh();
        if (!runs) {
            Problem problem = runs.problem();
            problem.safe = tr("nothing was queued");
            return studio_.report(problem);
        }
        const RunDatabase* known = studio_.databases().find(database);
        const auto exists = [known](const PlannedRun& planned) {
            return known && std::any_of(known->runs().begin(), known->runs().end(),
                                        [&](const Run& run) { return isSame(run, planned); });
        };
        std::vector<RunSpec> missing, existing;
        for (PlannedRun& run : *runs) (exists(run) ? existing : missing).push_back(std::move(run.spec));
        submit(database, missing);
        if (existing.empty()) return;
        auto* again = new QAction(tr("Train them again"));  // the message owns it
        connect(again, &QAction::triggered, this, [this, database, existing] { submit(database, existing); });
        studio_.report(MessageStrip::Message{
            StripKind::Info,
            tr("%Ln run(s) of the plan exist already and were not started again", nullptr, int(existing.size())),
            tr("The database has them with the same settings, files and seeds."),
            {again},
            QStringLiteral("existingRuns")});
    };
    ask(
        this, Pool{}, [rows = model_->included()] { return checkedRuns(rows); }, take);
}

/// Queues runs and shows the first one that is accepted.
void PlanTable::submit(int database, const std::vector<RunSpec>& specs) {
    const auto isShown = std::make_shared<bool>(false);
    for (const RunSpec& spec : specs)
        studio_.commander().submit(database, {spec}, [this, isShown](const RunRef& run) {
            if (std::exchange(*isShown, true)) return;
            studio_.setCurrentRun(run);
            studio_.go(PageId::Watch);
        });
}

}  // namespace heddle::ui
