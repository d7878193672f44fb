// SPDX-License-Identifier: GPL-3.0-or-later
// Tags as chips, and a field that shows them before the one that is being typed.
#pragma once

#include <QColor>
#include <QLineEdit>
#include <QList>
#include <QRect>
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

/// A comma ends a tag; Backspace before the text removes the last one. Left and Right choose a chip; Delete, Backspace or a
/// click on its cross removes it.
class TagField : public QLineEdit {
    Q_OBJECT

public:
    explicit TagField(QWidget* parent = nullptr);

    void setTags(const QStringList& tags);
    /// All tags, with the one that is being typed.
    QStringList tags() const;
    /// The chips with their places in this widget.
    QList<TagChip> chips() const;
    /// The chosen chip; -1 for none.
    int chosen() const { return chosen_; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    bool keyOnChips(const QKeyEvent& event);
    void addTyped();
    void remove(int chip);
    void arrange();
    int crossAt(const QPoint& at) const;

    QStringList tags_;
    int chosen_ = -1;
};

/// Splits `words` at commas into trimmed tags, each once.
QStringList tagsOf(const QStringList& words);

}  // namespace heddle::ui
