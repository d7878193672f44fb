// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/interventions_panel.h"

#include "ui/data/exposures.h"
#include "ui/panels/effect_view.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/panel_title.h"
#include "ui/widgets/small_parts.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QInputDialog>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <QTreeWidget>

#include <algorithm>
#include <iterator>

namespace heddle::ui {
namespace {

/// The words for a kind of interventionKinds().
QString kindWords(const std::string& kind) {
    if (kind == "mute") return InterventionsPanel::tr("Mute head");
    if (kind == "clamp") return InterventionsPanel::tr("Clamp");
    if (kind == "scale") return InterventionsPanel::tr("Scale");
    if (kind == "cut_carry") return InterventionsPanel::tr("Cut score carry");
    if (kind == "identity") return InterventionsPanel::tr("Identity residual");
    return InterventionsPanel::tr("Neutral block");
}

}  // namespace

QString wordsOf(const Intervention& intervention) { return kindWords(kindOf(intervention)); }

QString shortWords(const Intervention& intervention) { return shortPath(QString::fromStdString(textOf(intervention))); }

InterventionsPanel::InterventionsPanel(QWidget* parent) : QWidget(parent), title_(new PanelTitle(tr("Interventions"), this)) {
    QVBoxLayout* column = makeColumn(this);
    add_ = new QToolButton(title_);
    add_->setText(tr("Add"));
    add_->setAccessibleName(tr("Add an intervention"));
    add_->setPopupMode(QToolButton::InstantPopup);
    setControlRole(*add_, ControlRole::Small);
    menu_ = new QMenu(add_);
    add_->setMenu(menu_);
    clear_ = new QPushButton(tr("Clear"), title_);
    clear_->setAccessibleName(tr("Remove all interventions"));
    setControlRole(*clear_, ControlRole::Small);
    kept_ = new QComboBox(title_);
    kept_->setObjectName(QStringLiteral("keptMeasurements"));
    kept_->setAccessibleName(tr("Kept measurements"));
    kept_->setToolTip(tr("What was measured on this model; of B the same measurement stands beside it"));
    kept_->setMaximumWidth(px(220));
    kept_->hide();
    export_ = new QPushButton(tr("Export…"), title_);
    export_->setObjectName(QStringLiteral("exportMeasurement"));
    setControlRole(*export_, ControlRole::Small);
    export_->hide();
    for (QWidget* one : std::initializer_list<QWidget*>{kept_, export_, add_, clear_}) title_->add(one);
    connect(kept_, &QComboBox::activated, this, [this](int row) { Q_EMIT keptChosen(kept_->itemData(row).toString()); });
    connect(export_, &QPushButton::clicked, this, &InterventionsPanel::exportRequested);
    column->addWidget(title_);
    auto* both = new QHBoxLayout;
    both->setSpacing(px(1));
    auto* left = new QWidget(this);
    buildList(left);
    effects_ = new EffectView(this);
    both->addWidget(left, 2);
    both->addWidget(effects_, 4);
    column->addLayout(both, 1);
    connect(clear_, &QPushButton::clicked, this, [this] {
        list_.clear();
        shown_->clear();
        showButtons();
        Q_EMIT activeChanged();
    });
    connect(shown_, &QTreeWidget::itemChanged, this, [this] {
        showButtons();
        Q_EMIT activeChanged();
    });
    connect(measure_, &QPushButton::clicked, this, [this] { Q_EMIT busy_ ? cancelRequested() : measureRequested(); });
    connect(rank_, &QPushButton::clicked, this, [this] {
        Q_EMIT rankRequested(ranked_->currentIndex() == 0 ? RankRequest::What::Heads : RankRequest::What::Gates);
    });
    connect(train_, &QPushButton::clicked, this, &InterventionsPanel::trainingChangeRequested);
    showButtons();
}

void InterventionsPanel::buildList(QWidget* box) {
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    shown_ = new QTreeWidget(box);
    shown_->setColumnCount(2);
    shown_->setHeaderHidden(true);
    shown_->setRootIsDecorated(false);
    shown_->setFrameShape(QFrame::NoFrame);
    shown_->setAccessibleName(tr("Interventions"));
    shown_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    column->addWidget(shown_, 1);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(px(8), 0, px(8), px(6));
    examples_ = new QSpinBox(box);
    examples_->setRange(1, 100000);
    examples_->setValue(256);
    examples_->setAccessibleName(tr("Validation examples"));
    examples_->setToolTip(tr("So many validation examples are measured"));
    examples_->setSuffix(tr(" examples"));
    decode_ = new QCheckBox(tr("Decode too"), box);
    decode_->setToolTip(tr("Also decode them: BLEU and outputs; takes longer"));
    measure_ = new QPushButton(tr("Measure"), box);
    setControlRole(*measure_, ControlRole::Primary);
    row->addWidget(examples_);
    row->addWidget(decode_);
    row->addStretch();
    column->addLayout(row);
    auto* second = new QHBoxLayout;
    second->setContentsMargins(px(8), 0, px(8), px(8));
    ranked_ = new QComboBox(box);
    ranked_->addItems({tr("heads"), tr("gates")});
    ranked_->setAccessibleName(tr("What is ranked"));
    rank_ = new QPushButton(tr("Rank all"), box);
    setControlRole(*rank_, ControlRole::Small);
    progress_ = new QProgressBar(box);
    progress_->setAccessibleName(tr("Progress"));
    progress_->hide();
    second->addWidget(measure_);
    second->addStretch();
    second->addWidget(ranked_);
    second->addWidget(rank_);
    column->addLayout(second);
    auto* third = new QHBoxLayout;
    third->setContentsMargins(px(8), 0, px(8), px(8));
    inTraining_ = new ElidedLabel(box);
    train_ = new QPushButton(tr("Change the training"), box);
    setControlRole(*train_, ControlRole::Small);
    third->addWidget(inTraining_, 1);
    third->addWidget(progress_, 1);
    third->addWidget(train_);
    column->addLayout(third);
}

void InterventionsPanel::setInTraining(const std::optional<std::vector<Intervention>>& inForce) {
    if (inForce == inForce_) return;
    inForce_ = inForce;
    for (const Intervention& one : inForce_.value_or(std::vector<Intervention>{})) add(one);
    showButtons();
}

InterventionChange InterventionsPanel::trainingChange() const {
    const std::vector<Intervention> wanted = active(), now = inForce_.value_or(std::vector<Intervention>{});
    const auto without = [](const std::vector<Intervention>& all, const std::vector<Intervention>& those) {
        std::vector<Intervention> rest;
        std::copy_if(all.begin(), all.end(), std::back_inserter(rest),
                     [&](const Intervention& one) { return std::find(those.begin(), those.end(), one) == those.end(); });
        return rest;
    };
    return {without(wanted, now), without(now, wanted)};
}

void InterventionsPanel::setTargets(const InterventionTargets& targets) {
    clampable_ = targets.exposures;
    std::erase_if(clampable_, [](const ModuleExposure& one) { return !one.exposure.clampable; });
    fillMenu(targets);
    std::vector<Intervention> allowed;
    for (const Intervention& one : list_) {
        try {
            checkInterventions({one}, targets);
            allowed.push_back(one);
        } catch (const std::exception&) {  // the other model has no such part
        }
    }
    if (allowed.size() == list_.size()) return;
    list_.clear();
    {
        const QSignalBlocker quiet(shown_);
        shown_->clear();
    }
    for (const Intervention& one : allowed) add(one);
    Q_EMIT activeChanged();
}

void InterventionsPanel::fillMenu(const InterventionTargets& targets) {
    menu_->clear();
    const auto shorten = [](const std::string& path) { return shortPath(QString::fromStdString(path)); };
    QMenu* mute = menu_->addMenu(kindWords("mute"));
    for (const auto& attention : targets.attentions) {
        QMenu* heads = mute->addMenu(shorten(attention.path));
        for (std::int64_t head = 0; head < attention.heads; ++head)
            heads->addAction(tr("head %1").arg(head), this, [this, path = attention.path, head] { add(MuteHead{path, head}); });
    }
    for (const char* kind : {"clamp", "scale"}) {
        QMenu* values = menu_->addMenu(kindWords(kind) + QStringLiteral("…"));
        for (const ModuleExposure& one : clampable_)
            values->addAction(shorten(one.path()), this,
                              [this, kind, one] { ask(kind, one.path(), one.exposure.low, one.exposure.high); });
        values->setEnabled(!values->isEmpty());
    }
    const auto list = [&](const char* kind, const std::vector<std::string>& paths) {
        QMenu* sites = menu_->addMenu(kindWords(kind));
        for (const std::string& path : paths)
            sites->addAction(shorten(path), this,
                             [this, kind = std::string(kind), path] { add(parseIntervention(kind, path)); });
        sites->setEnabled(!paths.empty());
    };
    list("cut_carry", targets.carries);
    list("identity", targets.residuals);
    list("neutral", targets.neutral);
    showButtons();
}

void InterventionsPanel::ask(const char* kind, const std::string& path, double low, double high) {
    const bool scales = std::string(kind) == "scale";
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setInputMode(QInputDialog::DoubleInput);
    dialog->setWindowTitle(kindWords(kind));
    dialog->setLabelText(scales ? tr("%1 times").arg(QString::fromStdString(path))
                                : tr("%1 =").arg(QString::fromStdString(path)));
    dialog->setDoubleDecimals(3);
    dialog->setDoubleRange(-1e6, 1e6);
    dialog->setDoubleValue(scales ? 0.5 : std::midpoint(low, high));
    connect(dialog, &QInputDialog::doubleValueSelected, this, [this, scales, path](double value) {
        if (scales)
            add(ScaleExposure{path, value});
        else
            add(ClampExposure{path, value});
    });
    dialog->open();
}

void InterventionsPanel::setModel(const QString& model, const QString& error) {
    title_->setNote(model.isEmpty() ? QString() : tr("measured on a copy of %1: nothing is written to the run").arg(model));
    if (error_ == error) return;
    error_ = error;
    showButtons();
}

void InterventionsPanel::setKept(const QList<std::pair<QString, QString>>& kept, const QString& shown) {
    const QSignalBlocker quiet(kept_);
    kept_->clear();
    for (const auto& [question, words] : kept) kept_->addItem(words, question);
    kept_->setCurrentIndex(kept_->findData(shown));
    kept_->setVisible(!kept.isEmpty());
    export_->setVisible(!kept.isEmpty());
}

void InterventionsPanel::forgetEffects() { effects_->showText(error_.isEmpty() ? EffectView::hint() : error_); }

void InterventionsPanel::add(const Intervention& intervention) {
    const auto found = std::find(list_.begin(), list_.end(), intervention);
    if (found != list_.end()) {
        shown_->topLevelItem(int(found - list_.begin()))->setCheckState(0, Qt::Checked);
        return;
    }
    list_.push_back(intervention);
    {
        const QSignalBlocker quiet(shown_);
        auto* item = new QTreeWidgetItem(shown_, {wordsOf(intervention), shortWords(intervention)});
        item->setFont(1, typeFont(Type::Mono));
        item->setToolTip(1, QString::fromStdString(textOf(intervention)));
        item->setCheckState(0, Qt::Checked);
    }
    showButtons();
    Q_EMIT activeChanged();
}

void InterventionsPanel::toggle(const Intervention& intervention) {
    const auto found = std::find(list_.begin(), list_.end(), intervention);
    if (found == list_.end()) return add(intervention);
    QTreeWidgetItem* item = shown_->topLevelItem(int(found - list_.begin()));
    item->setCheckState(0, item->checkState(0) == Qt::Checked ? Qt::Unchecked : Qt::Checked);
}

void InterventionsPanel::clampGateOf(const QString& sublayer) {
    const auto found = std::find_if(clampable_.begin(), clampable_.end(), [&](const ModuleExposure& one) {
        return one.exposure.isGate() && one.sublayer == sublayer.toStdString();
    });
    if (found == clampable_.end()) return effects_->setNote(tr("%1 has no gate.").arg(sublayer));
    ask("clamp", found->path(), found->exposure.low, found->exposure.high);
}

QWidget* InterventionsPanel::titleRow() const { return title_; }

std::vector<Intervention> InterventionsPanel::active() const {
    std::vector<Intervention> all;
    for (std::size_t i = 0; i < list_.size(); ++i)
        if (shown_->topLevelItem(int(i))->checkState(0) == Qt::Checked) all.push_back(list_[i]);
    return all;
}

QStringList InterventionsPanel::mutedHeads() const {
    QStringList heads;
    for (const Intervention& one : active())
        if (std::holds_alternative<MuteHead>(one)) heads << QString::fromStdString(textOf(one));
    return heads;
}

std::int64_t InterventionsPanel::examples() const { return examples_->value(); }

bool InterventionsPanel::decodes() const { return decode_->isChecked(); }

void InterventionsPanel::setProgress(std::int64_t done, std::int64_t all) {
    progress_->setRange(0, int(all));
    progress_->setValue(int(done));
    progress_->setVisible(busy_);
}

void InterventionsPanel::setBusy(bool busy) {
    busy_ = busy;
    if (!busy) progress_->hide();
    showButtons();
}

void InterventionsPanel::showButtons() {
    const bool canAsk = error_.isEmpty() && !busy_;
    measure_->setText(busy_ ? tr("Cancel") : tr("Measure"));
    measure_->setEnabled(canAsk || busy_);
    rank_->setEnabled(canAsk);
    ranked_->setEnabled(canAsk);
    add_->setEnabled(error_.isEmpty() && !menu_->isEmpty());
    clear_->setEnabled(!list_.empty());
    for (QWidget* one : std::initializer_list<QWidget*>{measure_, add_}) one->setToolTip(error_);
    rank_->setToolTip(error_.isEmpty() ? tr("Changes one after the other and sorts them by what that costs") : error_);
    const bool changes = inForce_ && trainingChange() != InterventionChange{};
    train_->setEnabled(changes && !busy_);
    train_->setToolTip(!inForce_  ? tr("The run is not in training.")
                       : !changes ? tr("The training goes on with what is ticked.")
                                  : tr("From its next step on the run trains with what is ticked, and with nothing else."));
    inTraining_->setText(!inForce_           ? tr("Not in training")
                         : inForce_->empty() ? tr("In training, unchanged")
                                             : tr("In training with %Ln of them", nullptr, int(inForce_->size())));
}

}  // namespace heddle::ui
