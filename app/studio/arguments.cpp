// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/arguments.h"

#include <QCommandLineParser>
#include <QFileInfo>
#include <QRegularExpression>

namespace heddle::studio {
namespace {

constexpr int kUsage = 2;
constexpr double kMaxScale = 4;

const char* const kHelp =
    R"(heddle-studio [FILE.heddle...] [--page NAME] [--run RUN]

Compose and train transformer variants, watch and compare the runs of databases.
Several FILEs can be open; new runs are recorded in the first. Without FILE:
$HEDDLE_DB, else ./runs.heddle (as heddle), else the database that was used last,
else runs.heddle in the XDG data folder.

  --page NAME         compose, watch, inspect, compare or library
  --run RUN           id, unique prefix of one, or unique name of the run to show
  --theme NAME        light or dark, for this session
  --size WxH          size of the window in logical pixels
  --scale N           size of everything, 1 to 4 (as QT_SCALE_FACTOR)
  --shots DIR         write a picture of every page into DIR and quit
  --help, --version
)";

void fail(Arguments& arguments, const QString& what) {
    arguments.answer = QStringLiteral("heddle-studio: %1: see heddle-studio --help\n").arg(what);
    arguments.code = kUsage;
}

void readAppearance(const QCommandLineParser& parser, Arguments& result) {
    if (const QString theme = parser.value(QStringLiteral("theme")); theme == QLatin1String("light"))
        result.theme = ui::Appearance::Light;
    else if (theme == QLatin1String("dark"))
        result.theme = ui::Appearance::Dark;
    else if (!theme.isEmpty())
        return fail(result, QStringLiteral("unknown theme \"%1\"").arg(theme));
    if (const QString scale = parser.value(QStringLiteral("scale")); !scale.isEmpty()) {
        result.scale = scale.toDouble();
        if (!(result.scale >= 1 && result.scale <= kMaxScale))
            return fail(result, QStringLiteral("the scale must be from 1 to 4, not \"%1\"").arg(scale));
    }
    if (const QString size = parser.value(QStringLiteral("size")); !size.isEmpty()) {
        static const QRegularExpression kSize(QStringLiteral("^(\\d{3,5})x(\\d{3,5})$"));
        const auto match = kSize.match(size);
        if (!match.hasMatch()) return fail(result, QStringLiteral("the size must be like 1440x900, not \"%1\"").arg(size));
        result.size = {match.captured(1).toInt(), match.captured(2).toInt()};
    }
}

}  // namespace

Arguments parseArguments(const QStringList& words) {
    QCommandLineParser parser;
    parser.addOption({{QStringLiteral("h"), QStringLiteral("help")}, {}});
    parser.addOption({QStringLiteral("version"), {}});
    for (const char* option : {"page", "run", "theme", "size", "scale", "shots"})
        parser.addOption({QString::fromLatin1(option), {}, QStringLiteral("value")});
    parser.addPositionalArgument(QStringLiteral("FILE"), {});
    Arguments result;
    if (!parser.parse(words)) {
        fail(result, parser.errorText());
        return result;
    }
    if (parser.isSet(QStringLiteral("help"))) result.answer = QString::fromUtf8(kHelp);
    if (parser.isSet(QStringLiteral("version"))) result.answer = QStringLiteral("heddle-studio " HEDDLE_VERSION "\n");
    for (const QString& file : parser.positionalArguments()) result.files << QFileInfo(file).absoluteFilePath();
    result.page = parser.value(QStringLiteral("page"));
    static const QStringList kPages{QStringLiteral("compose"), QStringLiteral("watch"), QStringLiteral("inspect"),
                                    QStringLiteral("compare"), QStringLiteral("library")};
    if (!result.page.isEmpty() && !kPages.contains(result.page))
        fail(result, QStringLiteral("unknown page \"%1\", one of: %2").arg(result.page, kPages.join(QStringLiteral(", "))));
    result.run = parser.value(QStringLiteral("run"));
    result.shots = parser.value(QStringLiteral("shots"));
    readAppearance(parser, result);
    return result;
}

}  // namespace heddle::studio
