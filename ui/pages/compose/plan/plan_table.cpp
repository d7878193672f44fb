// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/plan/plan_table.h"

#include "engine/base/files.h"
#include "engine/spec/catalogue.h"
#include "ui/pages/compose/forms/parts.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"
#include "ui/threads/background.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/mark_delegate.h"

#include <QAction>
#include <QBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QSettings>
#include <QToolBar>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace heddle::ui {
namespace {

constexpr auto kPlan = "compose/plan";
constexpr auto kNotes = "compose/plan_notes";
constexpr auto kTicked = "compose/plan_ticked";

}  // namespace

PlanTable::PlanTable(Studio& studio, QWidget* parent)
    : QWidget(parent), meter_(new PlanMeter(studio, this)), model_(new PlanModel(*meter_, this)) {
    QVBoxLayout* column = makeColumn(this);
    table_ = makeTree(tr("Experiment plan"), this);
    table_->setObjectName(QStringLiteral("planTable"));
    table_->setModel(model_);
    table_->setRootIsDecorated(false);
    table_->setIndentation(0);
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
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
    row->addWidget(makeToolBar(), 1);
    start_ = new QPushButton(this);
    start_->setObjectName(QStringLiteral("startRuns"));
    setControlRole(*start_, ControlRole::Primary);
    row->addWidget(start_);
    column->addLayout(row);
    connect(start_, &QPushButton::clicked, this, &PlanTable::startRequested);
    connect(model_, &PlanModel::rowsChanged, this, &PlanTable::rowsChanged);
    connect(model_, &PlanModel::costsChanged, this, &PlanTable::refresh);
    connect(model_, &PlanModel::costsChanged, this, &PlanTable::costsChanged);
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, &PlanTable::refresh);
    refresh();
}

/// Actions that do not fit stand behind the extension button of the bar.
QToolBar* PlanTable::makeToolBar() {
    auto* bar = new QToolBar(tr("Plan"), this);
    bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
    bar->setAutoFillBackground(false);
    bar->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    const auto add = [&](const QString& words, const QString& help, const std::function<void()>& press) {
        QAction* action = bar->addAction(words);
        action->setToolTip(help);
        connect(action, &QAction::triggered, this, press);
        return action;
    };
    add(tr("Add draft"), tr("Put the draft, as it is now, into a row of its own"), [this] { cloneRow(0); });
    add(tr("Add control"), tr("The pinned baseline, made as large as the draft, with the same budget"),
        [this] { Q_EMIT controlRequested(); });
    add(tr("Clone"), tr("Another row like the chosen one"), [this] { cloneRow(currentRow()); });
    remove_ = add(tr("Remove"), tr("Take the chosen row out of the plan"), [this] { model_->remove(currentRow()); });
    up_ = add(tr("Up"), tr("Train the chosen row earlier"), [this] { model_->move(currentRow(), -1); });
    down_ = add(tr("Down"), tr("Train the chosen row later"), [this] { model_->move(currentRow(), 1); });
    time_ = add({}, tr("Measure a training step of every row and of the baseline, each in a separate process: seconds per row"),
                [this] { meter_->isTiming() ? meter_->cancel() : meter_->timeSteps(); });
    save_ = add(tr("Save as sweep…"), tr("A file of the ticked rows, for heddle sweep"), [this] { chooseFile(); });
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

void PlanTable::setDraft(const PlanRow& row, const AssumedVocabulary& assumed) {
    assumed_ = assumed;
    model_->setDraft(row);
}

std::optional<StepTime> PlanTable::stepOfDraft() const {
    const RowCost* cost = model_->costOf(0);
    return cost ? cost->step : std::nullopt;
}

void PlanTable::setBaseline(const std::optional<PlanRow>& row) {
    const std::string key = row ? PlanMeter::keyOf(*row) : std::string();
    baseline_ = row;
    if (std::exchange(baselineKey_, key) != key) updateModel();
}

std::optional<StepTime> PlanTable::stepOfBaseline() const {
    const RowCost* cost = baseline_ ? meter_->costOf(baselineKey_) : nullptr;
    return cost ? cost->step : std::nullopt;
}

void PlanTable::setStarting(bool starting) {
    isStarting_ = starting;
    refresh();
}

/// The copy gets a name of its own: "full-2".
void PlanTable::cloneRow(int row) {
    PlanRow copy = model_->row(row);
    const std::string name = copy.name;
    const auto isTaken = [&] {
        const auto rows = model_->beside();
        return copy.name == model_->row(0).name ||
               std::any_of(rows.begin(), rows.end(), [&](const PlanRow& other) { return other.name == copy.name; });
    };
    for (int number = 2; isTaken(); ++number) copy.name = name + "-" + std::to_string(number);
    model_->add(copy, {});
    table_->setCurrentIndex(model_->index(model_->rowCount() - 1, int(PlanColumn::Settings)));
}

void PlanTable::updateModel() {
    std::vector<PlanRow> rows = model_->beside();
    rows.insert(rows.begin(), model_->row(0));
    if (baseline_) rows.push_back(*baseline_);
    meter_->setRows(rows, assumed_);
}

void PlanTable::rowsChanged() {
    updateModel();
    refresh();
    Q_EMIT edited();
}

void PlanTable::refresh() {
    const int row = currentRow();
    remove_->setEnabled(row > 0);
    up_->setEnabled(row > 1);
    down_->setEnabled(row > 0 && row + 1 < model_->rowCount());
    time_->setEnabled(meter_->canTime());
    time_->setText(meter_->isTiming() ? tr("Cancel timing") : tr("Time steps"));
    const QString error = model_->error();
    const QString warning = error.isEmpty() ? model_->warning() : error;
    words_->setText(warning.isEmpty() ? model_->totals() : warning);
    int runs = 0;
    for (const PlanRow& one : model_->included()) runs += int(one.seeds.size());
    save_->setEnabled(error.isEmpty());
    start_->setEnabled(error.isEmpty() && !isStarting_);
    start_->setText(isStarting_ ? tr("Starting") : runs == 1 ? tr("Start run") : tr("Start %Ln run(s)", nullptr, runs));
}

void PlanTable::chooseFile() {
    openExportDialog({tr("Save as sweep"), {tr("Plans (*.json)")}, QStringLiteral("plan")}, this,
                     [this](const QString& file) { saveAs(file); });
}

void PlanTable::saveAs(const QString& file) {
    const auto write = [rows = model_->included(), path = file.toStdString()] {
        const std::string here = std::filesystem::current_path().string();
        Plan plan{rows};
        for (PlanRow& row : plan.rows) {
            row.spec = RunSpec::parse(row.spec, builtinCatalogue(), here).toJson();
            row.spec.erase("name");
            row.spec.erase("seed");
        }
        writeFileAtomically(path, plan.toJson().dump(2) + "\n", Readers::Umask);
        return true;
    };
    inBackground(
        this, write, [this, file](bool) { Q_EMIT saved(file); }, [this](const Problem& problem) { Q_EMIT failed(problem); });
}

void PlanTable::saveSession(QSettings& settings) const {
    const Plan plan{model_->beside()};
    settings.setValue(QLatin1String(kPlan), plan.rows.empty() ? QString() : QString::fromStdString(plan.toJson().dump()));
    settings.setValue(QLatin1String(kNotes), model_->notes());
    settings.setValue(QLatin1String(kTicked), model_->ticked());
}

void PlanTable::restoreSession(QSettings& settings) {
    const QString text = settings.value(QLatin1String(kPlan)).toString();
    if (!text.isEmpty()) try {
            model_->setRows(Plan::parse(parseJson(text.toStdString(), "the last plan"), "the last plan").rows,
                            settings.value(QLatin1String(kNotes)).toStringList());
        } catch (const std::exception&) {  // written by another version: rows that were never started or saved
            return;
        }
    if (const QString ticked = settings.value(QLatin1String(kTicked)).toString(); !ticked.isEmpty()) model_->setTicked(ticked);
}

}  // namespace heddle::ui
