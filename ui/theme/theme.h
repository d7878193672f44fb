// SPDX-License-Identifier: GPL-3.0-or-later
// All colours of the program. Every paint function reads them here. GUI thread only.
#pragma once

#include "ui/theme/theme_data.h"

#include <QObject>
#include <QPalette>

#include <memory>

namespace heddle::ui {

class SystemAppearance;

/// The choice of the user; System follows the desktop, live.
enum class Appearance { System, Light, Dark };
enum class Motion { Full, Reduced };

class Theme : public QObject {
    Q_OBJECT

public:
    static Theme& instance();

    static QColor color(Token token);
    static QColor color(SlotColour slot);
    /// The slot colour as a light tint over the background of diagrams (13 % light, 24 % dark; none in high contrast).
    static QColor tint(SlotColour slot);
    static const RunStyle& run(RunColour colour);
    /// Style of the n-th variant, 0 = pinned baseline (slate). From the tenth on, colours repeat with the next dash and marker.
    static RunStyle runAt(int order);
    static const ColorTable& map(MapId map);
    /// The colour of the map at `position`, 0 to 1.
    static QColor mapColor(MapId map, double position);
    static bool isDark();
    static Motion motion();
    /// `fullMs`, or 0 with reduced motion.
    static int duration(int fullMs) { return motion() == Motion::Reduced ? 0 : fullMs; }

    Appearance appearance() const { return appearance_; }
    void setAppearance(Appearance appearance);
    /// Reduces motion regardless of the setting of the desktop.
    void setMotion(Motion motion);
    QPalette palette() const;

    /// While such an object exists, all colours are those of the light theme, for printed pictures. The screen is not
    /// repainted, since changed() is not sent, so the owner must paint at once and delete the object.
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
    /// The colours have changed; the palette of the application is set and cached icons are removed. Only widgets that keep
    /// colours need this: the palette makes all widgets repaint.
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
