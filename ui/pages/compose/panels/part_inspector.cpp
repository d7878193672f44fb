// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/panels/part_inspector.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/variant_schema.h"
#include "engine/spec/variant_spec.h"
#include "ui/pages/compose/forms/parts.h"
#include "ui/text/number.h"
#include "ui/theme/style_paint.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QStyleOption>
#include <QVBoxLayout>

#include <utility>

namespace heddle::ui {
namespace {

/// Members of a slot that belong to the stacks and not to a sublayer ("final" of norm).
std::vector<FieldSchema> modelFields(const std::string& slot) {
    const auto* field = findField(fieldOf(variantSchema(), "defaults"), slot);
    std::vector<FieldSchema> own;
    if (!field) return own;
    // A list of sublayers limits the defaults to these; here each sublayer is edited separately.
    for (const auto& member : field->fields)
        if (member.type != FieldSchema::Type::List) own.push_back(member);
    return own;
}

Json defaultsOf(const BlockDescriptor& block) { return withDefaults(parameterSchema(block), Json::object()); }

/// "gate.max_len" of "encoder.self.score.gate.max_len": the part of a problem's path behind its slot.
std::string pathInSlot(const std::string& path, const std::string& slot) {
    const auto at = ("." + path).find("." + slot + ".");
    return at == std::string::npos ? std::string() : path.substr(at + slot.size() + 1);
}

QLabel* wrapped(QLabel* label) {
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setContentsMargins(px(10), 0, px(10), 0);
    return label;
}

}  // namespace

ChoiceRow::ChoiceRow(QWidget* parent) : QAbstractButton(parent) {
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ChoiceRow::setWords(const Words& words) {
    words_ = words;
    setToolTip(words.summary);
    setAccessibleName(QStringLiteral("%1, %2").arg(words.name, words.count));
    setAccessibleDescription(words.summary);
    update();
}

QSize ChoiceRow::sizeHint() const {
    return {px(300), QFontMetrics(strongFont(Type::Body)).height() + QFontMetrics(typeFont(Type::Caption)).height() + px(8)};
}

void ChoiceRow::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return click();
    QAbstractButton::keyPressEvent(event);
}

void ChoiceRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const bool on = isChecked();
    painter.fillRect(rect(), Theme::color(on ? Token::Sel : underMouse() ? Token::Hover : Token::Base));
    painter.fillRect(QRect(0, height() - 1, width(), 1), Theme::color(Token::Line));
    QStyleOption radio;
    radio.rect = QRect(px(10), px(5), px(14), px(14));
    radio.state = QStyle::State_Enabled | (on ? QStyle::State_On : QStyle::State_Off);
    paint::radioButton(painter, radio);
    const int left = px(32), right = width() - px(10);
    const int first = QFontMetrics(strongFont(Type::Body)).height(), second = height() - first - px(6);
    const auto line = [&](int top, int high, const QFont& font, const QColor& color, std::pair<QString, QString> words) {
        painter.setPen(color);
        painter.setFont(numberFont(font.pixelSize() < strongFont(Type::Body).pixelSize() ? Type::Caption : Type::Body));
        painter.drawText(QRect(left, top, right - left, high), Qt::AlignRight | Qt::AlignVCenter, words.second);
        const int taken = words.second.isEmpty() ? 0 : painter.fontMetrics().horizontalAdvance(words.second) + px(10);
        painter.setFont(font);
        painter.drawText(QRect(left, top, right - left - taken, high), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(words.first, Qt::ElideRight, right - left - taken));
    };
    line(px(3), first, strongFont(Type::Body), Theme::color(on ? Token::Onsel : Token::Text), {words_.name, words_.count});
    line(px(3) + first, second, typeFont(Type::Caption), Theme::color(on ? Token::Onsel : Token::Text2),
         {words_.summary, words_.change});
}

PartInspector::PartInspector(VariantDraft& draft, QWidget* parent) : QWidget(parent), draft_(draft) {
    QVBoxLayout* column = makeColumn(this);
    empty_ =
        wrapped(makeCaption(tr("Select a slot in the diagram or in the outline to see its choices and parameters."), this));
    empty_->setContentsMargins(px(10), px(8), px(10), px(8));
    column->addWidget(empty_);
    content_ = new QWidget(this);
    auto* inner = new QVBoxLayout(content_);
    inner->setContentsMargins(0, 0, 0, px(4));
    inner->setSpacing(0);
    inner->addWidget(scopeRow_ = makeScope());
    choiceColumn_ = new QVBoxLayout;
    choiceColumn_->setSpacing(0);
    choices_ = new QButtonGroup(this);
    inner->addLayout(choiceColumn_);
    inner->addSpacing(px(6));
    formula_ = wrapped(new QLabel(content_));
    formula_->setTextFormat(Qt::RichText);
    QFont math = typeFont(Type::Section);
    math.setItalic(true);
    formula_->setFont(math);
    reference_ = wrapped(makeCaption({}, content_));
    count_ = wrapped(makeCaption({}, content_));
    inner->addWidget(formula_);
    inner->addSpacing(px(2));
    inner->addWidget(reference_);
    inner->addWidget(form_ = new FieldForm(1, content_));
    inner->addWidget(modelForm_ = new FieldForm(1, content_));
    inner->addWidget(count_);
    column->addWidget(content_);
    connect(form_, &FieldForm::edited, this, [this](const std::string& key, const Json& value) {
        if (site_) draft_.setParameter(*site_, reach(), {key, value});
    });
    connect(modelForm_, &FieldForm::edited, this, [this](const std::string& key, const Json& value) {
        if (site_) draft_.assign("defaults." + site_->slot + "." + key, value);
    });
    connect(choices_, &QButtonGroup::idClicked, this,
            [this](int id) { choose(builtinCatalogue().ofSlot(rowsOf_)[std::size_t(id)]->id); });
    for (const auto emitted : {&VariantDraft::changed, &VariantDraft::siteChanged})
        connect(&draft, emitted, this, &PartInspector::refresh);
    refresh();
}

QWidget* PartInspector::makeScope() {
    auto* row = new QWidget(this);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(px(10), px(4), px(10), px(4));
    line->addWidget(makeCaption(tr("Applies to"), row));
    line->addStretch();
    layers_ = new QComboBox(row);
    layers_->setAccessibleName(tr("Layers that an edit applies to"));
    sublayer_ = new QComboBox(row);
    sublayer_->setAccessibleName(tr("Sublayer"));
    for (QComboBox* box : {layers_, sublayer_}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        box->setMinimumContentsLength(4);
        line->addWidget(box);
    }
    connect(layers_, &QComboBox::activated, this, &PartInspector::scopeChosen);
    connect(sublayer_, &QComboBox::activated, this, [this] {
        if (!site_) return;
        SlotSite site = *site_;
        site.sublayer = sublayer_->currentData().toString().toStdString();
        draft_.select(site);
    });
    return row;
}

void PartInspector::refresh() {
    const auto before = std::exchange(site_, draft_.site());
    if (before && site_ && !before->isSameSlot(*site_)) wholeModel_ = false;
    const bool shown = site_ && draft_.facts() && choiceAt(draft_.facts()->variant, *site_);
    empty_->setVisible(!shown);
    content_->setVisible(shown);
    if (!shown) return;
    fillScope();
    fillChoices();
    fillDetails();
}

void PartInspector::fillScope() {
    scopeRow_->setVisible(site_->hasLayers());
    if (!site_->hasLayers()) return;
    const int count = int(layersOf(draft_.facts()->variant, site_->stack).size());
    layers_->clear();
    const auto add = [&](const QString& words, int first, int last) { layers_->addItem(words, QPoint(first, last)); };
    add(count == 1   ? tr("the %1 layer").arg(text(site_->stack))
        : count == 2 ? tr("both %1 layers").arg(text(site_->stack))
                     : tr("all %1 %2 layers").arg(count).arg(text(site_->stack)),
        0, count - 1);
    if (site_->last > site_->first && site_->last - site_->first < count - 1)
        add(tr("layers %1–%2").arg(site_->first).arg(site_->last), site_->first, site_->last);
    for (int layer = 0; layer < count && count > 1; ++layer) add(tr("layer %1").arg(layer), layer, layer);
    layers_->addItem(tr("the whole model"));
    const int at = wholeModel_ ? layers_->count() - 1 : layers_->findData(QPoint(site_->first, site_->last));
    layers_->setCurrentIndex(std::max(0, at));
    sublayer_->clear();
    for (const auto& site : sitesOf(draft_.facts()->variant, site_->slot))
        if (site.stack == site_->stack) sublayer_->addItem(text(site.sublayer), text(site.sublayer));
    sublayer_->setCurrentIndex(sublayer_->findData(text(site_->sublayer)));
    sublayer_->setVisible(sublayer_->count() > 1 && !wholeModel_);
}

void PartInspector::scopeChosen(int index) {
    if (!site_) return;
    wholeModel_ = index == layers_->count() - 1;
    SlotSite site = *site_;
    const QPoint layers = layers_->itemData(index).toPoint();
    if (!wholeModel_) std::tie(site.first, site.last) = std::pair(layers.x(), layers.y());
    draft_.select(site);
}

std::vector<SlotSite> PartInspector::reached() const {
    return wholeModel_ ? sitesOf(draft_.facts()->variant, site_->slot) : std::vector<SlotSite>{*site_};
}

std::int64_t PartInspector::cost(const BlockDescriptor& block, const Json& params, const SlotSite& site) const {
    BlockContext where = draft_.facts()->places.at(modulePath(site, site.first));
    if (choiceAt(draft_.facts()->variant, site)->id != block.id) where.twin.clear();  // no other sublayer has this block
    return block.parameterCount(where, params);
}

std::optional<std::int64_t> PartInspector::stackChange(const BlockDescriptor& block) const {
    Json document = draft_.document();
    try {
        applySet(document, modulePath(*site_, 0) + "." + kindKey(block.slot) + "=" + block.id);
    } catch (const Error&) {
        return std::nullopt;
    }
    const Facts facts = factsOf(document, draft_.assumed());
    return facts ? std::optional(facts->cost.parameters - draft_.facts()->cost.parameters) : std::nullopt;
}

void PartInspector::fillChoices() {
    const auto blocks = builtinCatalogue().ofSlot(site_->slot);
    if (rowsOf_ != site_->slot) {
        for (QAbstractButton* row : choices_->buttons()) {
            choices_->removeButton(row);
            row->hide();
            row->deleteLater();
        }
        rowsOf_ = site_->slot;
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            auto* row = new ChoiceRow(content_);
            choices_->addButton(row, int(i));
            choiceColumn_->addWidget(row);
            row->show();  // now and not with the next event: it may get the focus at once
        }
    }
    const DraftFacts& facts = *draft_.facts();
    const BlockChoice* chosen = choiceAt(facts.variant, *site_);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const BlockDescriptor* block = blocks[i];
        std::int64_t change = 0;
        int sites = 0;
        for (const auto& wide : reached())
            for (int layer = wide.first; layer <= wide.last; ++layer, ++sites) {
                const SlotSite one = wide.inLayer(layer);
                const BlockChoice* now = choiceAt(facts.variant, one);
                const bool stays = now->id == block->id;
                change += cost(*block, stays ? now->params : defaultsOf(*block), one) -
                          cost(builtinCatalogue().at(site_->slot, now->id), now->params, one);
            }
        const bool own = chosen->id == block->id, isOfStack = !site_->isGlobal() && !site_->hasLayers();
        const auto whole = isOfStack && !own ? stackChange(*block) : std::optional(change);
        const std::int64_t each = cost(*block, own ? chosen->params : defaultsOf(*block), *site_);
        auto* row = qobject_cast<ChoiceRow*>(choices_->button(int(i)));
        const QString places = sites > 1 ? QStringLiteral("× %1").arg(sites) : QString();
        row->setWords({blockName(*block), text(block->summary), ui::count(each),
                       own && change == 0 ? places
                       : whole            ? signedCount(*whole)
                                          : QString(kNoValue)});
        row->setChecked(own);
    }
}

void PartInspector::fillDetails() {
    const DraftFacts& facts = *draft_.facts();
    const BlockChoice& chosen = *choiceAt(facts.variant, *site_);
    const auto& block = builtinCatalogue().at(site_->slot, chosen.id);
    formula_->setText(formulaMarkup(text(block.formulaWith(chosen.params))));
    formula_->setVisible(!block.formula.empty());
    QStringList words{text(block.title), text(block.reference)};
    QStringList shows;
    for (const auto& exposure : block.exposures) shows << text(exposure.title);
    words.removeAll(QString());
    QString line = words.join(QStringLiteral(" · "));
    if (!shows.isEmpty()) line += QStringLiteral("\n") + tr("Recorded in training: %1").arg(shows.join(QStringLiteral(", ")));
    reference_->setText(line);
    form_->setFields(block.parameters);
    form_->setValues(chosen.params);
    form_->setVisible(!form_->isEmpty());
    const auto wide = modelFields(site_->slot);
    modelForm_->setFields(wide);
    Json values = Json::object();
    const Json::json_pointer written("/defaults/" + site_->slot);
    if (facts.spec.compact().contains(written)) values = facts.spec.compact().at(written);
    for (const auto& field : wide)
        if (!values.contains(field.key)) values[field.key] = field.defaultValue;
    modelForm_->setValues(values);
    modelForm_->setVisible(!wide.empty());
    for (const auto& problem : draft_.problems())
        if (const auto site = siteOfPath(problem.path, facts.variant); site && site->isSameSlot(*site_))
            form_->setProblem(pathInSlot(problem.path, site->slot), problem);
    const int sites = site_->last - site_->first + 1;
    const std::int64_t each = cost(block, chosen.params, *site_);
    count_->setText(
        sites > 1 ? tr("%1 parameters in each of %2 layers: %3").arg(ui::count(each)).arg(sites).arg(ui::count(each * sites))
                  : tr("%1 parameters").arg(ui::count(each)));
}

void PartInspector::choose(const std::string& block) {
    if (!site_ || !builtinCatalogue().find(site_->slot, block)) return;
    draft_.chooseBlock(*site_, reach(), block);
    checkChosen();  // the click checked the row even if the edit failed
}

void PartInspector::checkChosen() {
    const BlockChoice* chosen = site_ && draft_.facts() ? choiceAt(draft_.facts()->variant, *site_) : nullptr;
    if (!chosen || rowsOf_ != site_->slot) return;
    const auto blocks = builtinCatalogue().ofSlot(rowsOf_);
    for (std::size_t i = 0; i < blocks.size(); ++i)
        if (blocks[i]->id == chosen->id) choices_->button(int(i))->setChecked(true);
}

void PartInspector::focusChoices() {
    if (QAbstractButton* row = choices_->checkedButton()) row->setFocus(Qt::TabFocusReason);
}

}  // namespace heddle::ui
