// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft/memory_meter.h"

#include "engine/base/json.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/variant_schema.h"

namespace heddle::ui {
namespace {

/// An edit of the training settings or of the baseline does not change the memory.
bool isSameModel(const DraftFacts& a, const DraftFacts& b) {
    return a.hash == b.hash && dimsJson(a.variant.dims) == dimsJson(b.variant.dims);
}

}  // namespace

MemoryMeter::MemoryMeter(Studio& studio, QObject* parent) : QObject(parent), studio_(studio) {}

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
    if (facts_ && isAvailable()) delay_.postpone();
}

/// One at a time; a draft that has changed in the meantime is measured afterwards.
void MemoryMeter::measure() {
    if (!facts_ || !query_.isIdle()) return;
    asked_ = facts_;
    query_.ask(Pool{},
               [meter = studio_.services().stepMeter, facts = facts_] { return meter(sized(*facts), shapeOf(*facts)); });
}

void MemoryMeter::take(Result<StepMemory> memory) {
    if (asked_ != facts_) return delay_.postpone();
    if (memory)
        memory_ = *memory;
    else
        problem_ = memory.problem().what;
    Q_EMIT changed();
}

}  // namespace heddle::ui
