// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/attention_panel.h"

#include "ui/data/exposures.h"
#include "ui/data/sentence_maps.h"
#include "ui/text/number.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QToolButton>

#include <cmath>

namespace heddle::ui {
namespace {

/// The key of an entry in the box of maps.
QString keyOf(const Site& site) { return QString::fromStdString(site.path + '\n' + site.name); }

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

AttentionPanel::AttentionPanel(Databases& databases, const QString& keys, QWidget* parent)
    : Panel(tr("Attention"), parent),
      databases_(databases),
      map_(new MapView(this)),
      bar_(new ScaleBar(this)),
      paths_(addChoice(tr("Layer and site of the attention"))),
      probes_(addChoice(tr("Probe sentence"))) {
    map_->setAccessibleName(tr("Attention map"));
    map_->setScale(MapScale::attention());
    bar_->setScale(MapScale::attention());
    setBody(map_, {map_});
    buildFoot();
    connect(paths_, &QComboBox::activated, this, [this] {
        preferredPath_ = chosenSite();
        fillChoices();
        read();
        Q_EMIT choiceChanged();
    });
    connect(probes_, &QComboBox::activated, this, [this] {
        read();
        Q_EMIT choiceChanged();
    });
    connect(map_, &MapView::captionChanged, this, &AttentionPanel::showText);
    if (!keys.isEmpty()) {
        choices_.add(keys + QStringLiteral("/attention_path"), preferredPath_);
        choices_.add(keys + QStringLiteral("/attention_head"), head_);
    }
    AttentionPanel::clearRun();
}

void AttentionPanel::buildFoot() {
    previous_ = new QAction(tr("Previous head"), this);
    next_ = new QAction(tr("Next head"), this);
    connect(previous_, &QAction::triggered, this, [this] { nextHead(-1); });
    connect(next_, &QAction::triggered, this, [this] { nextHead(1); });
    place_ = new ElidedLabel(this);
    place_->setFont(numberFont(Type::Caption));
    foot()->addWidget(bar_);
    foot()->addStretch();
    for (QComboBox* box : {paths_, probes_}) box->setMinimumWidth(px(86));
    foot()->addWidget(place_);
    foot()->addWidget(arrow(previous_, Icon::ChevronLeft, this));
    foot()->addWidget(arrow(next_, Icon::ChevronRight, this));
}

QString AttentionPanel::chosenSite() const { return paths_->currentData().toString(); }

QString AttentionPanel::path() const { return chosenSite().section(QLatin1Char('\n'), 0, 0); }

void AttentionPanel::showSubject(const Subject&) {
    fillChoices();
    if (!subject().detail->maps.empty()) return read();
    clearRun();
    setEmptyReason(tr("No attention maps recorded"), tr("Maps are stored at steps 1, 2, 4, … and then every "
                                                        "record.maps_every steps, for record.probes sentences."));
}

void AttentionPanel::clearRun() {
    shown_.reset();
    query_.cancel();
    setEmpty(tr("No attention maps yet"));
}

const std::map<std::int64_t, std::vector<Step>>* AttentionPanel::chosenMaps() const {
    if (subject().detail)
        for (const auto& [site, byProbe] : subject().detail->maps)
            if (keyOf(site) == chosenSite()) return &byProbe;
    return nullptr;
}

/// Fills the two boxes and keeps the choices.
void AttentionPanel::fillChoices() {
    QStringList paths, pathWords, probes, probeWords;
    if (subject().detail)
        for (const auto& [site, steps] : subject().detail->maps) {
            paths << keyOf(site);
            pathWords << wordsOf(site);
        }
    // The last cross attention is the most informative; without cross attention, the last map.
    QString preferred = preferredPath_;
    if (!paths.contains(preferred) && !paths.isEmpty()) {
        const QStringList weights = paths.filter(QStringLiteral("\nweight"));
        const QStringList cross = weights.filter(QStringLiteral(".cross\n"));
        preferred = !cross.isEmpty() ? cross.last() : !weights.isEmpty() ? weights.last() : paths.last();
    }
    fillChoice(*paths_, paths, pathWords, preferred);
    if (const auto* maps = chosenMaps())
        for (const auto& [probe, steps] : *maps) {
            probes << QString::number(probe);
            probeWords << tr("probe %1").arg(probe);
        }
    // Probe 0 may be a short sentence, so the second is the default.
    fillChoice(*probes_, probes, probeWords, probes_->count() > 0 ? probes_->currentData().toString() : probes.value(1));
}

void AttentionPanel::read() {
    const auto* maps = chosenMaps();
    if (!maps) return;
    const std::int64_t probe = probes_->currentData().toString().toLongLong();
    const auto steps = maps->find(probe);
    const auto step = steps == maps->end() ? std::nullopt : stepAtOrBefore(steps->second, subject().step);
    if (!step) return;
    const RunRef& run = subject().run;
    query_.askOnce(
        QStringLiteral("%1/%2/%3/%4").arg(run.key(), chosenSite()).arg(probe).arg(*step).toStdString(),
        databases_.reader(run.database),
        [id = run.id, site = chosenSite().split(QLatin1Char('\n')), step = *step, probe](storage::RunQuery& query) -> Map {
            auto map = query.map(id, {site.value(1).toStdString(), site.value(0).toStdString(), step, probe});
            return map ? std::make_shared<const storage::MapRecord>(std::move(*map)) : nullptr;
        });
}

/// If the record cannot be read (damaged, for example), the panel does not keep showing the map before it.
void AttentionPanel::take(Result<Map> map) {
    shown_ = map ? *map : nullptr;
    if (!map) return setPlaceholder(map.problem().what, map.problem().next);
    show();
}

void AttentionPanel::nextHead(int by) {
    if (!shown_) return;
    head_ += by;
    show();
    Q_EMIT choiceChanged();
}

void AttentionPanel::showLike(const AttentionPanel& other) {
    preferredPath_ = other.chosenSite();
    head_ = other.head_;
    fillChoices();
    const auto take = [](QComboBox& box, const QComboBox& from) {
        if (const int place = box.findData(from.currentData()); place >= 0) box.setCurrentIndex(place);
    };
    take(*paths_, *other.paths_);
    fillChoices();  // the sentences of this map
    take(*probes_, *other.probes_);
    read();
    if (shown_) show();
}

void AttentionPanel::show() {
    if (!shown_ || shown_->heads <= 0) {
        setPlaceholder(tr("This map is no longer stored"), tr("Older maps are thinned to save space."));
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
    showText();
}

void AttentionPanel::showText() {
    if (!shown_) return;
    const QString where = tr("%1, head %2").arg(QString::fromStdString(shown_->path)).arg(head_);
    const QString step = tr("step %1").arg(count(shown_->step));
    place_->setText(tr("%1, head %2 of %3").arg(step).arg(head_).arg(shown_->heads));
    setNote(map_->caption(), where + QStringLiteral(", ") + step);
    map_->setAccessibleName(tr("Map of %1").arg(where));
}

}  // namespace heddle::ui
