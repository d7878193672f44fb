// SPDX-License-Identifier: GPL-3.0-or-later
// A field that holds tags as chips before the one that is being typed.
#pragma once

#include "ui/pages/library/tag_chips.h"

#include <QLineEdit>

namespace heddle::ui {

/// A comma ends a tag; Backspace before the text takes the last one away. Left and Right choose a chip, Delete or Backspace
/// removes the chosen one, and so does a click on its cross.
class TagField : public QLineEdit {
    Q_OBJECT

public:
    explicit TagField(QWidget* parent = nullptr);

    void setTags(const QStringList& tags);
    /// With what is typed and not ended yet.
    QStringList tags() const;
    /// Where chips are on the screen of this widget, for tests and tools.
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
    void takeTyped();
    void remove(int chip);
    void arrange();
    int crossAt(const QPoint& at) const;

    QStringList tags_;
    int chosen_ = -1;
};

/// `words` as tags: at the commas, trimmed, each once.
QStringList tagsOf(const QStringList& words);

}  // namespace heddle::ui
