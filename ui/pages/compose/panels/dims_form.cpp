// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/panels/dims_form.h"

#include "engine/base/json.h"
#include "engine/spec/field_table.h"
#include "engine/spec/variant_schema.h"
#include "ui/pages/compose/forms/parts.h"
#include "ui/theme/type.h"
#include "ui/widgets/panel_title.h"

#include <QVBoxLayout>

namespace heddle::ui {
namespace {

/// Sizes that a variant of this topology has.
std::vector<FieldSchema> dimsOf(Topology topology) {
    std::vector<FieldSchema> fields = fieldOf(variantSchema(), "dims").fields;
    const auto stacks = stacksOf(topology);
    if (stacks.size() > 1) return fields;
    const bool decodes = stacks.front() == "decoder";
    std::erase_if(fields, [&](const FieldSchema& field) {
        return field.key == (decodes ? "layers_enc" : "layers_dec") || field.key == (decodes ? "vocab_src" : "vocab_tgt");
    });
    return fields;
}

/// The vocabularies that the counts assume if the data decide them.
std::vector<FieldSchema> vocabulariesOf(Topology topology) {
    const std::string help = DimsForm::tr("Used for counts only; no variant or run depends on it.").toStdString();
    std::vector<FieldSchema> fields;
    for (const auto& stack : stacksOf(topology))
        fields.push_back(schema::integer(stack == "encoder" ? "source" : "target", {1, 1 << 24}, "", help));
    return fields;
}

}  // namespace

DimsForm::DimsForm(VariantDraft& draft, QWidget* parent) : QWidget(parent), draft_(draft) {
    QVBoxLayout* column = makeColumn(this);
    column->addWidget(title_ = new PanelTitle(tr("Dimensions"), this));
    column->addWidget(form_ = new FieldForm(2, this));
    assumedWords_ = makeCaption(tr("The vocabularies come from the data. The counts assume these sizes:"), this);
    assumedWords_->setWordWrap(true);
    assumedWords_->setContentsMargins(px(10), px(2), px(10), 0);
    column->addWidget(assumedWords_);
    column->addWidget(assumed_ = new FieldForm(2, this));
    connect(form_, &FieldForm::edited, this,
            [this](const std::string& key, const Json& value) { draft_.assign("dims." + key, value); });
    connect(assumed_, &FieldForm::edited, this, [this](const std::string& key, const Json& value) {
        AssumedVocabulary assumed = draft_.assumed();
        (key == "source" ? assumed.source : assumed.target) = value.get<std::int64_t>();
        draft_.setAssumed(assumed);
    });
    connect(&draft, &VariantDraft::changed, this, &DimsForm::refresh);
    refresh();
}

void DimsForm::refresh() {
    const auto& facts = draft_.facts();
    setEnabled(facts != nullptr);
    if (!facts) return;
    const auto fields = dimsOf(facts->variant.topology);
    form_->setFields(fields);
    assumed_->setFields(vocabulariesOf(facts->variant.topology));
    // Shows what the document states, even if it is wrong. A size that it does not state is empty; its placeholder shows the
    // value.
    const Json resolved = dimsJson(facts->variant.dims);
    const Json::json_pointer place("/variant/dims");
    const Json own = draft_.document().contains(place) ? draft_.document().at(place) : Json::object();
    const Json compact = facts->spec.compact().value("dims", Json::object());
    Json stated = Json::object(), derived = Json::object();
    for (const auto& field : fields) {
        const bool open = field.nullable || !field.alsoAccepts.empty();
        const Json valid = open ? compact.value(field.key, Json()) : resolved.value(field.key, Json());
        stated[field.key] = own.is_object() && own.contains(field.key) ? own.at(field.key) : valid;
        if (field.nullable) derived[field.key] = resolved.value(field.key, Json());
    }
    form_->setValues(stated, derived);
    for (const auto& problem : draft_.problems())
        if (problem.path.starts_with("dims.")) form_->setProblem(problem.path.substr(5), problem);
    const bool assumed = facts->sourceAssumed || facts->targetAssumed;
    assumedWords_->setVisible(assumed);
    assumed_->setVisible(assumed);
    assumed_->setValues({{"source", draft_.assumed().source}, {"target", draft_.assumed().target}});
    int different = 0;
    for (const auto& difference : draft_.differences()) different += difference.path.starts_with("dims.") ? 1 : 0;
    title_->setNote(!draft_.baselineFacts() ? QString()
                    : different == 0        ? tr("equal to the baseline")
                                            : tr("%1 differ from the baseline").arg(different));
}

}  // namespace heddle::ui
