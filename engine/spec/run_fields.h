// SPDX-License-Identifier: Apache-2.0
// What the table of a run's fields (run_schema.cpp) gives: all that has to know which fields there are asks here.
#pragma once

#include "engine/spec/field_schema.h"
#include "engine/spec/run_spec.h"

#include <string>
#include <vector>

namespace heddle {

/// All members of a run except its variant, including defaults.
Json writeRunFields(const RunSpec& run);

/// The inverse: sets the members that `document` has; it must be valid.
void readRunFields(const Json& document, RunSpec& run);

/// Sets the members of a tokenizer that `document` has, of those that both sides have.
void readTokenizerFields(const Json& document, TokenizerSpec& tokenizer);

/// A setting of a run that is a label, or names a file: whose field has a role.
struct MarkedSetting {
    std::string path;  ///< "data.train.source"
    Json::json_pointer pointer;
    const FieldSchema* field;
};

/// All of them, in the order of the schema.
const std::vector<MarkedSetting>& markedSettings();

/// Whether a field is the path of a file or a folder.
bool namesFile(const FieldSchema& field);

/// `value`, which is of `schema`, with relative paths of files made absolute; they start at the folder `base`.
Json withAbsoluteFiles(const FieldSchema& schema, Json value, const std::string& base);

/// A run-spec document without the settings of these roles, and without objects that are empty then.
Json withoutMarked(Json document, const std::vector<FieldSchema::Role>& roles);

}  // namespace heddle
