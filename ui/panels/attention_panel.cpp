// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/attention_panel.h"

#include "ui/data/exposures.h"
#include "ui/data/sentence_maps.h"
#include "ui/text/number.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"
#include "ui/widgets/elided_label.h"

#include <QAbstractItemView>
#include <QAction>
#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QSettings>
#include <QSignalBlocker>
#include <QToolButton>

#include <cmath>

namespace heddle::ui {
namespace {

constexpr int kWidestBox = 168;  ///< beside the title and the caption; the list that opens is as wide as its entries

std::string keyOf(const RunRef& run, const storage::RunQuery::Snapshot& which) {
    return run.key().toStdString() + '/' + which.name + '/' + which.path + '/' + std::to_string(which.probe) + '@' +
           std::to_string(which.step);
}

/// One entry of the box of maps: its data is the site, its words say where, and what is shown if that is not attention.
QString dataOf(const Site& site) { return QString::fromStdString(site.path + '\n' + site.name); }

QString wordsOf(const Site& site) {
    const Exposure* exposure = exposureOf(site);
    const QString where = shortSite(site.path);
    return exposure ? where + QStringLiteral(" · ") + QString::fromStdString(exposure->title) : where;
}

QToolButton* arrow(QAction* action, Icon icon, QWidget* parent) {
    auto* button = new QToolButton(parent);
    action->setIcon(themeIcon(icon));
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setAccessibleName(action->text());
    setControlRole(*button, ControlRole::Small);
    return button;
}

}  // namespace

AttentionPanel::AttentionPanel(Databases& databases, QWidget* parent)
    : Panel(tr("Attention"), parent),
      map_(new MapView(this)),
      bar_(new ScaleBar(this)),
      paths_(new QComboBox(this)),
      probes_(new QComboBox(this)),
      query_(new Query(
          databases, [this] { return nextRequest(); }, [this](const Problem& problem) { showProblem(problem); }, this)) {
    map_->setAccessibleName(tr("Attention map"));
    map_->setScale(MapScale::attention());
    bar_->setScale(MapScale::attention());
    setBody(map_, {map_});
    buildFoot();
    connect(paths_, &QComboBox::activated, this, [this] {
        wishedPath_ = chosen();
        fillChoices();
        query_->request();
    });
    connect(probes_, &QComboBox::activated, query_, &Query::request);
    connect(map_, &MapView::captionChanged, this, &AttentionPanel::showWords);
    AttentionPanel::forgetRun();
}

/// One damaged record, say: its maps are not shown as if they were another's.
void AttentionPanel::showProblem(const Problem& problem) {
    shown_.reset();
    shownKey_ = askedKey_;
    setPlaceholder(problem.what, problem.next);
}

void AttentionPanel::buildFoot() {
    previous_ = new QAction(tr("Previous head"), this);
    next_ = new QAction(tr("Next head"), this);
    connect(previous_, &QAction::triggered, this, [this] { nextHead(-1); });
    connect(next_, &QAction::triggered, this, [this] { nextHead(1); });
    paths_->setAccessibleName(tr("Layer and site of the attention"));
    probes_->setAccessibleName(tr("Probe sentence"));
    for (QComboBox* box : {paths_, probes_}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        setControlRole(*box, ControlRole::Small);
        box->setMinimumWidth(px(86));  // gives way where the card is narrow
    }
    paths_->setToolTip(tr("Layer and site"));
    probes_->setToolTip(tr("Probe sentence"));
    place_ = new ElidedLabel(this);
    place_->setFont(numberFont(Type::Caption));
    foot()->addWidget(bar_);
    foot()->addStretch();
    addToHead(paths_);
    addToHead(probes_);
    foot()->addWidget(place_);
    foot()->addWidget(arrow(previous_, Icon::ChevronLeft, this));
    foot()->addWidget(arrow(next_, Icon::ChevronRight, this));
}

QString AttentionPanel::chosen() const { return paths_->currentData().toString(); }

QString AttentionPanel::path() const { return chosen().section(QLatin1Char('\n'), 0, 0); }

void AttentionPanel::showSubject(const Subject&) {
    fillChoices();
    if (!subject().detail->maps.empty()) return query_->request();
    forgetRun();
    setEmptyReason(tr("No attention maps recorded"), tr("Maps are stored at steps 1, 2, 4, … and then every "
                                                        "record.maps_every steps, for record.probes sentences."));
}

void AttentionPanel::forgetRun() {
    shown_.reset();
    shownKey_.clear();
    askedKey_.clear();
    query_->drop();
    setEmpty(tr("No attention maps yet"));
}

/// Fills the two boxes where they hold other entries than the run offers; what was chosen stays chosen.
void AttentionPanel::fillChoices() {
    QStringList paths, pathWords, probes;
    if (subject().detail)
        for (const auto& [site, steps] : subject().detail->maps) {
            paths << dataOf(site);
            pathWords << wordsOf(site);
        }
    const auto fill = [](QComboBox* box, const QStringList& entries, const QStringList& words, const QString& wished) {
        QStringList now;
        for (int i = 0; i < box->count(); ++i) now << box->itemData(i).toString();
        if (now == entries) return;
        const QSignalBlocker quiet(box);
        box->clear();
        for (qsizetype i = 0; i < entries.size(); ++i) box->addItem(words[i], entries[i]);
        box->setCurrentIndex(int(std::max<qsizetype>(0, entries.indexOf(wished))));
        int widest = 0;
        for (int i = 0; i < box->count(); ++i) widest = std::max(widest, textWidth(box->itemText(i), box->font()));
        box->setMaximumWidth(std::min(widest + px(38), px(kWidestBox)));
        box->view()->setMinimumWidth(widest + px(38));
    };
    // The last cross attention says most; where there is none, the last.
    QString wished = wishedPath_;
    if (!paths.contains(wished) && !paths.isEmpty()) {
        const QStringList weights = paths.filter(QStringLiteral("\nweight"));
        const QStringList cross = weights.filter(QStringLiteral(".cross\n"));
        wished = !cross.isEmpty() ? cross.last() : !weights.isEmpty() ? weights.last() : paths.last();
    }
    fill(paths_, paths, pathWords, wished);
    if (subject().detail)
        for (const auto& [site, byProbe] : subject().detail->maps)
            if (dataOf(site) == chosen())
                for (const auto& [probe, steps] : byProbe) probes << tr("probe %1").arg(probe);
    // Probe 0 may be a short sentence: the second shows more, and both are one key away.
    fill(probes_, probes, probes, probes_->count() > 0 ? probes_->currentText() : probes.value(1));
    for (QComboBox* box : {paths_, probes_}) {
        box->setEnabled(box->count() > 1);
        box->setVisible(box->count() > 0);
    }
}

std::optional<storage::RunQuery::Snapshot> AttentionPanel::wanted() const {
    if (!subject().detail) return std::nullopt;
    for (const auto& [site, byProbe] : subject().detail->maps) {
        if (dataOf(site) != chosen()) continue;
        for (const auto& [probe, steps] : byProbe)
            if (tr("probe %1").arg(probe) == probes_->currentText())
                if (const auto step = stepAtOrBefore(steps, subject().step))
                    return storage::RunQuery::Snapshot{site.name, site.path, *step, probe};
    }
    return std::nullopt;
}

Query::Request AttentionPanel::nextRequest() {
    const auto which = wanted();
    if (!which) return {};
    const std::string key = keyOf(subject().run, *which);
    if (key == shownKey_) return {};
    askedKey_ = key;
    return {subject().run.database,
            [this, run = subject().run.id, which = *which, key](storage::RunQuery& query) -> Query::Apply {
                auto record = query.map(run, which);
                auto map = record ? std::make_shared<const storage::MapRecord>(std::move(*record)) : nullptr;
                return [this, map, key] {
                    shown_ = map;
                    shownKey_ = key;
                    show();
                    query_->request();  // the scrubber may have moved on
                };
            }};
}

void AttentionPanel::nextHead(int by) {
    if (shown_) showHead(head_ + by);
}

void AttentionPanel::showHead(int head) {
    head_ = head;
    show();
}

void AttentionPanel::show() {
    if (!shown_ || shown_->heads <= 0) {
        setPlaceholder(tr("This map is not stored any more"), tr("Older maps are thinned when they take too much room."));
        return;
    }
    head_ = std::clamp(head_, 0, int(shown_->heads) - 1);
    previous_->setEnabled(head_ > 0);
    next_->setEnabled(head_ + 1 < shown_->heads);
    MapData picture = headOf(*shown_, head_);
    const Exposure* exposure = exposureOf({shown_->name, shown_->path});
    MapScale scale = MapScale::attention();
    const bool isSigned =
        (exposure && exposure->quantity != Exposure::Quantity::Weight && exposure->quantity != Exposure::Quantity::UnitGate) ||
        std::any_of(picture.values.begin(), picture.values.end(), [](float value) { return value < 0; });  // talking heads
    if (isSigned) {
        double largest = 0;
        for (const float value : picture.values)
            if (std::isfinite(value)) largest = std::max(largest, std::abs(double(value)));
        scale = MapScale::symmetric(largest);
    }
    map_->setData(std::move(picture), scale);
    bar_->setScale(scale);
    setPlaceholder({}, {});
    showWords();
}

void AttentionPanel::showWords() {
    if (!shown_) return;
    const QString where = tr("%1, head %2").arg(QString::fromStdString(shown_->path)).arg(head_);
    const QString step = tr("step %1").arg(count(shown_->step));
    place_->setText(tr("%1, head %2 of %3").arg(step).arg(head_).arg(shown_->heads));
    setNote(map_->caption(), where + QStringLiteral(", ") + step);
    map_->setAccessibleName(tr("Map of %1").arg(where));
}

void AttentionPanel::saveSession(QSettings& settings) const {
    settings.setValue(QStringLiteral("watch/attention_path"), wishedPath_);
    settings.setValue(QStringLiteral("watch/attention_head"), head_);
}

void AttentionPanel::restoreSession(QSettings& settings) {
    wishedPath_ = settings.value(QStringLiteral("watch/attention_path")).toString();
    head_ = settings.value(QStringLiteral("watch/attention_head")).toInt();
}

}  // namespace heddle::ui
