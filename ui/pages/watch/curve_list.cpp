// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/curve_list.h"

#include "ui/data/run_actions.h"
#include "ui/plot/marker.h"
#include "ui/text/number.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QBoxLayout>
#include <QListWidget>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>
#include <functional>

namespace heddle::ui::watch {
namespace {

bool isHeader(const QModelIndex& index) { return index.data(CurveList::RunRole).toString().isEmpty(); }

/// Eye, line, name and value of a run.
class CurveDelegate : public QStyledItemDelegate {
public:
    CurveDelegate(QObject* parent, std::function<void(const RunRef&)> toggle)
        : QStyledItemDelegate(parent), toggle_(std::move(toggle)) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {px(120), px(24)}; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QRect row = option.rect;
        const bool header = isHeader(index), hidden = index.data(Qt::CheckStateRole).toInt() == Qt::Unchecked;
        const bool chosen = option.state & QStyle::State_Selected, over = option.state & QStyle::State_MouseOver;
        painter->fillRect(row, Theme::color(header ? Token::Chrome : chosen ? Token::Sel : over ? Token::Hover : Token::Base));
        const QColor text = Theme::color(chosen ? Token::Onsel : hidden ? Token::Text2 : Token::Text);
        painter->setPen(text);
        const auto icon = [&](Icon id, int x) {
            painter->drawPixmap(x, row.top() + (row.height() - px(16)) / 2,
                                iconPixmap(id, Theme::color(Token::Text2), px(16), painter->device()->devicePixelRatioF()));
        };
        if (header) {
            painter->setFont(strongFont(Type::Caption));
            painter->drawText(row.adjusted(px(8), 0, -px(8), 0), Qt::AlignVCenter, index.data().toString());
            return;
        }
        icon(hidden ? Icon::EyeOff : Icon::Eye, row.left() + px(8));
        const int order = index.data(CurveList::OrderRole).toInt();
        RunStyle style = Theme::runAt(order);
        style.dash = {};  // in these plots the dash marks train or valid, not the run
        if (hidden) style.color = Theme::color(Token::Disabled);
        paintLineSample(*painter, QRectF(row.left() + px(30), row.top(), px(24), row.height()), style,
                        hidden ? SampleMarker::None : SampleMarker::Middle);
        const QString value = index.data(CurveList::ValueRole).toString();
        const QFont figures = numberFont(Type::Body);
        const int valueWidth = textWidth(value, figures);
        painter->setFont(figures);
        painter->setPen(text);
        painter->drawText(row.adjusted(0, 0, -px(8), 0), Qt::AlignVCenter | Qt::AlignRight, value);
        int right = row.right() - px(14) - valueWidth;
        if (order == 0) {
            icon(Icon::Pin, right - px(16));
            right -= px(20);
        }
        painter->setFont(typeFont(Type::Body));
        const QRect label(row.left() + px(60), row.top(), right - row.left() - px(60), row.height());
        painter->drawText(label, Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, label.width()));
    }
    bool editorEvent(QEvent* event, QAbstractItemModel*, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override {
        if (isHeader(index) || event->type() != QEvent::MouseButtonRelease) return false;
        if (static_cast<QMouseEvent*>(event)->pos().x() > option.rect.left() + px(28)) return false;
        toggle_(RunRef::fromKey(index.data(CurveList::RunRole).toString()));
        return true;
    }

private:
    std::function<void(const RunRef&)> toggle_;
};

}  // namespace

CurveList::CurveList(Studio& studio, const RunDetails& details, QWidget* parent)
    : QWidget(parent),
      studio_(studio),
      details_(details),
      caption_(new ElidedLabel(this)),
      view_(new QListWidget(this)),
      hideOne_(makeAction(this, {"hideCurve", tr("Hide or show curve"), {}, Qt::Key_H}, [this] { toggle(target()); })),
      hideOthers_(
          makeAction(this, {"hideOtherCurves", tr("Hide other curves"), {}, Qt::ALT | Qt::Key_H}, [this] { toggleOthers(); })),
      stopComparing_(
          makeAction(this, {"stopComparing", tr("Stop comparing"), {}, Qt::Key_Delete}, [this] { endComparison(); })) {
    setCaption(*caption_);
    caption_->setContentsMargins(px(8), 0, px(8), 0);
    caption_->setFixedHeight(px(22));
    view_->setItemDelegate(new CurveDelegate(view_, [this](const RunRef& run) { toggle(run); }));
    view_->setObjectName(QStringLiteral("curves"));
    view_->setAccessibleName(tr("Curves drawn"));
    view_->setContextMenuPolicy(Qt::ActionsContextMenu);
    view_->setFrameShape(QFrame::NoFrame);
    view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view_->setMouseTracking(true);
    view_->setMinimumHeight(px(60));
    QVBoxLayout* column = makeColumn(this);
    column->addWidget(caption_);
    column->addWidget(view_, 1);
    connect(view_, &QListWidget::currentRowChanged, this, &CurveList::nameTarget);
    connect(&studio.databases(), &Databases::closed, this, [this](int database) {
        std::erase_if(hidden_, [database](const RunRef& run) { return run.database == database; });
    });
    nameTarget();
}

std::vector<RunRef> CurveList::runs() const {
    std::vector<RunRef> runs{studio_.currentRun()};
    for (const RunRef& run : studio_.comparedRuns())
        if (std::find(runs.begin(), runs.end(), run) == runs.end()) runs.push_back(run);
    std::erase_if(runs, [this](const RunRef& run) { return !studio_.databases().run(run); });
    return runs;
}

std::vector<RunRef> CurveList::drawn() const {
    std::vector<RunRef> drawn = runs();
    std::erase_if(drawn, [this](const RunRef& run) { return hidden_.contains(run); });
    return drawn;
}

Subject CurveList::subject(std::optional<Step> step) const {
    Subject subject;
    if (const Run* run = studio_.databases().run(studio_.currentRun())) {
        subject.run = run->ref;
        subject.detail = details_.of(run->ref);
        subject.step = step.value_or(run->step);
        subject.order = studio_.colours().orderOf(*run);
        subject.label = runLabel(*run);
    }
    const std::vector<RunRef> runs = drawn();
    const auto other = std::find_if(runs.begin(), runs.end(), [&](const RunRef& run) { return run != subject.run; });
    if (other != runs.end()) {
        subject.other = *other;
        subject.otherDetail = details_.of(*other);
        subject.otherLabel = runLabel(*studio_.databases().run(*other));
    }
    return subject;
}

void CurveList::show(Step step) {
    std::vector<RunRef> rows = drawn(), hidden = runs();
    std::erase_if(hidden, [this](const RunRef& run) { return !hidden_.contains(run); });
    if (!hidden.empty()) rows.emplace_back();  // a header
    rows.insert(rows.end(), hidden.begin(), hidden.end());
    if (rows != rows_) {
        rows_ = rows;
        view_->clear();
        for (const RunRef& run : rows) {
            auto* item = new QListWidgetItem(view_);
            item->setData(RunRole, run.key());
            item->setFlags(run.empty() ? Qt::NoItemFlags : Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) fill(*view_->item(int(i)), rows[i], step);
    if (!hidden.empty())
        view_->item(int(rows.size() - hidden.size()) - 1)
            ->setText(
                //: A header and the number of runs below it.
                tr("Hidden  %1").arg(hidden.size()));
    nameTarget();
    caption_->setText(tr("valid loss at step %1").arg(count(step)));
    caption_->setToolTip(tr("Each run's last evaluation up to step %1; – for a run without one").arg(count(step)));
}

void CurveList::fill(QListWidgetItem& item, const RunRef& ref, Step step) const {
    const Run* run = studio_.databases().run(ref);
    if (!run) return;
    const auto detail = details_.of(ref);
    const QString label = runLabel(*run);
    const QString value = number(detail ? detail->evaluatedAt("valid", "loss", step) : std::nullopt, 3);
    const bool isHidden = hidden_.contains(ref);
    item.setText(label);
    item.setToolTip(label);
    item.setData(Qt::AccessibleTextRole, tr("%1, %2, valid loss %3").arg(label, isHidden ? tr("hidden") : tr("shown"), value));
    item.setCheckState(isHidden ? Qt::Unchecked : Qt::Checked);
    item.setData(OrderRole, studio_.colours().orderOf(*run));
    item.setData(ValueRole, value);
}

RunRef CurveList::listed() const { return RunRef::fromKey(view_->currentIndex().data(RunRole).toString()); }

/// The run selected in the list while the list has the focus, else the current run.
RunRef CurveList::target() const { return view_->hasFocus() && !listed().empty() ? listed() : studio_.currentRun(); }

/// The run selected in the list, if it is one of the compared runs.
RunRef CurveList::listedCompared() const {
    const auto& compared = studio_.comparedRuns();
    return std::find(compared.begin(), compared.end(), listed()) == compared.end() ? RunRef() : listed();
}

void CurveList::toggle(const RunRef& run) {
    if (run.empty()) return;
    if (!hidden_.erase(run)) hidden_.insert(run);
    Q_EMIT drawnChanged();
}

void CurveList::toggleOthers() {
    const RunRef kept = target();
    bool any = false;
    for (const RunRef& run : runs())
        if (run != kept) any = hidden_.insert(run).second || any;
    if (!any) hidden_.clear();  // they were hidden before: show them again
    hidden_.erase(kept);
    Q_EMIT drawnChanged();
}

void CurveList::endComparison() {
    auto runs = studio_.comparedRuns();
    std::erase(runs, listedCompared());
    studio_.setComparedRuns(std::move(runs));
}

/// Puts the selected run into the text of the action.
void CurveList::nameTarget() {
    const RunRef run = listedCompared();
    setTarget(*stopComparing_, tr("Stop comparing %1"), targetOf(studio_.databases().run(run)));
    stopComparing_->setEnabled(!run.empty());
}

}  // namespace heddle::ui::watch
