// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme_data.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace heddle::ui {
namespace {

int channel(int from, int to, double share) { return int(std::lround(from + (to - from) * share)); }

[[noreturn]] void fail(const QString& member, const char* what) {
    throw std::runtime_error((QStringLiteral("theme file: ") + member + QLatin1String(": ")).toStdString() + what);
}

QColor colorOf(const QJsonValue& value, const QString& member) {
    const QColor color(value.toString());
    if (!color.isValid()) fail(member, "not a colour");
    return color;
}

RunStyle runOf(const QJsonObject& object, const QString& member) {
    RunStyle style;
    style.color = colorOf(object[QLatin1String("color")], member);
    for (const QJsonValue& length : object[QLatin1String("dash")].toArray()) style.dash.append(length.toDouble());
    if (style.dash.size() % 2 != 0) fail(member, "a dash needs pairs of lengths");
    const std::string marker = object[QLatin1String("marker")].toString().toStdString();
    const auto found = std::find(kMarkerNames.begin(), kMarkerNames.end(), marker);
    if (found == kMarkerNames.end()) fail(member, "unknown marker");
    style.marker = Marker(found - kMarkerNames.begin());
    return style;
}

ColorTable tabulate(const QList<QColor>& stops) {
    ColorTable table{};
    for (int i = 0; i < 256; ++i) {
        const double place = i / 255.0 * double(stops.size() - 1);
        const int left = std::min(int(place), int(stops.size()) - 2);
        table[std::size_t(i)] = mix(stops[left], stops[left + 1], place - left).rgb();
    }
    return table;
}

template <std::size_t N, class Read>
void readGroup(const QJsonObject& root, const char* group, const std::array<const char*, N>& names, Read read) {
    const QJsonObject object = root[QLatin1String(group)].toObject();
    for (std::size_t i = 0; i < N; ++i) {
        const QString member = QLatin1String(group) + QLatin1Char('.') + QLatin1String(names[i]);
        const QJsonValue value = object[QLatin1String(names[i])];
        if (value.isUndefined()) fail(member, "missing");
        read(i, value, member);
    }
}

}  // namespace

QColor mix(const QColor& ground, const QColor& over, double share) {
    const double t = std::clamp(share, 0.0, 1.0);
    return {channel(ground.red(), over.red(), t), channel(ground.green(), over.green(), t),
            channel(ground.blue(), over.blue(), t)};
}

QColor withAlpha(const QColor& color, double alpha) {
    QColor result = color;
    result.setAlphaF(float(std::clamp(alpha, 0.0, 1.0)));
    return result;
}

ThemeData parseTheme(const QByteArray& json) {
    QJsonParseError error{};
    const QJsonObject root = QJsonDocument::fromJson(json, &error).object();
    if (error.error != QJsonParseError::NoError) fail(error.errorString(), "not JSON");
    ThemeData data;
    readGroup(root, "tokens", kTokenNames,
              [&](std::size_t i, const QJsonValue& value, const QString& member) { data.tokens[i] = colorOf(value, member); });
    const QJsonArray runs = root[QLatin1String("runs")].toArray();
    if (std::size_t(runs.size()) != kRunColourNames.size())
        fail(QStringLiteral("runs"), "not the number that the program was built with");
    for (std::size_t i = 0; i < kRunColourNames.size(); ++i)
        data.runs[i] = runOf(runs[int(i)].toObject(), QLatin1String("runs.") + QLatin1String(kRunColourNames[i]));
    readGroup(root, "slots", kSlotColourNames, [&](std::size_t i, const QJsonValue& value, const QString& member) {
        data.slotColours[i] = colorOf(value, member);
    });
    readGroup(root, "maps", kMapNames, [&](std::size_t i, const QJsonValue& value, const QString& member) {
        for (const QJsonValue& stop : value.toArray()) data.stops[i].append(colorOf(stop, member));
        if (data.stops[i].size() < 2) fail(member, "a map needs two stops");
        data.maps[i] = tabulate(data.stops[i]);
    });
    return data;
}

}  // namespace heddle::ui
