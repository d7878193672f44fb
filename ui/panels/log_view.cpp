// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/log_view.h"

#include "engine/base/json.h"
#include "engine/metrics/metric.h"
#include "engine/run/event_words.h"
#include "engine/run/intervention_change.h"
#include "engine/run/run_state.h"
#include "ui/text/number.h"
#include "ui/text/states.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QDateTime>
#include <QHeaderView>

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

QDateTime timeOf(double at) { return QDateTime::fromMSecsSinceEpoch(qint64(at * 1000)); }

QString stateWords(const storage::EventRecord& event) {
    const auto state = runStateFromName(event.text);
    QString words = state ? lookOf(Mark(int(*state))).word.toLower() : QString::fromStdString(event.text);
    const Json data = Json::parse(event.data, nullptr, false);
    if (data.is_object() && data.contains("reason") && data["reason"].is_string() && !data["reason"].get<std::string>().empty())
        words += QStringLiteral(": ") + QString::fromStdString(data["reason"].get<std::string>());
    return words;
}

}  // namespace

std::vector<LogModel::Entry> LogModel::entriesOf(const RunDetail& detail) {
    std::vector<Entry> entries;
    std::string memory;
    for (const auto& event : detail.events) {
        // Recorded at every evaluation; listed only if the value changed.
        if (event.kind == "memory" && std::exchange(memory, event.text) == event.text) continue;
        QString words = QString::fromStdString(event.text);
        if (event.kind == "state") words = stateWords(event);
        if (event.kind == "info" && event.text == kAttemptText) words = tr("attempt %1 started").arg(event.attempt);
        entries.push_back({event.at, event.step, QString::fromStdString(event.kind), words});
    }
    // The time of an evaluation is relative to its attempt, so the step decides its position.
    const auto timeAt = [&](Step step) {
        double at = 0;
        for (const auto& event : detail.events)
            if (event.step <= step) at = std::max(at, event.at);
        return at;
    };
    std::map<std::pair<Step, std::string>, QStringList> evaluations;
    std::map<Step, std::int64_t> epochs;
    for (const auto& row : detail.evaluations) {
        if (row.split == "train") continue;
        if (row.metric.find('/') != std::string::npos) continue;  // a part of another metric: too many for one line
        const MetricInfo* info = findMetric(row.metric);
        const bool isShare = info && info->kind == MetricKind::Share;
        const QString value =
            isShare ? tr("%1 %").arg(number(100 * row.value, 2)) : number(row.value, info ? info->decimals : 3);
        const std::string title(info ? info->title : row.metric);
        const QString words = QString::fromStdString(title) + QLatin1Char(' ') + value;
        QStringList& line = evaluations[{row.step, row.split}];
        row.metric == "loss" ? line.prepend(words) : line.append(words);
        epochs[row.step] = row.epoch;
    }
    for (const auto& [key, values] : evaluations)
        entries.push_back({timeAt(key.first), key.first, QStringLiteral("evaluation"),
                           //: An epoch, a split and its metrics: "epoch 3, valid loss 2.1, accuracy 45 %".
                           tr("epoch %1, %2 %3")
                               .arg(epochs[key.first])
                               .arg(QString::fromStdString(key.second), values.join(QStringLiteral(", ")))});
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.at > b.at; });
    return entries;
}

void LogModel::setDetail(const std::shared_ptr<const RunDetail>& detail) {
    if (detail == detail_) return;
    const auto before = std::exchange(detail_, detail);
    std::vector<Entry> now = detail ? entriesOf(*detail) : std::vector<Entry>{};
    if (now == entries_) return;
    const bool isSameRun = before && detail && before->record.ref == detail->record.ref;
    const std::size_t added = now.size() - std::min(now.size(), entries_.size());
    // New lines come above the lines that are there; anything else is another log.
    if (isSameRun && added > 0 && std::equal(entries_.begin(), entries_.end(), now.begin() + std::ptrdiff_t(added))) {
        beginInsertRows({}, 0, int(added) - 1);
        entries_ = std::move(now);
        return endInsertRows();
    }
    beginResetModel();
    entries_ = std::move(now);
    endResetModel();
}

QString LogModel::text() const {
    QStringList lines;
    for (const Entry& entry : entries_)
        lines.prepend(QStringLiteral("%1\tstep %2\t%3\t%4")
                          .arg(timeOf(entry.at).toString(Qt::ISODate))
                          .arg(entry.step)
                          .arg(entry.kind, entry.text));
    return lines.join(QLatin1Char('\n'));
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Entry& entry = entries_[std::size_t(index.row())];
    const bool isTime = index.column() == Time;
    switch (role) {
    case Qt::DisplayRole: return isTime ? timeOf(entry.at).toString(QStringLiteral("HH:mm:ss")) : entry.text;
    case Qt::ToolTipRole:
        //: A time, a step and the text of a log line.
        return tr("%1, step %2: %3")
            .arg(QLocale().toString(timeOf(entry.at), QLocale::ShortFormat), count(entry.step), entry.text);
    case Qt::FontRole: return isTime ? typeFont(Type::Mono) : typeFont(Type::Caption);
    case Qt::ForegroundRole:
        if (isTime) return Theme::color(Token::Text2);
        if (entry.kind == QLatin1String("failure")) return Theme::color(Token::Bad);
        if (entry.kind == QLatin1String(kInterventionEvent)) return Theme::color(Token::Intr);
        if (entry.kind == QLatin1String("warning") || entry.kind == QLatin1String("gap")) return Theme::color(Token::Warn);
        return {};
    default: return {};
    }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == Time ? tr("Time") : tr("What");
}

LogView::LogView(QWidget* parent) : QTreeView(parent) {
    setModel(&log_);
    setAccessibleName(tr("Log"));
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setHeaderHidden(true);
    setIndentation(0);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    header()->setResizeContentsPrecision(0);  // only of visible lines: a new line must not measure a thousand
    // Always on: with the bar on demand, its appearance changes the visible lines, and their width decides whether the bar is
    // needed.
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    setFrameShape(QFrame::NoFrame);
    setMouseTracking(true);
    setMinimumHeight(px(60));
}

}  // namespace heddle::ui
