// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/panels/parts_tabs.h"

#include "ui/pages/compose/forms/parts.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QVBoxLayout>

namespace heddle::ui {
namespace {

/// Expands all groups; their titles span all columns.
void unfold(QTreeView* tree) {
    tree->expandAll();
    for (int group = 0; group < tree->model()->rowCount(); ++group) tree->setFirstColumnSpanned(group, {}, true);
}

/// A tree with its filter field: a group is shown while one of its rows matches.
QTreeView* filteredTree(QAbstractItemModel& model, const char* name, const QString& accessibleName, QLineEdit* field) {
    QTreeView* tree = makeTree(name, accessibleName, field->parentWidget());
    tree->setHeaderHidden(true);
    auto* proxy = new QSortFilterProxyModel(tree);
    proxy->setSourceModel(&model);
    proxy->setRecursiveFilteringEnabled(true);
    proxy->setAutoAcceptChildRows(true);
    proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    tree->setModel(proxy);
    QObject::connect(field, &QLineEdit::textChanged, proxy, [proxy, tree](const QString& words) {
        proxy->setFilterFixedString(words);
        unfold(tree);
    });
    QObject::connect(proxy, &QAbstractItemModel::rowsInserted, tree, [tree] { unfold(tree); });
    unfold(tree);
    return tree;
}

QLineEdit* filterField(const QString& words, QWidget* parent) {
    auto* field = new QLineEdit(parent);
    field->setPlaceholderText(words);
    field->setAccessibleName(words);
    field->setClearButtonEnabled(true);
    field->addAction(themeIcon(Icon::Search, Token::Text2), QLineEdit::LeadingPosition);
    return field;
}

QModelIndex source(const QModelIndex& index) {
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(index.model());
    return proxy ? proxy->mapToSource(index) : index;
}

void stack(QWidget* page, std::initializer_list<QWidget*> parts) {
    QVBoxLayout* column = makeColumn(page);
    for (QWidget* part : parts) {
        if (!qobject_cast<QTreeView*>(part)) {
            auto* margin = new QVBoxLayout;
            margin->setContentsMargins(px(7), px(5), px(7), px(5));
            margin->addWidget(part);
            column->addLayout(margin);
        } else {
            column->addWidget(part, 1);
        }
    }
}

}  // namespace

PartsTabs::PartsTabs(const VariantDraft& draft, QWidget* parent) : QTabWidget(parent), draft_(draft) {
    setObjectName(QStringLiteral("partsTabs"));
    setDocumentMode(true);
    setUsesScrollButtons(false);  // elide the titles rather than hide one
    setElideMode(Qt::ElideRight);
    addTab(makePresets(), tr("Presets"));
    addTab(makeBlocks(), tr("Blocks"));
    addTab(makeOutline(), tr("Outline"));
    setAccessibleName(tr("Presets, blocks and outline"));
    connect(this, &QTabWidget::currentChanged, this, &PartsTabs::showOutline);
    connect(&draft, &VariantDraft::changed, this, [this] {
        showOutline();
        presets_.setPinned(draft_.baselineName());
    });
    connect(&draft, &VariantDraft::siteChanged, this, &PartsTabs::selectRow);
}

void PartsTabs::resizeEvent(QResizeEvent* event) {
    QTabWidget::resizeEvent(event);
    const bool isNarrow = width() < px(240);
    presets_.setCounts(isNarrow ? PresetModel::Counts::Hidden : PresetModel::Counts::Shown);
    presetTree_->setColumnHidden(1, isNarrow);
}

QWidget* PartsTabs::makePresets() {
    auto* page = new QWidget(this);
    filter_ = filterField(tr("Filter presets"), page);
    presetTree_ = filteredTree(presets_, "presets", tr("Presets"), filter_);
    presetTree_->setTextElideMode(Qt::ElideMiddle);  // names differ at their ends
    presetTree_->setIndentation(px(11));
    presetTree_->setIconSize({px(22), px(16)});
    presetTree_->setContextMenuPolicy(Qt::CustomContextMenu);
    presetTree_->header()->setStretchLastSection(false);
    presetTree_->header()->setMinimumSectionSize(px(11));
    presetTree_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    presetTree_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    auto* hint = makeCaption(tr("Enter: open a copy · B: pin baseline"), page);
    hint->setWordWrap(true);
    stack(page, {filter_, presetTree_, hint});
    connect(presetTree_, &QTreeView::activated, this, [this] {
        if (const auto* entry = currentPreset()) Q_EMIT presetOpened(PresetEntry(*entry));
    });
    connect(presetTree_, &QWidget::customContextMenuRequested, this, &PartsTabs::presetMenu);
    return page;
}

void PartsTabs::presetMenu(const QPoint& point) {
    const auto* found = currentPreset();
    if (!found) return;
    const PresetEntry entry = *found;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Open as draft"), this, [this, entry] { Q_EMIT presetOpened(entry); });
    menu->addAction(themeIcon(Icon::Pin), tr("Pin as baseline"), this, [this, entry] { Q_EMIT pinRequested(entry); });
    if (entry.isSaved)
        menu->addAction(themeIcon(Icon::Trash), tr("Delete saved variant"), this,
                        [this, entry] { Q_EMIT removeRequested(entry); });
    menu->popup(presetTree_->viewport()->mapToGlobal(point));
}

QWidget* PartsTabs::makeBlocks() {
    auto* page = new QWidget(this);
    auto* field = filterField(tr("Filter blocks"), page);
    blockTree_ = filteredTree(blocks_, "blocks", tr("Blocks"), field);
    blockTree_->setIndentation(px(14));
    block_ = new QLabel(page);
    block_->setWordWrap(true);
    block_->setFont(typeFont(Type::Caption));
    block_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    block_->setMinimumHeight(px(110));
    block_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    stack(page, {field, blockTree_, block_});
    connect(blockTree_->selectionModel(), &QItemSelectionModel::currentChanged, this, &PartsTabs::describeBlock);
    connect(blockTree_, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (const auto* block = blocks_.block(source(index))) Q_EMIT blockChosen(block->slot, block->id);
    });
    describeBlock();
    return page;
}

void PartsTabs::describeBlock() {
    const auto* block = blocks_.block(source(blockTree_->currentIndex()));
    if (!block)
        return block_->setText(tr(
            "Press Enter to put a block into the selected slot, or into every slot of its kind if another slot is selected."));
    QString words = text(block->title) + QStringLiteral("\n") + text(block->summary);
    if (!block->formula.empty()) words += QStringLiteral("\n") + text(block->formula);
    if (!block->reference.empty()) words += QStringLiteral("\n") + text(block->reference);
    block_->setText(words);
}

QWidget* PartsTabs::makeOutline() {
    auto* page = new QWidget(this);
    outlineTree_ = makeTree("outline", tr("Outline"), page);
    outlineTree_->setModel(&outline_);
    outlineTree_->setIndentation(px(14));
    outlineTree_->header()->setStretchLastSection(false);
    outlineTree_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    outlineTree_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    stack(page, {outlineTree_});
    connect(outlineTree_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& now) {
        if (!isOutlineUpdating_ && now.isValid()) Q_EMIT moduleChosen(outline_.pathOf(now));
    });
    return page;
}

/// Only while the outline is the current tab: for a deep model it takes most of the time of an edit.
void PartsTabs::showOutline() {
    if (currentIndex() != indexOf(outlineTree_->parentWidget())) return;
    const QScopedValueRollback updating(isOutlineUpdating_, true);
    outline_.show(draft_);
    selectRow();
}

void PartsTabs::selectRow() {
    const auto& site = draft_.site();
    if (!site) return;
    const QScopedValueRollback updating(isOutlineUpdating_, true);
    const QModelIndex next = outline_.indexOf(modulePath(*site, site->first));
    if (next.isValid() && next != outlineTree_->currentIndex()) outlineTree_->setCurrentIndex(next);
}

const PresetEntry* PartsTabs::currentPreset() const { return presets_.entry(source(presetTree_->currentIndex())); }

const PresetEntry* PartsTabs::focusedPreset() const { return presetTree_->hasFocus() ? currentPreset() : nullptr; }

void PartsTabs::addToTrees(QAction* action) {
    for (QTreeView* tree : {presetTree_, blockTree_, outlineTree_}) tree->addAction(action);
}

void PartsTabs::focusFilter() {
    setCurrentIndex(0);
    filter_->setFocus(Qt::ShortcutFocusReason);
}

}  // namespace heddle::ui
