// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft/memory_meter.h"

#include "engine/spec/catalogue.h"
#include "engine/spec/variant_schema.h"
#include "ui/threads/background.h"

namespace heddle::ui {
namespace {

constexpr int kRestMs = 800;

/// An edit of the training or another baseline changes nothing that was measured.
bool isSameModel(const DraftFacts& a, const DraftFacts& b) {
    return a.hash == b.hash && dimsJson(a.variant.dims) == dimsJson(b.variant.dims);
}

}  // namespace

MemoryMeter::MemoryMeter(Studio& studio, QObject* parent) : QObject(parent), studio_(studio) {
    rest_.setSingleShot(true);
    rest_.setInterval(kRestMs);
    connect(&rest_, &QTimer::timeout, this, &MemoryMeter::measure);
}

VariantSpec MemoryMeter::sized(const DraftFacts& facts) {
    Json document = facts.spec.compact();
    if (facts.sourceAssumed) document["dims"]["vocab_src"] = facts.variant.dims.vocabSrc;
    if (facts.targetAssumed) document["dims"]["vocab_tgt"] = facts.variant.dims.vocabTgt;
    return VariantSpec::parse(document, builtinCatalogue());
}

BatchShape MemoryMeter::shapeOf(const DraftFacts& facts) {
    BatchShape shape;
    shape.source = shape.target = facts.variant.dims.maxLen;
    return shape;
}

void MemoryMeter::setFacts(const Facts& facts) {
    if (facts == facts_ || (facts && facts_ && isSameModel(*facts, *facts_))) return;
    facts_ = facts;
    memory_.reset();
    problem_.clear();
    if (facts_ && isThere()) rest_.start();
}

/// One at a time: what changed meanwhile is measured afterwards.
void MemoryMeter::measure() {
    if (!facts_ || measuring_) return;
    measuring_ = true;
    const auto take = [this, asked = facts_](const std::optional<StepMemory>& memory, const QString& problem) {
        measuring_ = false;
        if (asked != facts_) return rest_.start();
        memory_ = memory;
        problem_ = problem;
        Q_EMIT changed();
    };
    inBackground(
        this, [meter = studio_.stepMeter(), facts = facts_] { return meter(sized(*facts), shapeOf(*facts)); },
        [take](const StepMemory& memory) { take(memory, {}); }, [take](const Problem& problem) { take({}, problem.what); });
}

}  // namespace heddle::ui
