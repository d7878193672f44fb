// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/intervention_list.h"

#include "engine/base/error.h"
#include "ui/data/exposures.h"
#include "ui/theme/type.h"

#include <QHeaderView>
#include <QInputDialog>
#include <QMenu>
#include <QSignalBlocker>

#include <algorithm>
#include <numeric>

namespace heddle::ui {
namespace {

/// The label of one of interventionKinds().
QString kindLabel(const std::string& kind) {
    if (kind == "mute") return InterventionList::tr("Mute head");
    if (kind == "mean") return InterventionList::tr("Mean ablation");
    if (kind == "resample") return InterventionList::tr("Resample ablation");
    if (kind == "clamp") return InterventionList::tr("Clamp");
    if (kind == "scale") return InterventionList::tr("Scale");
    if (kind == "cut_carry") return InterventionList::tr("Cut score carry");
    if (kind == "identity") return InterventionList::tr("Identity residual");
    return InterventionList::tr("Neutral block");
}

bool isAllowed(const Intervention& intervention, const InterventionTargets& targets) {
    try {
        checkInterventions({intervention}, targets);
        return true;
    } catch (const Error&) {  // the model has no such part
        return false;
    }
}

}  // namespace

QString wordsOf(const Intervention& intervention) { return kindLabel(kindOf(intervention)); }

QString shortWords(const Intervention& intervention) { return shortPath(QString::fromStdString(textOf(intervention))); }

InterventionList::InterventionList(QWidget* parent) : QTreeWidget(parent), menu_(new QMenu(this)) {
    setColumnCount(2);
    setHeaderHidden(true);
    setRootIsDecorated(false);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Interventions"));
    header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    connect(this, &QTreeWidget::itemChanged, this, &InterventionList::activeChanged);
}

void InterventionList::setTargets(const InterventionTargets& targets) {
    clampable_ = targets.exposures;
    std::erase_if(clampable_, [](const ModuleExposure& one) { return !one.exposure.clampable; });
    fillMenu(targets);
    const std::size_t before = list_.size();
    for (std::size_t i = before; i-- > 0;)
        if (!isAllowed(list_[i], targets)) {
            list_.erase(list_.begin() + std::ptrdiff_t(i));
            delete takeTopLevelItem(int(i));
        }
    if (list_.size() != before) Q_EMIT activeChanged();
}

void InterventionList::fillMenu(const InterventionTargets& targets) {
    menu_->clear();
    qDeleteAll(menu_->findChildren<QMenu*>(Qt::FindDirectChildrenOnly));  // clear() keeps them
    const auto shorten = [](const std::string& path) { return shortPath(QString::fromStdString(path)); };
    for (const char* kind : {"mute", "mean", "resample"}) {
        QMenu* sites = menu_->addMenu(kindLabel(kind));
        for (const auto& attention : targets.attentions) {
            QMenu* heads = sites->addMenu(shorten(attention.path));
            for (std::int64_t head = 0; head < attention.heads; ++head)
                heads->addAction(tr("head %1").arg(head), this, [this, kind, text = textOf(MuteHead{attention.path, head})] {
                    add(parseIntervention(kind, text));
                });
        }
        if (std::string(kind) == "mute") continue;
        sites->addSeparator();
        for (const std::string& path : targets.outputs())
            sites->addAction(shorten(path), this, [this, kind, path] { add(parseIntervention(kind, path)); });
    }
    for (const char* kind : {"clamp", "scale"}) {
        QMenu* values = menu_->addMenu(kindLabel(kind) + QStringLiteral("…"));
        for (const ModuleExposure& one : clampable_)
            values->addAction(shorten(one.path()), this, [this, kind, one] { askForValue(kind, one); });
        values->setEnabled(!values->isEmpty());
    }
    const auto list = [&](const char* kind, const std::vector<std::string>& paths) {
        QMenu* sites = menu_->addMenu(kindLabel(kind));
        for (const std::string& path : paths)
            sites->addAction(shorten(path), this, [this, kind, path] { add(parseIntervention(kind, path)); });
        sites->setEnabled(!paths.empty());
    };
    list("cut_carry", targets.carries);
    list("identity", targets.residuals);
    list("neutral", targets.neutral);
}

void InterventionList::askForValue(const std::string& kind, const ModuleExposure& exposure) {
    const bool scales = kind == "scale";
    const QString path = QString::fromStdString(exposure.path());
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setInputMode(QInputDialog::DoubleInput);
    dialog->setWindowTitle(kindLabel(kind));
    dialog->setLabelText(scales ? tr("%1 times").arg(path) : tr("%1 =").arg(path));
    dialog->setDoubleDecimals(3);
    dialog->setDoubleRange(-1e6, 1e6);
    dialog->setDoubleValue(scales ? 0.5 : std::midpoint(exposure.exposure.low, exposure.exposure.high));
    connect(dialog, &QInputDialog::doubleValueSelected, this, [this, scales, path = exposure.path()](double value) {
        if (scales)
            add(ScaleExposure{path, value});
        else
            add(ClampExposure{path, value});
    });
    dialog->open();
}

bool InterventionList::clampGateOf(const QString& sublayer) {
    const auto found = std::find_if(clampable_.begin(), clampable_.end(), [&](const ModuleExposure& one) {
        return one.exposure.isGate() && one.sublayer == sublayer.toStdString();
    });
    if (found == clampable_.end()) return false;
    askForValue("clamp", *found);
    return true;
}

QTreeWidgetItem* InterventionList::itemOf(const Intervention& intervention) const {
    const auto found = std::find(list_.begin(), list_.end(), intervention);
    return found == list_.end() ? nullptr : topLevelItem(int(found - list_.begin()));
}

void InterventionList::add(const Intervention& intervention) {
    if (QTreeWidgetItem* item = itemOf(intervention)) return item->setCheckState(0, Qt::Checked);
    list_.push_back(intervention);
    {
        const QSignalBlocker blocker(this);
        auto* item = new QTreeWidgetItem(this, {wordsOf(intervention), shortWords(intervention)});
        item->setFont(1, typeFont(Type::Mono));
        item->setToolTip(1, QString::fromStdString(textOf(intervention)));
        item->setCheckState(0, Qt::Checked);
    }
    Q_EMIT activeChanged();
}

void InterventionList::toggle(const Intervention& intervention) {
    QTreeWidgetItem* item = itemOf(intervention);
    if (!item) return add(intervention);
    item->setCheckState(0, item->checkState(0) == Qt::Checked ? Qt::Unchecked : Qt::Checked);
}

void InterventionList::removeAll() {
    list_.clear();
    clear();
    Q_EMIT activeChanged();
}

std::vector<Intervention> InterventionList::active() const {
    std::vector<Intervention> all;
    for (const Intervention& one : list_)
        if (itemOf(one)->checkState(0) == Qt::Checked) all.push_back(one);
    return all;
}

QStringList InterventionList::mutedHeads() const {
    QStringList heads;
    for (const Intervention& one : active())
        if (headOf(one)) heads << QString::fromStdString(textOf(one));
    return heads;
}

}  // namespace heddle::ui
