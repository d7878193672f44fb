// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/layout_box.h"

#include "ui/pages/page.h"
#include "ui/theme/type.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QSettings>
#include <QSignalBlocker>
#include <QVariantMap>

namespace heddle::ui {
namespace {

enum class Entry { Apply, Save, Delete };

QString keyOf(const Page& page, const char* what) { return page.name() + QLatin1Char('/') + QLatin1String(what); }

QVariantMap layoutsOf(const Page& page, const QSettings& settings) { return settings.value(keyOf(page, "layouts")).toMap(); }

}  // namespace

LayoutBox::LayoutBox(Page& page, QSettings& settings, QWidget* parent)
    : QWidget(parent), page_(page), settings_(settings), box_(new QComboBox(this)) {
    auto* label = new QLabel(tr("Layout"), this);
    label->setBuddy(box_);
    box_->setObjectName(QStringLiteral("layouts"));
    box_->setAccessibleName(tr("Layout"));
    box_->setToolTip(tr("How the panels of this page are arranged"));
    box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box_->setMinimumContentsLength(9);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(px(4), 0, px(6), 0);
    row->setSpacing(px(6));
    row->addWidget(label);
    row->addWidget(box_);
    connect(box_, &QComboBox::activated, this, &LayoutBox::carryOut);
    connect(&page, &Page::layoutReset, this, [this] { setCurrent({}); });
    fill();
}

QString LayoutBox::current() const { return settings_.value(keyOf(page_, "layoutShown")).toString(); }

void LayoutBox::setCurrent(const QString& name) {
    settings_.setValue(keyOf(page_, "layoutShown"), name);
    fill();
}

void LayoutBox::fill() {
    const QSignalBlocker quiet(box_);
    const auto add = [this](const QString& text, Entry entry, const QString& name) {
        box_->addItem(text, int(entry));
        box_->setItemData(box_->count() - 1, name, Qt::UserRole + 1);
    };
    box_->clear();
    add(tr("Standard"), Entry::Apply, {});
    const QStringList names = layoutsOf(page_, settings_).keys();
    for (const QString& name : names) add(name, Entry::Apply, name);
    box_->setCurrentIndex(int(names.indexOf(current())) + 1);
    box_->insertSeparator(box_->count());
    add(tr("Save as…"), Entry::Save, {});
    if (names.contains(current())) add(tr("Delete %1").arg(current()), Entry::Delete, current());
}

void LayoutBox::carryOut(int index) {
    const QString name = box_->itemData(index, Qt::UserRole + 1).toString();
    switch (Entry(box_->itemData(index).toInt())) {
    case Entry::Apply: return apply(name);
    case Entry::Save:
        fill();  // the box shows the current layout again
        return askForName();
    case Entry::Delete: return remove(name);
    }
}

void LayoutBox::askForName() {
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Save layout"));
    dialog->setLabelText(tr("Name"));
    dialog->setTextValue(current());
    dialog->setOkButtonText(tr("Save"));
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& name) {
        if (!name.trimmed().isEmpty()) save(name.trimmed());
    });
    dialog->open();
}

void LayoutBox::save(const QString& name) {
    QVariantMap layouts = layoutsOf(page_, settings_);
    layouts[name] = page_.arrangement();
    settings_.setValue(keyOf(page_, "layouts"), layouts);
    setCurrent(name);
}

void LayoutBox::apply(const QString& name) {
    const QVariantMap layouts = layoutsOf(page_, settings_);
    if (!layouts.contains(name)) return page_.resetLayout();
    page_.arrange(layouts[name].toByteArray());
    setCurrent(name);
}

void LayoutBox::remove(const QString& name) {
    QVariantMap layouts = layoutsOf(page_, settings_);
    layouts.remove(name);
    settings_.setValue(keyOf(page_, "layouts"), layouts);
    setCurrent({});
}

}  // namespace heddle::ui
