// SPDX-License-Identifier: GPL-3.0-or-later
// Tags as chips: where they stand and how they look, in the table and in the field that edits them.
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
    QRect cross;  ///< takes the tag away; empty where tags are only shown
};

/// Shown: as in a table. Editable: each chip has a cross.
enum class ChipKind { Shown, Editable };

/// The chips side by side from the left edge of `area`, in the middle of its height; they may be longer than it.
QList<TagChip> tagChips(const QStringList& tags, const QRect& area, ChipKind kind);
/// Width of all of them, gaps included.
int tagChipsWidth(const QStringList& tags, ChipKind kind);

struct ChipColours {
    QColor fill, edge, text;
};
void paintTagChip(QPainter& painter, const TagChip& chip, const ChipColours& colours);

}  // namespace heddle::ui
