// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include "ui/theme/system_appearance.h"

#include <QApplication>
#include <QFile>
#include <QPixmapCache>

#include <cmath>
#include <stdexcept>
#include <utility>

namespace heddle::ui {
namespace {

ThemeData load(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) throw std::runtime_error("theme file: " + path.toStdString() + " cannot be read");
    return parseTheme(file.readAll());
}

}  // namespace

Theme& Theme::instance() {
    static Theme theme;
    return theme;
}

Theme::Theme()
    : light_(load(QStringLiteral(":/themes/light.json"))),
      dark_(load(QStringLiteral(":/themes/dark.json"))),
      current_(light_),
      system_(std::make_unique<SystemAppearance>()) {
    connect(system_.get(), &SystemAppearance::changed, this,
            &Theme::refresh);  // never from here: styles use the theme during its construction
}

Theme::~Theme() = default;

QColor Theme::color(Token token) { return instance().current_.tokens[std::size_t(token)]; }
QColor Theme::color(SlotColour slot) { return instance().current_.slotColours[std::size_t(slot)]; }
QColor Theme::tint(SlotColour slot) {
    const double share = instance().highContrast_ ? 0 : isDark() ? 0.24 : 0.13;
    return mix(color(Token::Base), color(slot), share);
}
const RunStyle& Theme::run(RunColour colour) { return instance().current_.runs[std::size_t(colour)]; }

RunStyle Theme::runAt(int order) {
    const int others = int(kRunColourNames.size()) - 1;
    if (order <= 0) return run(RunColour::Slate);
    const int colour = (order - 1) % others, round = (order - 1) / others;
    RunStyle style = run(RunColour(1 + colour));
    const RunStyle& shape = run(RunColour(1 + (colour + round) % others));
    style.dash = shape.dash;
    style.marker = shape.marker;
    return style;
}

const ColorTable& Theme::map(MapId map) { return instance().current_.maps[std::size_t(map)]; }
QColor Theme::mapColor(MapId id, double position) {
    return QColor::fromRgb(map(id)[std::size_t(std::lround(255 * std::min(1.0, std::max(0.0, position))))]);
}
bool Theme::isDark() { return instance().isDark_; }
Motion Theme::motion() {
    const Theme& theme = instance();
    return theme.system_->reducedMotion() ? Motion::Reduced : theme.chosenMotion_;
}

void Theme::setAppearance(Appearance appearance) {
    appearance_ = appearance;
    refresh();
}

void Theme::setMotion(Motion motion) { chosenMotion_ = motion; }

Theme::LightLook::LightLook()
    : before_(std::exchange(instance().current_, instance().light_)),
      wasDark_(std::exchange(instance().isDark_, false)),
      hadHighContrast_(std::exchange(instance().highContrast_, false)) {}

Theme::LightLook::~LightLook() {
    Theme& theme = instance();
    theme.current_ = std::move(before_);
    theme.isDark_ = wasDark_;
    theme.highContrast_ = hadHighContrast_;
}

void Theme::refresh() {
    const bool dark = appearance_ == Appearance::Dark || (appearance_ == Appearance::System && system_->prefersDark());
    const bool contrast = system_->prefersContrast();
    current_ = dark ? dark_ : light_;
    if (contrast) {  // one visible colour for all lines
        current_.tokens[std::size_t(Token::Line)] = current_.tokens[std::size_t(Token::Border)];
        current_.tokens[std::size_t(Token::Plotgrid)] = current_.tokens[std::size_t(Token::Plotaxis)];
    }
    isDark_ = dark;
    highContrast_ = contrast;
    apply();
}

void Theme::apply() {
    if (!qobject_cast<QApplication*>(QCoreApplication::instance())) return;
    QPixmapCache::clear();
    QApplication::setPalette(palette());
    Q_EMIT changed();
}

QPalette Theme::palette() const {
    const auto of = [this](Token token) { return current_.tokens[std::size_t(token)]; };
    QPalette palette;
    using Role = std::pair<QPalette::ColorRole, Token>;
    for (const auto& [role, token] : std::initializer_list<Role>{{QPalette::Window, Token::Panel},
                                                                 {QPalette::WindowText, Token::Text},
                                                                 {QPalette::Base, Token::Base},
                                                                 {QPalette::AlternateBase, Token::Alt},
                                                                 {QPalette::Text, Token::Text},
                                                                 {QPalette::PlaceholderText, Token::Text2},
                                                                 {QPalette::Button, Token::Panel},
                                                                 {QPalette::ButtonText, Token::Text},
                                                                 {QPalette::BrightText, Token::Bad},
                                                                 {QPalette::Highlight, Token::Sel},
                                                                 {QPalette::HighlightedText, Token::Onsel},
                                                                 {QPalette::ToolTipBase, Token::Panel},
                                                                 {QPalette::ToolTipText, Token::Text},
                                                                 {QPalette::Link, Token::Link},
                                                                 {QPalette::LinkVisited, Token::Link},
                                                                 {QPalette::Light, Token::Line},
                                                                 {QPalette::Midlight, Token::Line},
                                                                 {QPalette::Mid, Token::Border},
                                                                 {QPalette::Dark, Token::Border},
                                                                 {QPalette::Shadow, Token::Border}})
        for (const auto group : {QPalette::Active, QPalette::Inactive, QPalette::Disabled})
            palette.setColor(group, role, of(token));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::PlaceholderText,
                            QPalette::HighlightedText, QPalette::Link})
        palette.setColor(QPalette::Disabled, role, of(Token::Disabled));
    return palette;
}

}  // namespace heddle::ui
