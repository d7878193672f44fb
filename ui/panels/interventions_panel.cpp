// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/interventions_panel.h"

#include "ui/data/exposures.h"
#include "ui/panels/sentence_panel.h"
#include "ui/text/number.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"
#include "ui/widgets/panel_title.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>

#include <algorithm>
#include <cmath>

namespace heddle::ui {
namespace {

/// What the kinds of interventionKinds() do, in their order.
QString kindWords(const std::string& kind) {
    if (kind == "mute") return InterventionsPanel::tr("Mute head");
    if (kind == "clamp") return InterventionsPanel::tr("Clamp");
    if (kind == "scale") return InterventionsPanel::tr("Scale");
    if (kind == "cut_carry") return InterventionsPanel::tr("Cut score carry");
    if (kind == "identity") return InterventionsPanel::tr("Identity residual");
    return InterventionsPanel::tr("Neutral block");
}

QTableWidgetItem* cell(const QString& text, bool isNumber = true) {
    auto* item = new QTableWidgetItem(text);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    if (isNumber) {
        item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        item->setFont(numberFont(Type::Body));
    }
    return item;
}

QTableWidget* table(const QStringList& headers, const QString& name, QWidget* parent) {
    auto* made = new QTableWidget(0, int(headers.size()), parent);
    made->setHorizontalHeaderLabels(headers);
    made->setAccessibleName(name);
    made->setFrameShape(QFrame::NoFrame);
    made->setSelectionBehavior(QAbstractItemView::SelectRows);
    made->setSelectionMode(QAbstractItemView::SingleSelection);
    made->verticalHeader()->hide();
    made->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    made->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    made->setEditTriggers(QAbstractItemView::NoEditTriggers);
    made->setTabKeyNavigation(false);
    return made;
}

/// Loss in nats with four decimals, shares and scores with two of their percent.
int decimalsOf(const std::string& metric) { return metric.find("loss") != std::string::npos ? 4 : 2; }

/// Shares are stored as 0 … 1.
double factorOf(const std::string& metric) { return metric == "accuracy" ? 100 : 1; }

QString metricWords(const std::string& metric) {
    if (metric == "loss") return InterventionsPanel::tr("loss, nats a token");
    if (metric == "accuracy") return InterventionsPanel::tr("accuracy, %");
    return QString::fromStdString(metric);
}

QString changeOf(const MetricEffect& effect) {
    const double factor = factorOf(effect.metric);
    const int decimals = decimalsOf(effect.metric);
    const QString change = signedNumber(effect.difference() * factor, decimals);
    if (!effect.halfWidth) return change;
    return QStringLiteral("%1 [%2, %3]")
        .arg(change, signedNumber((effect.difference() - *effect.halfWidth) * factor, decimals),
             signedNumber((effect.difference() + *effect.halfWidth) * factor, decimals));
}

}  // namespace

QString wordsOf(const Intervention& intervention) { return kindWords(kindOf(intervention)); }

InterventionsPanel::InterventionsPanel(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* title = new PanelTitle(tr("Interventions"), this);
    title->setNote(tr("on a copy of the model: nothing is written to the run"));
    add_ = new QToolButton(title);
    add_->setText(tr("Add"));
    add_->setAccessibleName(tr("Add an intervention"));
    add_->setPopupMode(QToolButton::InstantPopup);
    setControlRole(*add_, ControlRole::Small);
    menu_ = new QMenu(add_);
    add_->setMenu(menu_);
    clear_ = new QPushButton(tr("Clear"), title);
    clear_->setAccessibleName(tr("Remove all interventions"));
    setControlRole(*clear_, ControlRole::Small);
    title->add(add_);
    title->add(clear_);
    column->addWidget(title);
    auto* both = new QHBoxLayout;
    both->setSpacing(px(1));
    auto *left = new QWidget(this), *right = new QWidget(this);
    buildList(left);
    buildEffect(right);
    both->addWidget(left, 2);
    both->addWidget(right, 3);
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
    connect(measure_, &QPushButton::clicked, this, &InterventionsPanel::measureWanted);
    connect(rank_, &QPushButton::clicked, this,
            [this] { Q_EMIT rankWanted(ranked_->currentIndex() == 0 ? RankRequest::What::Heads : RankRequest::What::Gates); });
    connect(cancel_, &QPushButton::clicked, this, &InterventionsPanel::cancelWanted);
    connect(ranking_, &QTableWidget::itemSelectionChanged, this, [this] {
        const auto chosen = ranking_->selectedItems();
        if (chosen.isEmpty()) return;
        const QVariant head = chosen.front()->data(Qt::UserRole + 1);
        if (head.isValid()) Q_EMIT headChosen(chosen.front()->data(Qt::UserRole).toString(), head.toInt());
    });
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
    decode_ = new QCheckBox(tr("decode"), box);
    decode_->setToolTip(tr("Also decode them: BLEU and outputs; takes longer"));
    measure_ = new QPushButton(tr("Measure"), box);
    setControlRole(*measure_, ControlRole::Primary);
    row->addWidget(examples_);
    row->addWidget(decode_);
    row->addStretch();
    row->addWidget(measure_);
    column->addLayout(row);
    auto* second = new QHBoxLayout;
    second->setContentsMargins(px(8), 0, px(8), px(8));
    ranked_ = new QComboBox(box);
    ranked_->addItems({tr("heads"), tr("gates")});
    ranked_->setAccessibleName(tr("What is ranked"));
    rank_ = new QPushButton(tr("Rank all"), box);
    rank_->setToolTip(tr("Changes one after the other and sorts them by what that costs"));
    setControlRole(*rank_, ControlRole::Small);
    progress_ = new QProgressBar(box);
    progress_->setAccessibleName(tr("Progress"));
    progress_->hide();
    cancel_ = new QPushButton(tr("Cancel"), box);
    setControlRole(*cancel_, ControlRole::Small);
    second->addWidget(ranked_);
    second->addWidget(rank_);
    second->addWidget(progress_, 1);
    second->addStretch();
    second->addWidget(cancel_);
    column->addLayout(second);
}

void InterventionsPanel::buildEffect(QWidget* box) {
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    note_ = new QLabel(box);
    note_->setWordWrap(true);
    note_->setMargin(px(8));
    note_->setFont(typeFont(Type::Caption));
    note_->setForegroundRole(QPalette::PlaceholderText);
    note_->setText(tr("Add an intervention, or mute the chosen head with M; then Measure."));
    effect_ = table({tr("metric"), tr("as trained"), tr("intervened"), tr("change [95 %]")}, tr("Effects"), box);
    ranking_ = table({tr("changed"), tr("loss"), tr("change [95 %]")}, tr("Ranking"), box);
    effect_->hide();
    ranking_->hide();
    outputs_ = new QLabel(box);
    outputs_->setWordWrap(true);
    outputs_->setMargin(px(8));
    outputs_->setTextFormat(Qt::RichText);
    outputs_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    outputs_->hide();
    column->addWidget(note_);
    column->addWidget(effect_, 1);
    column->addWidget(ranking_, 1);
    column->addWidget(outputs_);
    column->addStretch();
}

void InterventionsPanel::setTargets(const InterventionTargets& targets) {
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
    const auto shorten = [](const std::string& path) { return QString::fromStdString(path); };
    QMenu* mute = menu_->addMenu(kindWords("mute"));
    for (const auto& attention : targets.attentions) {
        QMenu* heads = mute->addMenu(shorten(attention.path));
        for (std::int64_t head = 0; head < attention.heads; ++head)
            heads->addAction(tr("head %1").arg(head), this, [this, path = attention.path, head] { add(MuteHead{path, head}); });
    }
    for (const char* kind : {"clamp", "scale"}) {
        QMenu* values = menu_->addMenu(kindWords(kind) + QStringLiteral("…"));
        for (const ModuleExposure& one : targets.exposures)
            if (one.exposure.clampable)
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
    bool isGiven = false;
    const double value = QInputDialog::getDouble(
        this, kindWords(kind),
        scales ? tr("%1 times").arg(QString::fromStdString(path)) : tr("%1 =").arg(QString::fromStdString(path)),
        scales ? 0.5 : std::midpoint(low, high), -1e6, 1e6, 3, &isGiven);
    if (!isGiven) return;
    if (scales)
        add(ScaleExposure{path, value});
    else
        add(ClampExposure{path, value});
}

void InterventionsPanel::setObstacle(const QString& reason) {
    if (obstacle_ == reason) return;
    obstacle_ = reason;
    if (!reason.isEmpty()) say(reason);
    showButtons();
}

void InterventionsPanel::add(const Intervention& intervention) {
    const auto found = std::find(list_.begin(), list_.end(), intervention);
    if (found != list_.end()) {
        shown_->topLevelItem(int(found - list_.begin()))->setCheckState(0, Qt::Checked);
        return;
    }
    list_.push_back(intervention);
    {
        const QSignalBlocker quiet(shown_);
        auto* item = new QTreeWidgetItem(shown_, {wordsOf(intervention), QString::fromStdString(textOf(intervention))});
        item->setFont(1, typeFont(Type::Mono));
        item->setToolTip(1, item->text(1));
        item->setCheckState(0, Qt::Checked);
    }
    showButtons();
    Q_EMIT activeChanged();
}

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

void InterventionsPanel::say(const QString& words) {
    note_->setText(words);
    note_->setVisible(!words.isEmpty());
}

void InterventionsPanel::setEffect(const EffectReport& report) {
    ranking_->hide();
    effect_->setRowCount(0);
    const auto addRow = [this](const QStringList& cells, const QString& tip) {
        const int row = effect_->rowCount();
        effect_->insertRow(row);
        for (int column = 0; column < int(cells.size()); ++column) {
            QTableWidgetItem* item = cell(cells[column], column > 0);
            item->setToolTip(tip);
            effect_->setItem(row, column, item);
        }
    };
    for (const MetricEffect& effect : report.metrics) {
        const double factor = factorOf(effect.metric);
        const int decimals = decimalsOf(effect.metric);
        addRow({metricWords(effect.metric), number(effect.trained * factor, decimals),
                number(effect.intervened * factor, decimals), changeOf(effect)},
               tr("n = %1, %2").arg(count(effect.n), QString::fromStdString(effect.signature)));
    }
    if (report.metrics.empty())
        for (const auto& value : report.trained)
            if (value.metric != "decode_seconds")
                addRow({metricWords(value.metric), number(value.value * factorOf(value.metric), decimalsOf(value.metric)),
                        QString(), QString()},
                       tr("n = %1, %2").arg(count(value.n), QString::fromStdString(value.signature)));
    effect_->show();
    QString words = tr("%1 examples of the %2 split, %3 s; the interval is over examples, paired")
                        .arg(count(report.examples), QString::fromStdString(report.split), number(report.seconds, 1));
    for (const std::string& warning : report.warnings) words += QStringLiteral("\n") + QString::fromStdString(warning);
    say(words);
}

void InterventionsPanel::setOutputs(const TextEffect& outputs) {
    const QString before = QString::fromStdString(outputs.trained), after = QString::fromStdString(outputs.intervened);
    outputs_->setVisible(!before.isEmpty() || !after.isEmpty());
    outputs_->setText(
        QStringLiteral("<table><tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr><tr><td>%3</td><td>%4</td></tr></table>")
            .arg(tr("before"), before.toHtmlEscaped(), tr("after"), withDifferences(after, before)));
}

void InterventionsPanel::setRanking(const RankReport& report) {
    effect_->hide();
    outputs_->hide();
    const QSignalBlocker quiet(ranking_);
    ranking_->setRowCount(0);
    for (const RankReport::Entry& entry : report.entries) {
        const int row = ranking_->rowCount();
        ranking_->insertRow(row);
        auto* name = cell(QString::fromStdString(textOf(entry.intervention)), false);
        name->setFont(typeFont(Type::Mono));
        name->setData(Qt::UserRole, QString::fromStdString(pathOf(entry.intervention)));
        if (const auto* mute = std::get_if<MuteHead>(&entry.intervention)) name->setData(Qt::UserRole + 1, int(mute->head));
        ranking_->setItem(row, 0, name);
        ranking_->setItem(row, 1, cell(number(entry.loss.intervened, 4)));
        ranking_->setItem(row, 2, cell(changeOf(entry.loss)));
    }
    ranking_->show();
    const bool isWhole = std::ssize(report.entries) == report.all;
    QString words = tr("%1 of %2, sorted by the change of the loss on %3 examples of the %4 split, %5 s")
                        .arg(count(qint64(report.entries.size())), count(report.all), count(report.examples),
                             QString::fromStdString(report.split), number(report.seconds, 1));
    if (!isWhole) words += tr("; stopped");
    say(words);
}

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
    const bool canAsk = obstacle_.isEmpty() && !busy_;
    measure_->setEnabled(canAsk);
    rank_->setEnabled(canAsk);
    ranked_->setEnabled(canAsk);
    cancel_->setEnabled(busy_);
    add_->setEnabled(obstacle_.isEmpty() && !menu_->isEmpty());
    clear_->setEnabled(!list_.empty());
    for (QWidget* one : std::initializer_list<QWidget*>{measure_, rank_, add_}) one->setToolTip(obstacle_);
}

}  // namespace heddle::ui
