// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/watch/attention_card.h"

#include "ui/shell/controls.h"
#include "ui/shell/icons.h"
#include "ui/shell/number.h"
#include "ui/shell/type.h"
#include "ui/watch/exposures.h"

#include <QAbstractItemView>
#include <QAction>
#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QSettings>
#include <QSignalBlocker>
#include <QToolButton>

#include <cmath>

namespace heddle::ui::watch {
namespace {

constexpr int kWidestBox = 168;  ///< beside the title and the caption; the list that opens is as wide as its entries

std::string keyOf(const std::string& run, const storage::RunQuery::Snapshot& which) {
    return run + '/' + which.name + '/' + which.path + '/' + std::to_string(which.probe) + '@' + std::to_string(which.step);
}

QStringList words(const std::vector<std::string>& tokens) {
    QStringList list;
    for (const std::string& token : tokens) list << QString::fromStdString(token);
    return list;
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

MapData headOf(const storage::MapRecord& record, int head) {
    MapData map;
    map.rows = int(record.rows);
    map.columns = int(record.columns);
    const auto cells = std::size_t(record.rows * record.columns);
    const auto from = record.values.begin() + std::ptrdiff_t(cells) * head;
    map.values.assign(from, from + std::ptrdiff_t(cells));
    map.rowLabels = words(record.rowTokens);
    map.columnLabels = words(record.columnTokens);
    if (map.rowLabels.size() != map.rows) map.rowLabels.clear();
    if (map.columnLabels.size() != map.columns) map.columnLabels.clear();
    bool causal = map.rows == map.columns && map.rows > 1;
    for (int row = 0; causal && row < map.rows; ++row)
        for (int column = row + 1; causal && column < map.columns; ++column) causal = map.at(row, column) == 0;
    if (!causal) return map;
    map.masked.resize(cells);
    for (int row = 0; row < map.rows; ++row)
        for (int column = row + 1; column < map.columns; ++column)
            map.masked[std::size_t(row) * std::size_t(map.columns) + std::size_t(column)] = 1;
    return map;
}

AttentionCard::AttentionCard(Feed& feed, QWidget* parent)
    : Card(tr("Attention"), parent),
      map_(new MapView(this)),
      bar_(new ScaleBar(this)),
      paths_(new QComboBox(this)),
      probes_(new QComboBox(this)),
      question_(new Question(
          feed, [this] { return ask(); }, this)) {
    map_->setAccessibleName(tr("Attention map"));
    map_->setScale(MapScale::attention());
    bar_->setScale(MapScale::attention());
    setBody(map_, {map_});
    buildFoot();
    connect(paths_, &QComboBox::activated, this, [this] {
        wishedPath_ = chosen();
        fillChoices();
        question_->request();
    });
    connect(probes_, &QComboBox::activated, question_, &Question::request);
    connect(map_, &MapView::captionChanged, this, &AttentionCard::showWords);
    connect(question_, &Question::failed, this, [this](const Problem& problem) {  // one damaged record: said in its place
        shown_.reset();
        shownKey_ = askedKey_;
        setPlaceholder(problem.what, problem.next);
    });
    setPlaceholder(tr("No attention maps yet"), {});
}

void AttentionCard::buildFoot() {
    previous_ = new QAction(tr("Previous head"), this);
    next_ = new QAction(tr("Next head"), this);
    connect(previous_, &QAction::triggered, this, [this] { nextHead(-1); });
    connect(next_, &QAction::triggered, this, [this] { nextHead(1); });
    paths_->setAccessibleName(tr("Layer and site of the attention"));
    probes_->setAccessibleName(tr("Probe sentence"));
    for (QComboBox* box : {paths_, probes_}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        setControlRole(*box, ControlRole::Small);
    }
    paths_->setToolTip(tr("Layer and site"));
    probes_->setToolTip(tr("Probe sentence"));
    place_ = new QLabel(this);
    place_->setFont(numberFont(Type::Caption));
    foot()->addWidget(bar_);
    foot()->addStretch();
    addToHead(paths_);
    addToHead(probes_);
    foot()->addWidget(place_);
    foot()->addWidget(arrow(previous_, Icon::ChevronLeft, this));
    foot()->addWidget(arrow(next_, Icon::ChevronRight, this));
}

QString AttentionCard::chosen() const { return paths_->currentData().toString(); }

QString AttentionCard::path() const { return chosen().section(QLatin1Char('\n'), 0, 0); }

void AttentionCard::setSubject(const Subject& subject) {
    if (subject == subject_ || subject.isOnItsWay()) return;
    subject_ = subject;
    fillChoices();
    if (!subject_.detail || subject_.detail->maps.empty()) {
        shown_.reset();
        shownKey_.clear();
        setPlaceholder(!subject_.detail ? tr("No attention to show") : tr("No attention maps recorded"),
                       !subject_.detail ? tr("Choose a run.")
                                        : tr("Maps are stored at steps 1, 2, 4, … and then every record.maps_every steps, "
                                             "for record.probes sentences."));
        setNote({});
        return;
    }
    question_->request();
}

/// Fills the two boxes where they hold other entries than the run offers; what was chosen stays chosen.
void AttentionCard::fillChoices() {
    QStringList paths, pathWords, probes;
    if (subject_.detail)
        for (const auto& [site, steps] : subject_.detail->maps) {
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
        box->setFixedWidth(std::min(widest + px(38), px(kWidestBox)));
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
    if (subject_.detail)
        for (const auto& [site, byProbe] : subject_.detail->maps)
            if (dataOf(site) == chosen())
                for (const auto& [probe, steps] : byProbe) probes << tr("probe %1").arg(probe);
    // Probe 0 may be a short sentence: the second shows more, and both are one key away.
    fill(probes_, probes, probes, probes_->count() > 0 ? probes_->currentText() : probes.value(1));
    for (QComboBox* box : {paths_, probes_}) {
        box->setEnabled(box->count() > 1);
        box->setVisible(box->count() > 0);
    }
}

std::optional<AttentionCard::Wanted> AttentionCard::wanted() const {
    if (!subject_.detail) return std::nullopt;
    for (const auto& [site, byProbe] : subject_.detail->maps) {
        if (dataOf(site) != chosen()) continue;
        for (const auto& [probe, steps] : byProbe)
            if (tr("probe %1").arg(probe) == probes_->currentText())
                if (const auto step = stepAtOrBefore(steps, subject_.step))
                    return Wanted{subject_.run, {site.name, site.path, *step, probe}};
    }
    return std::nullopt;
}

Question::Reading AttentionCard::ask() {
    const auto asked = wanted();
    if (!asked) return {};
    const std::string key = keyOf(asked->run, asked->which);
    if (key == shownKey_) return {};
    askedKey_ = key;
    return [this, asked = *asked, key](storage::RunQuery& query) -> Question::Taking {
        auto record = query.map(asked.run, asked.which);
        auto map = record ? std::make_shared<const storage::MapRecord>(std::move(*record)) : nullptr;
        return [this, map, key] {
            shown_ = map;
            shownKey_ = key;
            show();
            question_->request();  // the scrubber may have moved on
        };
    };
}

void AttentionCard::nextHead(int by) {
    if (shown_) showHead(head_ + by);
}

void AttentionCard::showHead(int head) {
    head_ = head;
    show();
}

void AttentionCard::show() {
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
    map_->setScale(scale);
    bar_->setScale(scale);
    map_->setData(std::move(picture));
    setPlaceholder({}, {});
    showWords();
}

void AttentionCard::showWords() {
    if (!shown_) return;
    const QString where = tr("%1, head %2").arg(QString::fromStdString(shown_->path)).arg(head_);
    const QString step = tr("step %1").arg(count(shown_->step));
    place_->setText(tr("%1, head %2 of %3").arg(step).arg(head_).arg(shown_->heads));
    setNote(map_->caption(), where + QStringLiteral(", ") + step);
    map_->setAccessibleName(tr("Map of %1").arg(where));
}

void AttentionCard::saveSession(QSettings& settings) const {
    settings.setValue(QStringLiteral("watch/attention_path"), wishedPath_);
    settings.setValue(QStringLiteral("watch/attention_head"), head_);
}

void AttentionCard::restoreSession(QSettings& settings) {
    wishedPath_ = settings.value(QStringLiteral("watch/attention_path")).toString();
    head_ = settings.value(QStringLiteral("watch/attention_head")).toInt();
}

}  // namespace heddle::ui::watch
