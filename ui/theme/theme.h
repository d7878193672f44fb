// SPDX-License-Identifier: GPL-3.0-or-later
// The only owner of colours. Everything that paints asks here. GUI thread only.
#pragma once

#include "ui/theme/theme_data.h"

#include <QObject>
#include <QPalette>

#include <memory>

namespace heddle::ui {

class SystemAppearance;

/// What the user chose; System follows the desktop, live.
enum class Appearance { System, Light, Dark };
enum class Motion { Full, Reduced };

class Theme : public QObject {
    Q_OBJECT

public:
    static Theme& instance();

    static QColor color(Token token);
    static QColor color(SlotColour slot);
    /// The slot colour as a thin tint over the ground of diagrams (13 % light, 24 % dark; none in high contrast).
    static QColor tint(SlotColour slot);
    static const RunStyle& run(RunColour colour);
    /// Style of the n-th variant drawn, 0 = pinned baseline (slate). From the tenth on, colours repeat with the next dash and
    /// marker.
    static RunStyle runAt(int order);
    static const ColorTable& map(MapId map);
    /// The map at `position`, 0 to 1.
    static QColor mapColor(MapId map, double position);
    static bool isDark();
    static Motion motion();
    /// `fullMs`, or 0 where motion is reduced.
    static int duration(int fullMs) { return motion() == Motion::Reduced ? 0 : fullMs; }

    Appearance appearance() const { return appearance_; }
    void setAppearance(Appearance appearance);
    /// Reduces motion also where the desktop does not ask for it.
    void setMotion(Motion motion);
    QPalette palette() const;

    /// While one lives, all colours are those of the light theme: for pictures that are printed. Nothing on the screen is
    /// painted again, as changed() is not sent; whoever opens one paints at once and closes it.
    class LightLook {
    public:
        LightLook();
        ~LightLook();
        LightLook(const LightLook&) = delete;
        LightLook& operator=(const LightLook&) = delete;

    private:
        ThemeData before_;
        bool wasDark_, hadHighContrast_;
    };

    Theme(const Theme&) = delete;
    Theme& operator=(const Theme&) = delete;
    ~Theme() override;

Q_SIGNALS:
    /// The colours have changed; the application's palette is already set and cached icons are dropped. Widgets need this only
    /// for what they keep: the palette has them all painted again.
    void changed();

private:
    Theme();
    void refresh();
    void apply();

    ThemeData light_, dark_, current_;
    Appearance appearance_ = Appearance::System;
    Motion chosenMotion_ = Motion::Full;
    bool isDark_ = false, highContrast_ = false;
    std::unique_ptr<SystemAppearance> system_;
};

}  // namespace heddle::ui
