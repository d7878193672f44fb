// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/inspect/head_pairing.h"

#include "engine/analysis/head_pairing.h"

#include <QCoreApplication>

namespace heddle::ui::inspect {
namespace {

/// Words outside of a QObject, under a context that lupdate finds.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::inspect::HeadPairing)
};

QString reasonOf(heddle::HeadPairing pairing, const storage::RunRecord& a, const storage::RunRecord& b) {
    switch (pairing) {
    case heddle::HeadPairing::OtherSeeds: return Words::tr("the runs began with seeds %1 and %2").arg(a.seed).arg(b.seed);
    case heddle::HeadPairing::OtherWeights: return Words::tr("the runs started with different weights");
    case heddle::HeadPairing::OtherShapes: return Words::tr("the models differ in layers, sublayers, heads or widths");
    case heddle::HeadPairing::UnknownShapes: return Words::tr("the specification of one of the runs cannot be read");
    default: return {};
    }
}

}  // namespace

QString whyHeadsDiffer(const storage::RunRecord& a, const storage::RunRecord& b) {
    const auto pairing = headPairing({a.id, a.lineage, a.spec, a.seed}, {b.id, b.lineage, b.spec, b.seed});
    if (headsCorrespond(pairing)) return {};
    return Words::tr("Heads do not correspond: %1. They can be seen side by side, but their difference says nothing.")
        .arg(reasonOf(pairing, a, b));
}

}  // namespace heddle::ui::inspect
