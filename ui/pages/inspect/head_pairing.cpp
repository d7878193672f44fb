// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/inspect/head_pairing.h"

#include <QCoreApplication>

namespace heddle::ui::inspect {
namespace {

/// Words outside of a QObject, under a context that lupdate finds.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::inspect::HeadPairing)
};

}  // namespace

HeadPairing pairingOf(const storage::RunRecord& a, const storage::RunRecord& b) {
    if (a.id == b.id) return {true, Words::tr("Heads correspond: one run at two steps.")};
    const bool isFork = a.lineage == b.id || b.lineage == a.id || (!a.lineage.empty() && a.lineage == b.lineage);
    if (isFork) return {true, Words::tr("Heads correspond: the runs have a common beginning.")};
    if (a.seed == b.seed) return {true, Words::tr("Heads correspond: both runs began with seed %1.").arg(a.seed)};
    return {false,
            Words::tr("Heads do not correspond: the runs began with seeds %1 and %2. They can be seen side by side, but their "
                      "difference says nothing.")
                .arg(a.seed)
                .arg(b.seed)};
}

}  // namespace heddle::ui::inspect
