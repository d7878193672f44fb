// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table/columns.h"

#include "engine/base/json.h"
#include "engine/metrics/metric.h"
#include "ui/data/studio.h"
#include "ui/text/number.h"
#include "ui/text/sentence.h"
#include "ui/text/states.h"
#include "ui/text/units.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>

#include <array>
#include <cmath>

namespace heddle::ui {
namespace {

/// Translates words outside of a QObject, in a context that lupdate finds.
struct ColumnWords {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::Column)
};

constexpr QChar kTick(0x2713);

struct KindName {
    Column::Kind kind;
    const char* id;
    const char* title;
    bool isNumeric;
};
constexpr std::array<KindName, 21> kKinds{
    {{Column::Kind::Run, "run", QT_TRANSLATE_NOOP("heddle::ui::Column", "Group, seed"), false},
     {Column::Kind::State, "state", QT_TRANSLATE_NOOP("heddle::ui::Column", "State"), false},
     {Column::Kind::Seed, "seed", QT_TRANSLATE_NOOP("heddle::ui::Column", "Seeds"), true},
     {Column::Kind::Parameters, "parameters", QT_TRANSLATE_NOOP("heddle::ui::Column", "Parameters"), true},
     {Column::Kind::Best, "best", "", true},
     {Column::Kind::Last, "last", "", true},
     {Column::Kind::Epochs, "epochs", QT_TRANSLATE_NOOP("heddle::ui::Column", "Epochs"), true},
     {Column::Kind::Steps, "steps", QT_TRANSLATE_NOOP("heddle::ui::Column", "Steps"), true},
     {Column::Kind::Time, "time", QT_TRANSLATE_NOOP("heddle::ui::Column", "Time"), true},
     {Column::Kind::Created, "created", QT_TRANSLATE_NOOP("heddle::ui::Column", "Created"), false},
     {Column::Kind::Tags, "tags", QT_TRANSLATE_NOOP("heddle::ui::Column", "Tags"), false},
     {Column::Kind::Setting, "setting", "", false},
     {Column::Kind::Variant, "variant", QT_TRANSLATE_NOOP("heddle::ui::Column", "Variant"), false},
     {Column::Kind::Size, "size", QT_TRANSLATE_NOOP("heddle::ui::Column", "Size"), true},
     {Column::Kind::Tag, "tag", "", false},
     {Column::Kind::Added, "added", QT_TRANSLATE_NOOP("heddle::ui::Column", "Added"), true},
     {Column::Kind::Value, "value", QT_TRANSLATE_NOOP("heddle::ui::Column", "Value"), true},
     {Column::Kind::Difference, "difference", QT_TRANSLATE_NOOP("heddle::ui::Column", "Difference"), true},
     {Column::Kind::Interval, "interval", QT_TRANSLATE_NOOP("heddle::ui::Column", "Interval"), false},
     {Column::Kind::Verdict, "verdict", QT_TRANSLATE_NOOP("heddle::ui::Column", "Verdict"), false},
     {Column::Kind::Published, "published", QT_TRANSLATE_NOOP("heddle::ui::Column", "Published"), true}}};

const KindName& nameOf(Column::Kind kind) { return kKinds[std::size_t(kind)]; }

QString splitOf(const std::string& metric) { return QString::fromStdString(metric.substr(0, metric.find('.'))); }
QString baseOf(const std::string& metric) {
    const auto dot = metric.find('.');
    return QString::fromStdString(dot == std::string::npos ? metric : metric.substr(dot + 1));
}

const MetricInfo* infoOf(const std::string& metric) { return findMetric(baseOf(metric).toStdString()); }

Cell settingCell(const Json* value) {
    if (!value || value->is_null()) return {};
    if (value->is_number()) return numberCell(value->get<double>());
    return textCell(settingText(*value));
}

/// Where the value of a tag "key=value" or "key:value" begins; npos for a tag without one.
std::size_t valueOfTag(const std::string& tag) {
    const auto sign = tag.find_first_of("=:");
    return sign == std::string::npos || sign == 0 || sign + 1 == tag.size() ? std::string::npos : sign + 1;
}

}  // namespace

Cell numberCell(double value) { return {value, {}, true}; }
Cell textCell(const QString& text) { return {std::numeric_limits<double>::quiet_NaN(), text, false}; }

int compareCells(const Cell& a, const Cell& b) {
    const auto rank = [](const Cell& c) { return c.isNumber ? (std::isnan(c.number) ? 1 : 0) : c.text.isEmpty() ? 3 : 2; };
    if (rank(a) != rank(b)) return rank(a) < rank(b) ? -1 : 1;
    if (rank(a) == 0) return a.number < b.number ? -1 : a.number > b.number ? 1 : 0;
    return rank(a) == 2 ? QString::compare(a.text, b.text, Qt::CaseInsensitive) : 0;
}

Cell tagCell(const std::vector<std::string>& tags, const std::string& key) {
    QStringList values;
    for (const std::string& tag : tags) {
        const auto begin = valueOfTag(tag);
        if (tag == key)
            values << QString(kTick);
        else if (begin == key.size() + 1 && tag.starts_with(key))
            values << QString::fromStdString(tag.substr(begin));
    }
    bool isNumber = false;
    const double number = values.size() == 1 ? QLocale::c().toDouble(values.front(), &isNumber) : 0;
    if (isNumber) return {number, values.front(), true};
    return textCell(values.join(QStringLiteral(", ")));
}

std::set<std::string> tagKeys(const RunTable& table) {
    std::set<std::string> keys;
    for (const RunPointer& run : table.runs)
        for (const std::string& tag : run->record.tags) {
            const auto begin = valueOfTag(tag);
            keys.insert(begin == std::string::npos ? tag : tag.substr(0, begin - 1));
        }
    return keys;
}

QString Column::id() const {
    const QString kindId = QString::fromLatin1(nameOf(kind).id);
    return key.empty() ? kindId : kindId + QLatin1Char(':') + QString::fromStdString(key);
}

std::optional<Column> Column::fromId(const QString& id) {
    const QString kindId = id.section(QLatin1Char(':'), 0, 0), key = id.section(QLatin1Char(':'), 1);
    for (const auto& known : kKinds) {
        if (kindId != QLatin1String(known.id)) continue;
        const Column column{known.kind, key.toStdString()};
        const bool isKeyed = column.isMetric() || known.kind == Kind::Setting || known.kind == Kind::Tag;
        return isKeyed == key.isEmpty() ? std::nullopt : std::optional(column);
    }
    return std::nullopt;
}

QString metricTitle(const std::string& metric) {
    const MetricInfo* info = infoOf(metric);
    const QString split = splitOf(metric), part = baseOf(metric).section(QLatin1Char('/'), 1);
    QString name = info ? QString::fromUtf8(info->title.data(), int(info->title.size())) : baseOf(metric);
    if (info && !part.isEmpty()) name += QLatin1Char(' ') + part;
    const QString percent = info && info->unit == "%" ? ColumnWords::tr(", %") : QString();
    if (info && name.at(0).isUpper()) return ColumnWords::tr("%1, %2").arg(name, split) + percent;
    return withCapital(split + QLatin1Char(' ') + name) + percent;
}

int metricDecimals(const std::string& metric) {
    const MetricInfo* info = infoOf(metric);
    return info ? info->decimals : 4;
}

double metricScale(const std::string& metric) {
    const MetricInfo* info = infoOf(metric);
    return info ? info->shownScale() : 1;
}

QString shownPath(const std::string& path) {
    return QString::fromStdString(path.starts_with("variant.") ? path.substr(8) : path);
}

QString settingText(const Json& value) {
    if (value.is_null()) return QString(kNoValue);
    if (value.is_string()) return QString::fromStdString(value.get<std::string>());
    if (value.is_boolean()) return value.get<bool>() ? ColumnWords::tr("yes") : ColumnWords::tr("no");
    if (value.is_number_integer()) return count(value.get<qint64>());
    if (value.is_number()) return shortNumber(value.get<double>());
    return QString::fromStdString(value.dump());
}

QString fileText(const Json& value, const std::string& content) {
    const QString file =
        value.is_string() ? QFileInfo(QString::fromStdString(value.get<std::string>())).fileName() : settingText(value);
    return QStringLiteral("%1 (%2)").arg(file, QString::fromStdString(content.substr(0, 8)));
}

QString doubtWords(const std::set<Unlike>& doubts) {
    QStringList words;
    for (const Unlike doubt : doubts)
        words << (doubt == Unlike::Count       ? ColumnWords::tr("n differs")
                  : doubt == Unlike::Signature ? ColumnWords::tr("the rule differs")
                                               : ColumnWords::tr("the data differ"));
    return words.join(QStringLiteral(", "));
}

QString Column::title() const {
    switch (kind) {
    case Kind::Best:
    case Kind::Last: return metricTitle(key);
    case Kind::Setting: return shownPath(key);
    case Kind::Tag: return QString::fromStdString(key);
    default: return ColumnWords::tr(nameOf(kind).title);
    }
}

QString Column::description() const {
    switch (kind) {
    case Kind::Run:
        return ColumnWords::tr("A group: runs that differ in nothing but seed, name, tags, device and threads; its runs below");
    case Kind::Seed: return ColumnWords::tr("Seeds of the group with a completed run, each counted once; the seed of a run");
    case Kind::Best:
        return ColumnWords::tr("%1: best of all evaluations, and its step; of a group the mean of its seeds").arg(title());
    case Kind::Last: return ColumnWords::tr("%1: at the last evaluation; of a group the mean of its seeds").arg(title());
    case Kind::Time: return ColumnWords::tr("Training time of all attempts; of a group the mean of its seeds");
    case Kind::Setting: return ColumnWords::tr("Setting %1 of the specification").arg(QString::fromStdString(key));
    case Kind::Tag:
        return ColumnWords::tr("Tag %1: its value where it is written %1=value or %1:value, else a tick").arg(title());
    case Kind::Added: return ColumnWords::tr("Parameters beside those of the baseline");
    case Kind::Value:
        return ColumnWords::tr("The value by the rule above the table; of a group mean ± standard deviation of its seeds");
    case Kind::Difference:
        return ColumnWords::tr(
            "Mean less the mean of the baseline, with its interval; of a run: to the baseline's run of its seed");
    case Kind::Interval:
        return ColumnWords::tr(
            "The difference and its interval; grey: the noise floor, within which means of equal variants lie");
    case Kind::Verdict: return ColumnWords::tr("What the test says, p corrected for all comparisons");
    case Kind::Published:
        return ColumnWords::tr("What a paper prints for the value; of runs that heddle reproduce made, as their recipe says");
    case Kind::Size: return ColumnWords::tr("Checkpoints and vocabularies on disk; the values lie in the database file");
    default: return title();
    }
}

bool Column::isNumeric() const { return nameOf(kind).isNumeric; }

Cell Column::value(const RunFacts& run) const {
    const auto& record = run.record;
    const auto known = [&](double value) { return record.damaged ? Cell() : numberCell(value); };
    switch (kind) {
    case Kind::Run: return textCell(QString::fromStdString(record.name.empty() ? record.id : record.name));
    case Kind::State: return numberCell(int(markOf(record)));
    case Kind::Seed: return known(double(record.seed));
    case Kind::Parameters: return record.parameters > 0 ? numberCell(double(record.parameters)) : Cell();
    case Kind::Epochs: return known(double(record.epoch));
    case Kind::Steps: return known(double(record.step));
    case Kind::Time: return record.seconds > 0 ? numberCell(record.seconds) : Cell();
    case Kind::Created: return known(record.created);
    case Kind::Variant: return textCell(QString::fromStdString(record.variantHash.substr(0, 8)));
    case Kind::Size:
    case Kind::Added:
    case Kind::Value:
    case Kind::Difference:
    case Kind::Interval:
    case Kind::Verdict:
    case Kind::Published: return {};
    case Kind::Tags: {
        QStringList tags;
        for (const auto& tag : record.tags) tags << QString::fromStdString(tag);
        return textCell(tags.join(QStringLiteral(", ")));
    }
    case Kind::Tag: return tagCell(record.tags, key);
    case Kind::Setting: return settingCell(run.setting(key));
    case Kind::Best:
    case Kind::Last: {
        const auto found = run.metrics.find(key);
        if (found == run.metrics.end()) return {};
        return numberCell(metricScale(key) * (kind == Kind::Best ? found->second.best : found->second.last));
    }
    }
    return {};
}

QString Column::text(const Cell& cell) const {
    if (!cell.isNumber) return cell.isEmpty() ? QString(kNoValue) : cell.text;
    switch (kind) {
    case Kind::State: return lookOf(Mark(int(cell.number))).word;
    case Kind::Best:
    case Kind::Last: return number(cell.number, metricDecimals(key));
    case Kind::Time: return duration(cell.number);
    case Kind::Created: return whenText(cell.number);
    case Kind::Size: return byteSize(quint64(cell.number));
    case Kind::Tag: return cell.text.isEmpty() ? shortNumber(cell.number) : cell.text;
    case Kind::Setting: return shortNumber(cell.number);
    default: return count(qint64(std::llround(cell.number)));
    }
}

QString Column::text(const Cell& cell, const RunFacts& run) const {
    if (!cell.isNumber) return text(cell);
    const auto& record = run.record;
    if (kind == Kind::Steps && record.state != "completed" && record.totalSteps > record.step)
        return QStringLiteral("%1 / %2").arg(count(record.step), count(record.totalSteps));
    if (kind != Kind::Best) return text(cell);
    return ColumnWords::tr("%1 at %2").arg(text(cell), count(run.metrics.at(key).bestStep));
}

QString Column::origin(const RunFacts& run) const {
    if (kind == Kind::Steps) return ColumnWords::tr("%Ln epoch(s)", nullptr, int(run.record.epoch));
    if (kind == Kind::Variant) return QString::fromStdString(run.record.variantHash);
    if (!isMetric()) return {};
    const auto found = run.metrics.find(key);
    if (found == run.metrics.end()) return ColumnWords::tr("not evaluated");
    const MetricSummary& m = found->second;
    const QString rule = kind == Kind::Best ? ColumnWords::tr("best, at step %1").arg(count(m.bestStep))
                                            : ColumnWords::tr("last, at step %1").arg(count(m.lastStep));
    return ColumnWords::tr("%1\n%2 · n = %3\n%4")
        .arg(metricTitle(key), rule, count(m.n),
             QString::fromStdString(m.signature).replace(QLatin1Char('|'), QStringLiteral(" | ")));
}

std::vector<Column> defaultColumns() {
    using Kind = Column::Kind;
    return {{Kind::Run, ""},   {Kind::State, ""},      {Kind::Seed, ""},     {Kind::Parameters, ""}, {Kind::Added, ""},
            {Kind::Value, ""}, {Kind::Difference, ""}, {Kind::Interval, ""}, {Kind::Verdict, ""}};
}

}  // namespace heddle::ui
