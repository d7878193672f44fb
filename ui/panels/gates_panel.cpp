// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/gates_panel.h"

#include "ui/data/exposures.h"
#include "ui/text/number.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QSplitter>

#include <set>
#include <utility>

namespace heddle::ui {
namespace {

constexpr std::size_t kRidges = 14, kColumns = 64, kReadAtOnce = 96;

/// A plot with a title above it.
/// Used to skip work: the details are read again every second of a training, most often with the same gates.
bool isSame(const Subject& a, const Subject& b) {
    return a.run == b.run && a.step == b.step && a.detail && b.detail && a.detail->histograms == b.detail->histograms &&
           a.detail->attempts.size() == b.detail->attempts.size() && a.detail->stepsPerEpoch == b.detail->stepsPerEpoch;
}

/// The key under which the session stores a choice; the title may be translated or reworded.
QString keyOf(const GateKind& kind) { return QString::fromStdString(kind.name + '/' + kind.slot); }

}  // namespace

GatesPanel::GatesPanel(Databases& databases, const QString& keys, QWidget* parent)
    : Panel(tr("Gates"), parent),
      databases_(databases),
      ridges_(new RidgePlot(this)),
      sites_(new MapView(this)),
      bar_(new ScaleBar(this)),
      choice_(addChoice(tr("Which gate"))),
      saturated_(new ElidedLabel(this)) {
    buildBody();
    saturated_->setFont(numberFont(Type::Caption));
    saturated_->setAlignment(Qt::AlignRight);
    foot()->addWidget(bar_);
    foot()->addWidget(saturated_, 1);
    connect(choice_, &QComboBox::activated, this, [this] {
        preferredKind_ = choice_->currentData().toString();
        path_.clear();
        showKinds();
        Q_EMIT choiceChanged();
    });
    connect(sites_, &MapView::currentChanged, this, [this](std::optional<QPoint> cell) {
        const GateKind* shown = kind();
        if (!cell || !shown || cell->y() >= int(shown->paths.size()) || shown->paths[std::size_t(cell->y())] == path_) return;
        path_ = shown->paths[std::size_t(cell->y())];
        show();
        readMissing();
        Q_EMIT choiceChanged();
    });
    if (!keys.isEmpty()) {
        choices_.add(keys + QStringLiteral("/gate_kind"), preferredKind_);
        choices_.add(
            keys + QStringLiteral("/gate_path"), [this] { return QString::fromStdString(path_); },
            [this](const QVariant& stored) { path_ = stored.toString().toStdString(); });
    }
    GatesPanel::clearRun();
}

void GatesPanel::buildBody() {
    auto* both = new QSplitter(Qt::Horizontal, this);
    ridges_->setAccessibleName(tr("Gate values over training"));
    sites_->setAccessibleName(tr("Mean gate by site and step"));
    sites_->setShape(MapShape::Stretched);
    both->addWidget(captioned(tr("density over training, newest in front"), ridges_, both));
    both->addWidget(captioned(tr("mean by site"), sites_, both));
    both->setStretchFactor(0, 3);
    both->setStretchFactor(1, 2);
    both->setChildrenCollapsible(false);
    setBody(both, {ridges_, sites_});
}

const GateKind* GatesPanel::kind() const {
    for (const GateKind& kind : kinds_)
        if (keyOf(kind) == choice_->currentData().toString()) return &kind;
    return kinds_.empty() ? nullptr : &kinds_.front();
}

void GatesPanel::fillKinds() {
    kinds_ = gateKinds(*subject().detail);
    QStringList keys, titles;
    for (const GateKind& kind : kinds_) {
        keys << keyOf(kind);
        titles << kind.title;
    }
    fillChoice(*choice_, keys, titles, preferredKind_);
}

void GatesPanel::showLike(const GatesPanel& other) {
    preferredKind_ = other.choice_->currentData().toString();
    path_ = other.path_;
    if (const int place = choice_->findData(preferredKind_); place >= 0) choice_->setCurrentIndex(place);
    showKinds();
}

void GatesPanel::showSubject(const Subject& before) {
    if (!isSame(before, subject())) showKinds();
}

void GatesPanel::clearRun() {
    read_.clear();
    readOf_.clear();
    kinds_.clear();
    query_.cancel();
    setEmpty(tr("No gates yet"));
}

void GatesPanel::showKinds() {
    if (!subject().detail) return;
    fillKinds();
    const GateKind* shown = kind();
    if (!shown) {
        clearRun();
        return setEmptyReason(tr("No gates in this run"),
                              tr("Its blocks expose no gate, or none has been recorded yet: gates are "
                                 "stored every record.histograms_every steps."));
    }
    // Another attempt may replace snapshots, which are then read again.
    const std::string of = subject().run.key().toStdString() + '/' + std::to_string(subject().detail->attempts.size()) + '/' +
                           shown->name + shown->slot;
    if (of != std::exchange(readOf_, of)) {
        read_.clear();
        query_.cancel();
    }
    if (std::find(shown->paths.begin(), shown->paths.end(), path_) == shown->paths.end()) path_ = shown->paths.back();
    setPlaceholder({}, {});
    show();
    readMissing();
}

const std::vector<Step>& GatesPanel::stepsOf(const std::string& path) const {
    static const std::vector<Step> none;
    const GateKind* shown = kind();
    if (!shown || !subject().detail) return none;
    const auto found = subject().detail->histograms.find({shown->name, path});
    return found == subject().detail->histograms.end() ? none : found->second;
}

std::vector<std::pair<std::string, Step>> GatesPanel::wanted() const {
    std::vector<std::pair<std::string, Step>> wanted;
    const GateKind* shown = kind();
    if (!shown) return wanted;
    for (const Step step : nested(upTo(stepsOf(path_), subject().step), kRidges)) wanted.emplace_back(path_, step);
    for (const std::string& path : shown->paths)
        for (const Step step : nested(upTo(stepsOf(path), subject().step), kColumns)) wanted.emplace_back(path, step);
    return wanted;
}

void GatesPanel::readMissing() {
    auto wanted = this->wanted();
    // Snapshots that are no longer in the picture of a growing run are removed from memory.
    const std::set<std::pair<std::string, Step>> kept(wanted.begin(), wanted.end());
    std::erase_if(read_, [&](const auto& entry) { return !kept.contains(entry.first); });
    std::erase_if(wanted, [this](const auto& place) { return read_.contains(place); });
    const GateKind* shown = kind();
    if (wanted.empty() || !shown) return;
    wanted.resize(std::min(wanted.size(), kReadAtOnce));
    query_.ask(databases_.reader(subject().run.database),
               [wanted = std::move(wanted), run = subject().run.id, name = shown->name](storage::RunQuery& query) {
                   Histograms found;
                   for (const auto& [path, step] : wanted) {
                       auto& record = found[{path, step}];
                       try {
                           if (auto stored = query.histogram(run, {name, path, step, 0}))
                               record = std::make_shared<const storage::HistogramRecord>(std::move(*stored));
                       } catch (const storage::StorageError& error) {
                           // One damaged record leaves a gap in the picture; the rest is shown.
                           if (error.kind() != storage::StorageError::Kind::Corrupt) throw;
                       }
                   }
                   return found;
               });
}

void GatesPanel::take(Result<Histograms> read) {
    if (!read) return setPlaceholder(read.problem().what, read.problem().next);
    read_.merge(*read);
    show();
    readMissing();
}

void GatesPanel::show() {
    const GateKind* shown = kind();
    if (!shown) return;
    showRidges(*shown);
    showSites(*shown);
    const MapScale scale = shown->isSigned ? MapScale::symmetric(1) : MapScale::gate();
    bar_->setScale(scale);
    if (shown->isSigned)
        bar_->setEnds({}, {});
    else
        bar_->setEnds(tr("0 closed"), tr("1 open"));
    //: The name of a gate and its site.
    setNote(longSite(path_), tr("%1, %2").arg(shown->title, longSite(path_)));
}

void GatesPanel::showRidges(const GateKind& kind) {
    std::vector<Histogram> histograms;
    std::shared_ptr<const storage::HistogramRecord> newest;
    for (const Step step : nested(upTo(stepsOf(path_), subject().step), kRidges))
        if (const auto found = read_.find({path_, step}); found != read_.end() && found->second) {
            histograms.push_back(asHistogram(*found->second));
            newest = found->second;
        }
    const bool epochs = subject().detail && subject().detail->stepsPerEpoch > 0;
    ridges_->setTitles(kind.title, epochs ? tr("epoch") : tr("step"));
    if (epochs && !histograms.empty())
        ridges_->setTimeLabels(count(*subject().detail->epochOf(histograms.front().step)),
                               count(*subject().detail->epochOf(histograms.back().step)));
    else
        ridges_->setTimeLabels({}, {});
    ridges_->setHistograms(std::move(histograms), kind.isSigned ? RidgeKind::Signed : RidgeKind::Unit);
    saturated_->clear();
    if (!newest) return;
    const QString share = number(100 * saturated(*newest), 1), all = count(qint64(valuesOf(*newest)));
    saturated_->setText(kind.isSigned ? tr("%1 % beyond ± 0.9").arg(share) : tr("%1 % saturated").arg(share));
    saturated_->setToolTip(kind.isSigned ? tr("beyond ± 0.9: %1 % of %2 values").arg(share, all)
                                         : tr("< 0.05 or > 0.95: %1 % of %2 values").arg(share, all));
}

void GatesPanel::showSites(const GateKind& kind) {
    std::map<std::string, std::vector<Step>> columns;
    int row = -1;
    for (std::size_t i = 0; i < kind.paths.size(); ++i) {
        columns[kind.paths[i]] = nested(upTo(stepsOf(kind.paths[i]), subject().step), kColumns);
        if (kind.paths[i] == path_) row = int(i);
    }
    MapData means = meansBySite(kind, columns, read_);
    means.columnTitle = tr("step");
    sites_->setScale(kind.isSigned ? MapScale::symmetric(1) : MapScale::gate());
    sites_->setData(std::move(means));
    if (row >= 0 && (!sites_->current() || sites_->current()->y() != row)) sites_->setCurrent(QPoint(-1, row));
}

}  // namespace heddle::ui
