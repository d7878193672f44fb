// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/plan_panel.h"

#include "ui/pages/compose/data_form.h"
#include "ui/pages/compose/parts.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>

#include <algorithm>

namespace heddle::ui {
namespace {

QString text(const std::string& words) { return QString::fromStdString(words); }
constexpr int kMostRuns = 64;

}  // namespace

std::vector<std::uint64_t> readSeeds(const QString& words) {
    std::vector<std::uint64_t> seeds;
    static const QRegularExpression comma(QStringLiteral("[,\\s]+")), form(QStringLiteral("^(\\d{1,15})(?:[-–](\\d{1,15}))?$"));
    for (const QString& part : words.split(comma, Qt::SkipEmptyParts)) {
        const auto found = form.match(part);
        if (!found.hasMatch()) return {};
        const std::uint64_t first = found.captured(1).toULongLong();
        const std::uint64_t last = found.captured(2).isEmpty() ? first : found.captured(2).toULongLong();
        if (last < first || last - first >= kMostRuns) return {};
        for (std::uint64_t seed = first; seed <= last; ++seed)
            if (std::find(seeds.begin(), seeds.end(), seed) == seeds.end()) seeds.push_back(seed);
    }
    return int(seeds.size()) <= kMostRuns ? seeds : std::vector<std::uint64_t>{};
}

PlanPanel::PlanPanel(VariantDraft& draft, QWidget* parent) : QWidget(parent), draft_(draft) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(data_ = new DataForm(draft, this), 4);
    row->addWidget(makeTraining(), 4);
    row->addWidget(makeRuns(), 5);
    refresh();
}

QWidget* PlanPanel::makeTraining() {
    auto* box = new QWidget(this);
    QGridLayout* grid = planSection(box, tr("Training"));
    name_ = new QLineEdit(box);
    seeds_ = new QLineEdit(QStringLiteral("1"), box);
    seeds_->setPlaceholderText(tr("1,2,3 or 1-5"));
    device_ = new QComboBox(box);
    device_->setEditable(true);
    for (const char* device : {"auto", "cpu", "cuda"}) device_->addItem(QLatin1String(device));
    int row = 1;
    const auto add = [&](const QString& words, QWidget* field, const QString& help) {
        auto* label = new QLabel(words, box);
        label->setForegroundRole(QPalette::PlaceholderText);
        label->setBuddy(field);
        field->setAccessibleName(words);
        field->setToolTip(help);
        grid->addWidget(label, row, 0);
        grid->addWidget(field, row++, 1);
    };
    add(tr("name"), name_, tr("Name of the runs; seeds are told apart by their number."));
    add(tr("seeds"), seeds_, tr("One run a seed. At least three seeds are needed to compare two variants."));
    add(tr("device"), device_, text(runField({"train", "device"}).help));
    training_ = new FieldForm(1, box);
    training_->layout()->setContentsMargins(0, 0, 0, 0);
    training_->setFields({runField({"train", "epochs"}), runField({"train", "lr"}), runField({"train", "batch", "tokens"}),
                          runField({"train", "precision"})});
    grid->addWidget(training_, row, 0, 1, 2, Qt::AlignLeft);
    grid->setRowStretch(row + 1, 1);
    grid->setColumnStretch(1, 1);
    connect(training_, &FieldForm::edited, this, [this](const std::string& key, const Json& value) {
        draft_.apply({"train." + key + "=" + value.dump()}, QStringLiteral("train.%1 = %2").arg(text(key), text(value.dump())));
    });
    const auto setDevice = [this] {
        draft_.apply({"train.device=" + device_->currentText().toStdString()}, tr("device %1").arg(device_->currentText()));
    };
    connect(device_, &QComboBox::activated, this, setDevice);
    connect(device_->lineEdit(), &QLineEdit::editingFinished, this, setDevice);
    connect(name_, &QLineEdit::editingFinished, this, [this] { draft_.setName(name_->text().trimmed()); });
    connect(seeds_, &QLineEdit::textChanged, this, [this] {
        refreshRuns();
        Q_EMIT seedsChanged();
    });
    return box;
}

QWidget* PlanPanel::makeRuns() {
    auto* box = new QWidget(this);
    QGridLayout* grid = planSection(box, tr("Runs this makes"));
    runs_ = new QListWidget(box);
    runs_->setFrameShape(QFrame::NoFrame);
    runs_->setAccessibleName(tr("Runs this makes"));
    runs_->setSelectionMode(QAbstractItemView::NoSelection);
    runs_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);
    runs_->setMinimumSize(px(196), px(48));
    runs_->setTextElideMode(Qt::ElideMiddle);
    runs_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    problem_ = makeCaption({}, box);
    problem_->setWordWrap(true);
    start_ = new QPushButton(box);
    setControlRole(*start_, ControlRole::Primary);
    grid->addWidget(runs_, 1, 0, 1, 2);
    grid->addWidget(problem_, 2, 0, 1, 2);
    grid->addWidget(start_, 3, 0, 1, 2, Qt::AlignRight | Qt::AlignBottom);
    grid->setRowStretch(1, 1);
    connect(start_, &QPushButton::clicked, this, &PlanPanel::startRequested);
    return box;
}

QString PlanPanel::seeds() const { return seeds_->text(); }
void PlanPanel::setSeeds(const QString& seeds) { seeds_->setText(seeds); }
void PlanPanel::focusFirst() { seeds_->setFocus(Qt::ShortcutFocusReason); }

void PlanPanel::setStarting(bool starting) {
    starting_ = starting;
    refreshRuns();
}

void PlanPanel::refresh() {
    const Json& document = draft_.document();
    if (!document.is_object()) return;
    data_->refresh();
    training_->setValues({{"epochs", runValue(document, "/train/epochs")},
                          {"lr", runValue(document, "/train/lr")},
                          {"batch.tokens", runValue(document, "/train/batch/tokens")},
                          {"precision", runValue(document, "/train/precision")}});
    for (const auto& problem : draft_.problems())
        if (problem.path.starts_with("train."))
            training_->setProblem(problem.path.substr(6), text(problem.what + "; " + problem.next));
    const Json device = runValue(document, "/train/device");
    if (!device_->lineEdit()->hasFocus())
        device_->setCurrentText(device.is_string() ? text(device.get<std::string>()) : QString());
    if (!name_->hasFocus()) name_->setText(draft_.name());
    refreshRuns();
}

QString PlanPanel::obstacle() const {
    if (!draft_.problems().empty()) return tr("To correct first: see Problems (%1).").arg(draft_.problems().size());
    if (!data_->isChosen()) return tr("No training data chosen yet.");
    if (readSeeds(seeds_->text()).empty()) return tr("Write seeds as whole numbers: 1,2,3 or 1-5, at most %1.").arg(kMostRuns);
    return {};
}

std::vector<Json> PlanPanel::plannedRuns() const {
    std::vector<Json> runs;
    for (const auto seed : readSeeds(seeds_->text())) {
        Json run = draft_.document();
        run["name"] = draft_.name().toStdString();
        run["seed"] = seed;
        runs.push_back(std::move(run));
    }
    return runs;
}

void PlanPanel::refreshRuns() {
    const auto seeds = readSeeds(seeds_->text());
    setFieldProblem(*seeds_, seeds.empty() ? tr("whole numbers, separated by commas") : QString());
    runs_->clear();
    const QString device = device_->currentText();
    for (const auto seed : seeds) runs_->addItem(tr("%1 s%2   %3").arg(draft_.name()).arg(seed).arg(device));
    const QString obstacle = this->obstacle();
    problem_->setText(!obstacle.isEmpty() ? obstacle
                      : seeds.size() < 3  ? tr("Fewer than 3 seeds: differences between variants cannot be told from chance.")
                                          : tr("They are queued in this order; the first one is shown in Watch."));
    start_->setEnabled(obstacle.isEmpty() && !starting_);
    start_->setText(starting_           ? tr("Starting")
                    : seeds.size() == 1 ? tr("Start run")
                                        : tr("Start %Ln run(s)", nullptr, int(seeds.size())));
}

}  // namespace heddle::ui
