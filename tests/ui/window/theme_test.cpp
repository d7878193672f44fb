// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of the colour tables, and that nothing in ui/ has a colour of its own.
#include "ui/theme/theme.h"

#include <QApplication>
#include <QFile>
#include <QIcon>
#include <QImage>
#include <QSignalSpy>
#include <QStyle>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

using namespace heddle::ui;
namespace fs = std::filesystem;

namespace {

ThemeData themeFile(const char* name) {
    QFile file(QStringLiteral(":/themes/%1.json").arg(QLatin1String(name)));
    if (!file.open(QIODevice::ReadOnly)) throw std::runtime_error("no theme file");
    return parseTheme(file.readAll());
}

struct Themes {
    ThemeData light = themeFile("light"), dark = themeFile("dark");
};
const Themes& themes() {
    static const Themes kThemes;
    return kThemes;
}

double linear(double channel) { return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4); }

double luminance(const QColor& color) {
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

/// Contrast ratio of two opaque colours, 1 to 21 (WCAG 2.2, relative luminance).
double contrast(const QColor& a, const QColor& b) {
    const auto [dark, light] = std::minmax({luminance(a), luminance(b)});
    return (light + 0.05) / (dark + 0.05);
}

/// CIE lightness L*, 0 (black) to 100 (white), D65.
double lightness(const QColor& color) {
    const double y = luminance(color);
    return y > 216.0 / 24389.0 ? 116 * std::cbrt(y) - 16 : y * 24389.0 / 27.0;
}

QColor of(const ThemeData& theme, Token token) { return theme.tokens[std::size_t(token)]; }

constexpr Token kGrounds[] = {Token::Window, Token::Chrome, Token::Panel, Token::Base, Token::Alt, Token::Hover};

double worst(const ThemeData& theme, Token token, std::optional<Token> without = {}) {
    double least = 21;
    for (const Token ground : kGrounds)
        if (ground != without) least = std::min(least, contrast(of(theme, token), of(theme, ground)));
    return least;
}

/// The published contrast of a row: token, its ground (nothing: the worst of all grounds), light, dark.
struct Published {
    Token token;
    std::optional<Token> ground;
    double light, dark;
};
const std::vector<Published> kPublished = {
    {Token::Border, std::nullopt, 3.2, 3.5},  {Token::Text, std::nullopt, 13.6, 10.0},
    {Token::Text2, std::nullopt, 6.0, 5.5},   {Token::Disabled, std::nullopt, 3.1, 3.0},
    {Token::Accent, std::nullopt, 5.4, 5.2},  {Token::Onaccent, Token::Accent, 6.6, 7.8},
    {Token::Onsel, Token::Sel, 11.7, 9.0},    {Token::Link, std::nullopt, 5.4, 6.0},
    {Token::Plotaxis, Token::Base, 3.7, 4.9}, {Token::Cross, Token::Base, 10.4, 11.3},
};

struct PublishedRun {
    RunColour run;
    double light, dark;
};
const std::vector<PublishedRun> kRuns = {
    {RunColour::Slate, 9.4, 10.1}, {RunColour::Blue, 7.7, 7.3},  {RunColour::Vermilion, 5.4, 7.6},
    {RunColour::Ochre, 3.2, 13.5}, {RunColour::Green, 5.3, 4.0}, {RunColour::Violet, 4.6, 4.4},
    {RunColour::Cyan, 3.2, 12.7},  {RunColour::Rose, 4.3, 5.3},  {RunColour::Rust, 9.7, 3.9}};

constexpr Token kStates[] = {Token::Idle, Token::Run, Token::Warn, Token::Ok, Token::Bad, Token::Intr};
constexpr std::pair<Token, Token> kStrips[] = {{Token::StripOk, Token::Ok},
                                               {Token::StripInfo, Token::Run},
                                               {Token::StripWarn, Token::Warn},
                                               {Token::StripBad, Token::Bad}};

/// Cuts comments; literals stay, because a colour may hide in a string.
std::string withoutComments(const std::string& text) {
    static const std::regex kComment(R"(//[^\n]*|/\*[\s\S]*?\*/)");
    return std::regex_replace(text, kComment, " ");
}

std::vector<std::string> colourLiterals(const std::string& text) {
    static const std::regex kLiteral(
        R"(QColor\s*[({]|QColor::from|QColorConstants|\bqRgba?\s*\(|#[0-9A-Fa-f]{6}\b|Qt::(black|white|dark\w+|light\w+|red|green|blue|cyan|magenta|yellow|gray)\b)");
    std::vector<std::string> found;
    const std::string code = withoutComments(text);
    for (std::sregex_iterator it(code.begin(), code.end(), kLiteral), end; it != end; ++it) found.push_back(it->str());
    return found;
}

}  // namespace

TEST(ThemeContrast, EqualsThePublishedTable) {
    for (const Published& row : kPublished) {
        const char* name = kTokenNames[std::size_t(row.token)];
        const auto computed = [&](const ThemeData& theme) {
            // The table's figure for edges leaves out hover, the ground of hovered rows and flat buttons, which have none. With
            // it the worst is 3.05 (dark): still the 3 that edges need, see below.
            if (row.token == Token::Border) return worst(theme, row.token, Token::Hover);
            return row.ground ? contrast(of(theme, row.token), of(theme, *row.ground)) : worst(theme, row.token);
        };
        EXPECT_NEAR(computed(themes().light), row.light, 0.1) << name << " light";
        EXPECT_NEAR(computed(themes().dark), row.dark, 0.1) << name << " dark";
    }
    for (const PublishedRun& row : kRuns) {
        const auto computed = [&](const ThemeData& theme) {
            return contrast(theme.runs[std::size_t(row.run)].color, of(theme, Token::Base));
        };
        EXPECT_NEAR(computed(themes().light), row.light, 0.06) << kRunColourNames[std::size_t(row.run)];
        EXPECT_NEAR(computed(themes().dark), row.dark, 0.06) << kRunColourNames[std::size_t(row.run)];
    }
}

TEST(ThemeContrast, TextIsReadableControlsAreVisible) {
    for (const ThemeData* theme : {&themes().light, &themes().dark}) {
        for (const Token text : {Token::Text, Token::Text2, Token::Accent, Token::Link}) EXPECT_GE(worst(*theme, text), 4.5);
        for (const Token control : {Token::Border, Token::Disabled}) EXPECT_GE(worst(*theme, control), 3.0);
        for (const Token state : kStates) {
            EXPECT_GE(worst(*theme, state), 4.5) << kTokenNames[std::size_t(state)];
            EXPECT_GE(contrast(of(*theme, state), of(*theme, Token::Sel)), 4.5) << kTokenNames[std::size_t(state)];
        }
        EXPECT_GE(contrast(of(*theme, Token::Link), of(*theme, Token::Sel)), 4.5);
        for (const auto& [strip, state] : kStrips) {
            EXPECT_GE(contrast(of(*theme, state), of(*theme, strip)), 4.5) << kTokenNames[std::size_t(strip)];
            EXPECT_GE(contrast(of(*theme, Token::Text), of(*theme, strip)), 4.5) << kTokenNames[std::size_t(strip)];
        }
        for (const RunStyle& run : theme->runs) EXPECT_GE(contrast(run.color, of(*theme, Token::Base)), 3.0);
        for (const QColor& slot : theme->slotColours) EXPECT_GE(contrast(slot, of(*theme, Token::Base)), 4.9);
        EXPECT_GE(contrast(of(*theme, Token::Plotaxis), of(*theme, Token::Base)), 3.0);
    }
}

TEST(ThemeRuns, DashAndMarkerAreTheSameInBothThemesAndAllDiffer) {
    std::set<Marker> markers;
    for (std::size_t i = 0; i < kRunColourNames.size(); ++i) {
        EXPECT_EQ(themes().light.runs[i].dash, themes().dark.runs[i].dash);
        EXPECT_EQ(themes().light.runs[i].marker, themes().dark.runs[i].marker);
        markers.insert(themes().light.runs[i].marker);
    }
    EXPECT_EQ(markers.size(), kRunColourNames.size());
}

TEST(ThemeRuns, FromTheTenthOnColoursRepeatWithAnotherDashAndMarker) {
    std::set<std::tuple<QRgb, int>> seen;
    for (int order = 0; order <= 64; ++order) {
        const RunStyle style = Theme::runAt(order);
        EXPECT_TRUE(seen.emplace(style.color.rgb(), int(style.marker)).second) << order;
        if (order > 0) {
            EXPECT_NE(style.color, Theme::run(RunColour::Slate).color) << "slate is the baseline's";
        }
    }
    EXPECT_EQ(Theme::runAt(9).color, Theme::runAt(1).color);
    EXPECT_NE(Theme::runAt(9).marker, Theme::runAt(1).marker);
}

TEST(ThemeMaps, LightnessIsMonotoneFromGroundToContrast) {
    const auto expectEnds = [](const ThemeData& theme, MapId map, double low, double high) {
        const ColorTable& table = theme.maps[std::size_t(map)];
        EXPECT_NEAR(lightness(QColor(table.front())), low, 1.0) << kMapNames[std::size_t(map)];
        EXPECT_NEAR(lightness(QColor(table.back())), high, 1.0) << kMapNames[std::size_t(map)];
    };
    expectEnds(themes().light, MapId::Attention, 98, 15);
    expectEnds(themes().dark, MapId::Attention, 10, 96);
    expectEnds(themes().light, MapId::Gate, 98, 14);
    expectEnds(themes().dark, MapId::Gate, 9, 95);
    for (const ThemeData* theme : {&themes().light, &themes().dark})
        for (const MapId map : {MapId::Attention, MapId::Gate, MapId::Viridis, MapId::Cividis, MapId::Magma, MapId::Grey}) {
            const ColorTable& table = theme->maps[std::size_t(map)];
            const double direction = lightness(QColor(table.back())) - lightness(QColor(table.front()));
            for (std::size_t i = 1; i < table.size(); ++i)
                EXPECT_GT((lightness(QColor(table[i])) - lightness(QColor(table[i - 1]))) * direction, -20.0)
                    << kMapNames[std::size_t(map)] << " " << i;
            const QList<QColor>& stops = theme->stops[std::size_t(map)];
            for (int i = 1; i < stops.size(); ++i)
                EXPECT_GT((lightness(stops[i]) - lightness(stops[i - 1])) * direction, 0.0)
                    << kMapNames[std::size_t(map)] << " " << i;
        }
}

TEST(ThemeMaps, SignedMapHasItsGroundInTheMiddle) {
    for (const auto& [theme, end, middle] : {std::tuple(&themes().light, 23.0, 97.0), std::tuple(&themes().dark, 84.0, 10.0)}) {
        const QList<QColor>& stops = theme->stops[std::size_t(MapId::Signed)];
        EXPECT_NEAR(lightness(stops.front()), end, 1.5);
        EXPECT_NEAR(lightness(stops.back()), end, 1.5);
        EXPECT_NEAR(lightness(stops[5]), middle, 1.0);
    }
}

TEST(ThemeFiles, MissingOrWrongMembersAreNamed) {
    EXPECT_THROW(parseTheme("{"), std::runtime_error);
    QFile file(QStringLiteral(":/themes/light.json"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray good = file.readAll();
    const auto message = [](const QByteArray& json) -> std::string {
        try {
            parseTheme(json);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_THAT(message(QByteArray(good).replace("\"hover\"", "\"hoover\"")), testing::HasSubstr("tokens.hover"));
    EXPECT_THAT(message(QByteArray(good).replace("#E3E8EC", "#E3E8E")), testing::HasSubstr("tokens.hover"));
    EXPECT_THAT(message(QByteArray(good).replace("\"hexagon\"", "\"heptagon\"")), testing::HasSubstr("runs.rust"));
    EXPECT_EQ(message(good), "accepted");
}

TEST(ThemeSwitch, ChangesPaletteAndColoursLive) {
    Theme& theme = Theme::instance();
    theme.setAppearance(Appearance::Light);
    QSignalSpy changed(&theme, &Theme::changed);
    EXPECT_EQ(Theme::color(Token::Base), of(themes().light, Token::Base));
    theme.setAppearance(Appearance::Dark);
    EXPECT_EQ(changed.size(), 1);
    EXPECT_TRUE(Theme::isDark());
    EXPECT_EQ(Theme::color(Token::Base), of(themes().dark, Token::Base));
    EXPECT_EQ(QApplication::palette().color(QPalette::Base), of(themes().dark, Token::Base));
    EXPECT_EQ(QApplication::palette().color(QPalette::Inactive, QPalette::Highlight), of(themes().dark, Token::Sel));
    EXPECT_EQ(QApplication::palette().color(QPalette::Disabled, QPalette::Text), of(themes().dark, Token::Disabled));
    theme.setAppearance(Appearance::Light);
    EXPECT_EQ(Theme::map(MapId::Gate), themes().light.maps[std::size_t(MapId::Gate)]);
}

TEST(ThemeSwitch, TheButtonOfAFullToolBarIsVisibleInBothThemes) {
    const QIcon icon = QApplication::style()->standardIcon(QStyle::SP_ToolBarHorizontalExtensionButton);
    for (const Appearance appearance : {Appearance::Dark, Appearance::Light}) {
        Theme::instance().setAppearance(appearance);
        const QImage picture = icon.pixmap(16).toImage();
        QColor strongest = Qt::transparent;
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x)
                if (const QColor here = picture.pixelColor(x, y); here.alpha() > strongest.alpha()) strongest = here;
        EXPECT_GT(strongest.alpha(), 128);
        EXPECT_GT(std::abs(strongest.lightness() - Theme::color(Token::Window).lightness()), 60) << Theme::isDark();
    }
}

TEST(ThemeSources, PlantedColoursAreFound) {
    for (const char* text : {"QColor(1,2,3)", "QColor {1,2,3}", "setPen(Qt::red)", "\"color: #AABBCC\"",
                             "QColorConstants::Svg::teal", "qRgb(1, 2, 3)", "Qt::darkGray"})
        EXPECT_EQ(colourLiterals(text).size(), 1U) << text;
    EXPECT_THAT(colourLiterals(
                    "const QColor& color; QColor result = x; // QColor(1,2,3) #AABBCC\nreplace(\"#000\", c); Qt::transparent"),
                testing::IsEmpty());
}

TEST(ThemeSources, NoColourOutsideTheTheme) {
    const fs::path ui = fs::path(HEDDLE_SOURCE_DIR) / "ui";
    const std::set<std::string> owners = {"colour.cpp", "colour.h", "theme.cpp", "theme.h", "theme_data.cpp", "theme_data.h"};
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(ui)) {
        const fs::path path = entry.path();
        if (path.extension() != ".cpp" && path.extension() != ".h") continue;
        if (path.parent_path().filename() == "theme" && owners.contains(path.filename())) continue;
        std::ifstream file(path);
        std::ostringstream text;
        text << file.rdbuf();
        EXPECT_THAT(colourLiterals(text.str()), testing::IsEmpty()) << path;
        ++files;
    }
    EXPECT_GT(files, 30);
}
