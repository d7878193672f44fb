// SPDX-License-Identifier: GPL-3.0-or-later
// Places and draws tags as chips, in the table and in the field that edits them.
#pragma once

#include <QColor>
#include <QList>
#include <QRect>
#include <QString>
#include <QStringList>

class QPainter;

namespace heddle::ui {

struct TagChip {
    QString text;
    QRect rect;
    QRect cross;  ///< removes the tag; empty where tags are only shown
};

/// Shown: as in a table. Editable: each chip has a cross.
enum class ChipKind { Shown, Editable };

/// Chips side by side from the left edge of `area`, vertically centred; they may reach beyond its right edge.
QList<TagChip> tagChips(const QStringList& tags, const QRect& area, ChipKind kind);
/// Width of all of them, gaps included.
int tagChipsWidth(const QStringList& tags, ChipKind kind);

struct ChipColours {
    QColor fill, edge, text;
};
void paintTagChip(QPainter& painter, const TagChip& chip, const ChipColours& colours);

}  // namespace heddle::ui
