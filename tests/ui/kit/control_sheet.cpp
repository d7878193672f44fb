// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/kit/sheets.h"
#include "tests/ui/support/offscreen.h"

#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/segments.h"
#include "ui/window/status_item.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QFocusFrame>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollBar>
#include <QSlider>
#include <QSpinBox>
#include <QStyleOptionButton>
#include <QTabWidget>
#include <QToolBar>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace heddle::ui::test {
namespace {

QLabel* heading(const char* words) {
    auto* label = new QLabel(text(words));
    label->setFont(strongFont(Type::Caption));
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

QPushButton* button(const char* words, std::optional<Icon> picture = Icon::Save) {
    auto* result = new QPushButton(text(words));
    if (picture) result->setIcon(themeIcon(*picture));
    result->setAutoDefault(false);
    return result;
}

/// A button that shows itself as if the pointer were over it or pressing it.
class PosedButton : public QPushButton {
public:
    PosedButton(const QString& words, QStyle::State pose) : QPushButton(themeIcon(Icon::Save), words), pose_(pose) {}

protected:
    void initStyleOption(QStyleOptionButton* option) const override {
        QPushButton::initStyleOption(option);
        option->state |= pose_;
    }

private:
    QStyle::State pose_;
};

QWidget* buttons() {
    auto* box = new QWidget;
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(button("Save"));
    row->addWidget(new PosedButton(text("Save"), QStyle::State_MouseOver));
    row->addWidget(new PosedButton(text("Save"), QStyle::State_Sunken));
    QPushButton* on = button("Save");
    on->setCheckable(true);
    on->setChecked(true);
    row->addWidget(on);
    QPushButton* off = button("Save");
    off->setEnabled(false);
    row->addWidget(off);
    QPushButton* focused = button("Save");
    row->addWidget(focused);
    focused->setObjectName(text("ringed"));
    QPushButton* primary = button("Plan experiment…", std::nullopt);
    setControlRole(*primary, ControlRole::Primary);
    row->addWidget(primary);
    QPushButton* small = button("Copy details", std::nullopt);
    setControlRole(*small, ControlRole::Small);
    row->addWidget(small);
    row->addStretch();
    return box;
}

QWidget* fields() {
    auto* box = new QWidget;
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    auto* plain = new QLineEdit(text("128"));
    auto* focused = new QLineEdit(text("128"));
    auto* wrong = new QLineEdit(text("7"));
    for (QLineEdit* field : {plain, focused, wrong}) field->setFixedWidth(px(76));
    setFieldProblem(*wrong, text("not divisible by 8"));
    focused->setObjectName(text("ringed"));
    auto* reason = new QLabel(text("not divisible by 8"));
    QPalette bad = reason->palette();
    bad.setColor(QPalette::WindowText, Theme::color(Token::Bad));
    reason->setPalette(bad);
    auto* combo = new QComboBox;
    combo->addItem(text("torch_default"));
    auto* spin = new QSpinBox;
    spin->setRange(1, 4096);
    spin->setValue(64);
    spin->setAlignment(Qt::AlignRight);
    spin->setFixedWidth(px(70));
    for (QWidget* widget : std::initializer_list<QWidget*>{plain, focused, wrong, reason, combo, spin}) row->addWidget(widget);
    for (const Qt::CheckState state : {Qt::Checked, Qt::Unchecked, Qt::PartiallyChecked}) {
        auto* check = new QCheckBox;
        check->setTristate(true);
        check->setCheckState(state);
        row->addWidget(check);
    }
    auto* grey = new QCheckBox;
    grey->setChecked(true);
    grey->setEnabled(false);
    row->addWidget(grey);
    auto* radio = new QRadioButton;
    radio->setChecked(true);
    row->addWidget(radio);
    auto* slider = new QSlider(Qt::Horizontal);
    slider->setRange(0, 100);
    slider->setValue(48);
    slider->setFixedWidth(px(110));
    row->addWidget(slider);
    row->addStretch();
    return box;
}

QWidget* strips() {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(px(6));
    const auto add = [&](const MessageStrip::Message& message) {
        auto* strip = new MessageStrip;
        strip->showMessage(message);
        column->addWidget(strip);
    };
    auto* verify = new QAction(text("Verify again"), box);
    auto* fork = new QAction(text("Fork at 4,086…"), box);
    auto* log = new QAction(text("Open log"), box);
    add({StripKind::Ok, text("Verified, nothing damaged"), {}, {verify}});
    add({StripKind::Info, text("No GPU found: runs use the cpu, about 15 times slower."), {}, {}});
    add({StripKind::Warn, text("Size not matched: +9.83 %"), {}, {}});
    add({StripKind::Bad,
         text("Diverged at step 4,312: the loss is NaN"),
         text("First in decoder.layers.1.cross.score. Gradient norm rose from 0.9 to 4,120 in 60 steps; the checkpoint of step "
              "4,086 is verified."),
         {fork, log}});
    return box;
}

QWidget* tabsAndTable() {
    auto* tabs = new QTabWidget;
    tabs->setDocumentMode(true);
    auto* tree = new QTreeWidget;
    tree->setHeaderLabels({text("Run"), text("State"), text("Seed"), text("Valid loss")});
    tree->setAlternatingRowColors(true);
    tree->setFrameShape(QFrame::NoFrame);
    tree->setUniformRowHeights(true);
    auto* group = new QTreeWidgetItem(tree, {text("eau-full-k128"), text("1 running"), text("3 of 5"), text("1.936")});
    new QTreeWidgetItem(group, {text("seed 1"), text("Completed"), text("1"), text("1.797")});
    new QTreeWidgetItem(group, {text("seed 2"), text("Completed"), text("2"), text("1.822")});
    new QTreeWidgetItem(tree, {text("eau-base-k128"), text("Completed"), text("4"), text("1.954")});
    new QTreeWidgetItem(tree, {text("grc-only-k128"), text("Interrupted"), text("3"), text("–")});
    group->setExpanded(true);
    group->setSelected(true);
    tree->setSortingEnabled(true);
    tree->header()->setSortIndicator(3, Qt::AscendingOrder);
    tree->setColumnWidth(0, px(150));
    tabs->addTab(tree, text("Problems  2"));
    tabs->addTab(new QWidget, text("Differences  16"));
    tabs->addTab(new QWidget, text("JSON"));
    tabs->setFixedHeight(px(190));
    return tabs;
}

QWidget* toolBar() {
    auto* bar = new QToolBar;
    auto* group = new Segments({text("0"), text("1e-4"), text("1e-3"), text("1e-2")}, bar);
    group->setCurrent(2);
    bar->addWidget(button("Pause", Icon::Pause));
    bar->addWidget(button("Stop", Icon::Stop));
    bar->addWidget(button("Checkpoint", Icon::Save));
    bar->addSeparator();
    bar->addWidget(group);
    bar->addSeparator();
    for (const Icon id : {Icon::Export, Icon::Expand, Icon::Menu})
        bar->addAction(themeIcon(id), QString::fromLatin1(kIconNames[std::size_t(id)]));
    bar->addWidget(new Chip(text("Sample data")));
    return bar;
}

QWidget* statusBar() {
    auto* box = new QWidget;
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    paintGround(*box, Token::Window);
    auto* run = new StatusItem("trainingStatus", nullptr);
    run->setMark(Icon::Play, Token::Run);
    run->setWords(text("eau-full-k128, seed 4"), text("epoch 50 of 120  step 11,350 of 27,240"),
                  text("64.1 steps/s  4 min 8 s left"));
    run->setProgress(0.417);
    auto* file = new StatusItem("databaseStatus", nullptr);
    file->setMark(Icon::Shield, Token::Ok);
    file->setWords({}, text("example-multi30k.heddle"), text("214 MiB"));
    row->addWidget(run);
    row->addStretch();
    row->addWidget(file);
    return box;
}

QWidget* rail() {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    paintGround(*box, Token::Window);
    box->setFixedWidth(px(64));
    const std::pair<Icon, const char*> pages[] = {{Icon::Compose, "Compose"},
                                                  {Icon::Watch, "Watch"},
                                                  {Icon::Inspect, "Inspect"},
                                                  {Icon::Compare, "Compare"},
                                                  {Icon::Library, "Library"}};
    for (const auto& [id, name] : pages) {
        auto* entry = new QToolButton;
        setControlRole(*entry, ControlRole::Rail);
        entry->setIcon(themeIcon(id, IconColours{Token::Text2, Token::Text, Token::Onsel, Token::Disabled, Token::Accent}));
        entry->setText(text(name));
        entry->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        entry->setCheckable(true);
        entry->setChecked(id == Icon::Watch);
        column->addWidget(entry);
    }
    column->addStretch();
    return box;
}

QWidget* bars() {
    auto* box = new QWidget;
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    auto* progress = new QProgressBar;
    progress->setValue(62);
    progress->setTextVisible(false);
    auto* scroll = new QScrollBar(Qt::Horizontal);
    scroll->setRange(0, 100);
    scroll->setPageStep(60);
    scroll->setValue(20);
    row->addWidget(progress, 1);
    row->addWidget(scroll, 1);
    return box;
}

}  // namespace

void paintGround(QWidget& widget, Token ground) {
    QPalette palette = widget.palette();
    palette.setColor(QPalette::Window, Theme::color(ground));
    widget.setPalette(palette);
    widget.setAutoFillBackground(true);
}

std::unique_ptr<QWidget> controlSheet() {
    auto sheet = std::make_unique<QWidget>();
    sheet->setFixedSize(960, 660);
    auto* whole = new QHBoxLayout(sheet.get());
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(rail());
    auto* column = new QVBoxLayout;
    column->setContentsMargins(px(4), px(10), px(12), 0);
    whole->addLayout(column, 1);
    column->addWidget(heading("Controls: normal, hover, pressed, on, disabled, focus, primary, small"));
    column->addWidget(buttons());
    column->addWidget(fields());
    column->addWidget(toolBar());
    column->addWidget(bars());
    column->addWidget(heading("Message strips"));
    column->addWidget(strips());
    column->addWidget(heading("Tabs, header, tree"));
    column->addWidget(tabsAndTable());
    column->addWidget(heading("Status bar"));
    column->addWidget(statusBar());
    column->addStretch();
    for (QWidget* focused : sheet->findChildren<QWidget*>(text("ringed"))) {  // two at once, as no real window has
        auto* ring = new QFocusFrame(sheet.get());
        ring->setWidget(focused);
    }
    return sheet;
}

}  // namespace heddle::ui::test
