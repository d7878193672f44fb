// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/plan/plan_model.h"

#include "engine/base/json.h"
#include "engine/spec/match.h"
#include "ui/text/number.h"
#include "ui/text/states.h"
#include "ui/text/units.h"
#include "ui/text/utf8.h"
#include "ui/theme/type.h"
#include "ui/widgets/mark_delegate.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

double memoryOfMachine() { return double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE)); }

bool isNumber(PlanColumn column) { return column >= PlanColumn::Parameters && column <= PlanColumn::Disk; }

}  // namespace

PlanModel::PlanModel(VariantDraft& draft, PlanMeter& meter, QObject* parent)
    : QAbstractTableModel(parent), draft_(draft), meter_(meter), entries_(1) {
    connect(&meter_, &PlanMeter::changed, this, [this] {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
        Q_EMIT changed();
    });
    for (const auto emitted : {&VariantDraft::changed, &VariantDraft::nameChanged})
        connect(&draft_, emitted, this, &PlanModel::showDraft);
}

void PlanModel::showDraft() {
    if (!draft_.document().is_object()) return;
    Entry shown{
        {draft_.name().toStdString(), draft_.document(), {}, readSeeds(draft_.seeds())}, {}, entries_.front().isIncluded};
    std::optional<PlanRow> baseline;
    if (draft_.baselineFacts())
        baseline = PlanRow{
            draft_.baselineName().toStdString(), controlDocument(draft_.document(), draft_.baselineDocument()), {}, {1}};
    std::string key = baseline ? PlanMeter::keyOf(*baseline) : std::string();
    entries_.front() = std::move(shown);
    baseline_ = std::move(baseline);
    baselineKey_ = std::move(key);
    Q_EMIT dataChanged(index(0, 0), index(0, kColumns - 1));
    rowsChanged();
}

void PlanModel::rowsChanged() {
    std::map<std::string, PlanRow> rows;
    for (const Entry& entry : entries_) rows.emplace(entry.key, entry.row);
    if (baseline_) rows.emplace(baselineKey_, *baseline_);
    meter_.setRows(rows, draft_.assumed());
    Q_EMIT changed();
}

Json PlanModel::session() const {
    Json notes = Json::array();
    for (std::size_t i = 1; i < entries_.size(); ++i) notes.push_back(entries_[i].note.toStdString());
    return {{"rows", entries_.size() == 1 ? Json() : Plan{addedRows()}.toJson()},
            {"notes", std::move(notes)},
            {"ticked", ticked().toStdString()}};
}

void PlanModel::restore(const Json& session) {
    Plan plan;
    if (const Json& rows = session.at("rows"); !rows.is_null()) plan = Plan::parse(rows, "the last plan");
    const QString marks = text(session.at("ticked").get<std::string>());
    const auto notes = session.at("notes").get<std::vector<std::string>>();
    beginResetModel();
    entries_.resize(1);
    for (std::size_t i = 0; i < plan.rows.size(); ++i)
        entries_.push_back({plan.rows[i], i < notes.size() ? text(notes[i]) : QString()});
    endResetModel();
    if (!marks.isEmpty()) setTicked(marks);
    rowsChanged();
}

void PlanModel::add(const PlanRow& row, const QString& note) {
    beginInsertRows({}, rowCount(), rowCount());
    entries_.push_back({row, note, true});
    endInsertRows();
    rowsChanged();
}

void PlanModel::remove(int row) {
    if (row < 1 || row >= rowCount()) return;
    beginRemoveRows({}, row, row);
    entries_.erase(entries_.begin() + row);
    endRemoveRows();
    rowsChanged();
}

bool PlanModel::move(int row, int by) {
    const int to = row + by;
    if (row < 1 || to < 1 || to >= rowCount()) return false;
    beginMoveRows({}, row, row, {}, by > 0 ? to + 1 : to);
    std::swap(entries_[std::size_t(row)], entries_[std::size_t(to)]);
    endMoveRows();
    rowsChanged();
    return true;
}

std::vector<PlanRow> PlanModel::included() const {
    std::vector<PlanRow> rows;
    for (const Entry& entry : entries_)
        if (entry.isIncluded) rows.push_back(entry.row);
    return rows;
}

std::vector<PlanRow> PlanModel::addedRows() const {
    std::vector<PlanRow> rows;
    for (std::size_t i = 1; i < entries_.size(); ++i) rows.push_back(entries_[i].row);
    return rows;
}

QString PlanModel::ticked() const {
    QString marks;
    for (const Entry& entry : entries_) marks += QLatin1Char(entry.isIncluded ? '1' : '0');
    return marks;
}

void PlanModel::setTicked(const QString& marks) {
    for (qsizetype i = 0; i < qsizetype(entries_.size()); ++i)
        entries_[std::size_t(i)].isIncluded = i < marks.size() && marks[i] == QLatin1Char('1');
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0));
    Q_EMIT changed();
}

QString PlanModel::budgetOf(const RowCost& cost) {
    if (cost.maxSteps > 0) return tr("%Ln step(s)", nullptr, int(cost.maxSteps));
    return cost.epochs > 0 ? tr("%Ln epoch(s)", nullptr, int(cost.epochs)) : QString();
}

std::optional<StepTime> PlanModel::stepOf(const std::string& key) const {
    const RowCost* cost = meter_.costOf(key);
    return cost ? cost->step : std::nullopt;
}

/// Of all seeds of the row.
std::optional<double> PlanModel::secondsOf(const Entry& entry) const {
    const RowCost* cost = meter_.costOf(entry.key);
    if (!cost || !cost->step || cost->steps <= 0) return std::nullopt;
    return cost->step->seconds * double(cost->steps) * double(entry.row.seeds.size());
}

QString PlanModel::warningOf(const Entry& entry) const {
    const RowCost* cost = meter_.costOf(entry.key);
    if (!cost) return {};
    if (!cost->problem.isEmpty()) return cost->problem;
    if (cost->memory && cost->device == QLatin1String("cpu") && cost->memory->peakBytes > memoryOfMachine())
        return tr("does not fit: this machine has %1 of memory").arg(byteSize(quint64(memoryOfMachine())));
    if (double(cost->diskBytes) * double(entry.row.seeds.size()) > double(cost->diskFree))
        return tr("does not fit: %1 are free on the disk").arg(byteSize(cost->diskFree));
    if (!cost->stepProblem.isEmpty()) return tr("step time not measured: %1").arg(cost->stepProblem);
    return {};
}

QString PlanModel::noteOf(const Entry& entry) const {
    if (QString warning = warningOf(entry); !warning.isEmpty()) return warning;
    if (!entry.note.isEmpty()) return entry.note;
    if (entry.row.seeds.size() < 3) return tr("fewer than 3 seeds: differences cannot be distinguished from chance");
    return {};
}

QString PlanModel::textOf(const Entry& entry, PlanColumn column) const {
    QString none(kNoValue);
    const RowCost* cost = meter_.costOf(entry.key);
    switch (column) {
    case PlanColumn::Name: return text(entry.row.name);
    case PlanColumn::Settings: return settingsText(entry.row.set);
    case PlanColumn::Seeds: return seedsText(entry.row.seeds);
    case PlanColumn::Start: return entry.row.from ? startText(entry.row.from) : none;
    case PlanColumn::Data: return cost ? cost->data.section(QLatin1Char('/'), -1) : none;
    case PlanColumn::Budget: return cost ? budgetOf(*cost) : none;
    case PlanColumn::Device: return cost ? cost->device : none;
    case PlanColumn::Parameters: return cost && cost->facts ? count(cost->facts->cost.parameters) : none;
    case PlanColumn::Step: return cost && cost->step ? stepDuration(cost->step->seconds) : none;
    case PlanColumn::Time:
        if (const auto seconds = secondsOf(entry)) return tr("about %1").arg(duration(*seconds));
        return cost && cost->step ? tr("%1 / 1,000 steps").arg(duration(1000 * cost->step->seconds)) : none;
    case PlanColumn::Memory: return cost && cost->memory ? byteSize(quint64(cost->memory->peakBytes)) : none;
    case PlanColumn::Disk:
        return cost && cost->facts ? tr("≤ %1").arg(byteSize(cost->diskBytes * entry.row.seeds.size())) : none;
    case PlanColumn::Note: return noteOf(entry);
    }
    return none;
}

QString PlanModel::totals() const {
    int rows = 0, runs = 0;
    double seconds = 0, bytes = 0;
    bool isTimed = true;
    for (const Entry& entry : entries_) {
        if (!entry.isIncluded) continue;
        ++rows;
        runs += int(entry.row.seeds.size());
        const auto own = secondsOf(entry);
        isTimed = isTimed && own;
        seconds += own.value_or(0);
        if (const RowCost* cost = meter_.costOf(entry.key)) bytes += double(cost->diskBytes) * double(entry.row.seeds.size());
    }
    QStringList parts{tr("%Ln row(s)", nullptr, rows), tr("%Ln run(s)", nullptr, runs)};
    if (isTimed && rows > 0) parts << tr("about %1").arg(duration(seconds));
    if (bytes > 0) parts << tr("up to %1 on disk").arg(byteSize(quint64(bytes)));
    return parts.join(QStringLiteral(", "));
}

QString PlanModel::warning() const {
    for (const Entry& entry : entries_)
        if (const QString words = entry.isIncluded ? warningOf(entry) : QString(); !words.isEmpty())
            //: The name of a row and a warning.
            return tr("%1: %2").arg(text(entry.row.name), words);
    return {};
}

QString PlanModel::error() const {
    bool isAny = false;
    for (const Entry& entry : entries_) {
        if (!entry.isIncluded) continue;
        isAny = true;
        if (entry.row.seeds.empty())
            return tr("%1: write seeds as whole numbers, 1,2,3 or 1-5, at most %2.").arg(text(entry.row.name)).arg(kMaxSeeds);
        const RowCost* cost = meter_.costOf(entry.key);
        //: The name of a row and a problem.
        if (cost && !cost->problem.isEmpty()) return tr("%1: %2.").arg(text(entry.row.name), cost->problem);
        const Json::json_pointer source("/data/train/source"), format("/data/format");
        const Json& document = entry.row.spec;
        if (!document.is_object() || (!document.contains(source) && !document.contains(format)))
            return tr("Choose the training data first.");
    }
    return isAny ? QString() : tr("Tick at least one row.");
}

bool PlanModel::hasStarts() const {
    return std::any_of(entries_.begin(), entries_.end(), [](const Entry& one) { return one.isIncluded && one.row.from; });
}

QVariant PlanModel::data(const QModelIndex& at, int role) const {
    if (!at.isValid() || at.row() >= rowCount()) return {};
    const Entry& entry = entries_[std::size_t(at.row())];
    const auto column = PlanColumn(at.column());
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole: return textOf(entry, column);
    case Qt::CheckStateRole:
        return column == PlanColumn::Name ? QVariant(entry.isIncluded ? Qt::Checked : Qt::Unchecked) : QVariant();
    case Qt::ToolTipRole: {
        if (column == PlanColumn::Name && at.row() == 0) return tr("The draft shown on this page");
        const RowCost* cost = meter_.costOf(entry.key);
        if (column == PlanColumn::Step && cost && cost->step)
            return tr("%1 to %2, measured on this machine with synthetic text")
                .arg(stepDuration(cost->step->least), stepDuration(cost->step->most));
        if (column == PlanColumn::Time && cost && cost->steps == 0)
            return cost->countProblem.isEmpty() ? tr("The number of steps in an epoch is known after the data have been read: "
                                                     "by Measure step times, or by "
                                                     "a run with the same data and batches.")
                                                : tr("The steps could not be counted: %1").arg(cost->countProblem);
        if (column == PlanColumn::Start)
            return tr(
                "The name of the row whose runs give the initial weights, each to the run of its seed: \"pretrain\", or "
                "\"pretrain, last\"");
        if (column == PlanColumn::Data && cost) return cost->data;
        if (column == PlanColumn::Budget && cost && cost->maxSteps > 0 && cost->epochs > 0)
            return tr("Training ends after %1 steps or %2 epochs, whichever comes first")
                .arg(count(cost->maxSteps), count(cost->epochs));
        return textOf(entry, column);
    }
    case Qt::TextAlignmentRole: return int(Qt::AlignVCenter | (isNumber(column) ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::FontRole:
        if (isNumber(column)) return numberFont(Type::Body);
        if (column == PlanColumn::Settings) return typeFont(Type::Mono);
        return at.row() == 0 && column == PlanColumn::Name ? QVariant(strongFont(Type::Body)) : QVariant();
    case kMarkRole:
        return column == PlanColumn::Note && !warningOf(entry).isEmpty() ? QVariant(int(Mark::Warning)) : QVariant();
    default: return {};
    }
}

bool PlanModel::setData(const QModelIndex& at, const QVariant& value, int role) {
    if (!at.isValid()) return false;
    Entry& entry = entries_[std::size_t(at.row())];
    if (role == Qt::CheckStateRole) {
        entry.isIncluded = value.toInt() == Qt::Checked;
        Q_EMIT dataChanged(at, at);
        Q_EMIT changed();
        return true;
    }
    if (role != Qt::EditRole) return false;
    const QString words = value.toString().trimmed();
    const auto column = PlanColumn(at.column());
    if (words == textOf(entry, column)) return true;  // nothing was changed in the editor
    if (column == PlanColumn::Seeds && readSeeds(words).empty()) return false;
    if (column == PlanColumn::Settings) return setSettings(at.row(), words);
    if (at.row() == 0) return editDraft(column, words);
    switch (column) {
    case PlanColumn::Name: entry.row.name = words.toStdString(); break;
    case PlanColumn::Seeds: entry.row.seeds = readSeeds(words); break;
    case PlanColumn::Start: entry.row.from = readStart(words); break;
    case PlanColumn::Device:
        std::erase_if(entry.row.set, [](const std::string& one) { return one.starts_with("train.device="); });
        entry.row.set.push_back("train.device=" + Json(words.toStdString()).dump());
        break;
    default: return false;
    }
    entry.key = PlanMeter::keyOf(entry.row);
    Q_EMIT dataChanged(index(at.row(), 0), index(at.row(), kColumns - 1));
    rowsChanged();
    return true;
}

bool PlanModel::editDraft(PlanColumn column, const QString& words) {
    switch (column) {
    case PlanColumn::Name: draft_.setName(words); return true;
    case PlanColumn::Seeds: draft_.setSeeds(words); return true;
    case PlanColumn::Device: draft_.assign("train.device", words.toStdString()); return true;
    default: return false;
    }
}

/// Settings with a value grid make one row for each choice. These rows replace the edited row; the row of the draft stays, but
/// is no longer ticked.
bool PlanModel::setSettings(int row, const QString& words) {
    const std::vector<GridCell> grid = readGrid(words);
    if (grid.empty()) {
        Q_EMIT gridRefused();
        return false;
    }
    if (row == 0 && grid.size() == 1) {
        draft_.apply(grid.front().settings, words);
        return true;
    }
    const Entry before = entries_[std::size_t(row)];
    std::vector<Entry> cells;
    for (const GridCell& cell : grid) {
        PlanRow made = before.row;
        made.set = cell.settings;
        made.name += cell.name;
        cells.push_back({made, before.note, row == 0 || before.isIncluded});
    }
    Entry& changed = entries_[std::size_t(row)];
    const int place = row == 0 ? rowCount() : row + 1;
    if (row == 0) {
        changed.isIncluded = false;
    } else {
        changed = cells.front();
        cells.erase(cells.begin());
    }
    Q_EMIT dataChanged(index(row, 0), index(row, kColumns - 1));
    if (!cells.empty()) {
        beginInsertRows({}, place, place + int(cells.size()) - 1);
        entries_.insert(entries_.begin() + place, cells.begin(), cells.end());
        endInsertRows();
    }
    rowsChanged();
    return true;
}

Qt::ItemFlags PlanModel::flags(const QModelIndex& at) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(at);
    const auto column = PlanColumn(at.column());
    if (column == PlanColumn::Name) flags |= Qt::ItemIsUserCheckable;
    if (column == PlanColumn::Name || column == PlanColumn::Settings || column == PlanColumn::Seeds ||
        (column == PlanColumn::Start && at.row() > 0) || column == PlanColumn::Device)
        flags |= Qt::ItemIsEditable;
    return flags;
}

QVariant PlanModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (isNumber(PlanColumn(section)) ? Qt::AlignRight : Qt::AlignLeft));
    if (role != Qt::DisplayRole) return {};
    return QStringList{tr("Experiment"), tr("Settings"), tr("Seeds"), tr("Starts from"), tr("Data"), tr("Budget"), tr("Device"),
                       tr("Parameters"), tr("Step"),     tr("Time"),  tr("Memory"),      tr("Disk"), tr("Note")}
        .value(section);
}

}  // namespace heddle::ui
