// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"

#include <limits>
#include <string>
#include <vector>

namespace heddle {

/// The schema of one field of a spec. It validates files and `--set`, fills in defaults, removes them for the compact form, and
/// generates `--help` and the studio's forms.
struct FieldSchema {
    enum class Type {
        Boolean,
        Integer,
        Number,
        String,
        Choice,  ///< one of `choices`
        List,    ///< every element is like `fields.front()`
        Object,  ///< exactly the members in `fields`
        Block,   ///< a slot value: an object whose "kind" names a block of slot `slot`; a bare string is short for it
        Any      ///< checked elsewhere
    };

    /// What a field of a run is besides its value.
    enum class Role {
        Setting,        ///< part of the run's hash
        Label,          ///< no part of it
        OwnBits,        ///< part of it, and no part of the hash of the run's group
        DataFile,       ///< a path; the file's contents are in the hash in its place
        TokenizerFile,  ///< a path; the file's contents and whether there is one are in the hash in its place
        Checkpoint      ///< a path; the weights that it leads to are in the hash in its place
    };

    std::string key;
    Type type = Type::Any;
    Json defaultValue;  ///< null: absent unless given
    std::string help;   ///< one sentence, for users
    std::string unit;   ///< "steps", "tokens", … or empty
    double minimum = -std::numeric_limits<double>::infinity();
    double maximum = std::numeric_limits<double>::infinity();
    std::vector<std::string> choices;
    std::vector<FieldSchema> fields;
    std::string slot;                      ///< Type::Block only
    bool nullable = false;                 ///< null is a value of its own ("derive it")
    std::vector<std::string> alsoAccepts;  ///< literal strings besides the type, e.g. "from_data" for an integer
    Role role = Role::Setting;
};

/// An error in a spec, at one path.
struct Problem {
    std::string path;  ///< "encoder.layers.3.self.residual.gate_input"
    std::string what;  ///< "unknown value \"q\""
    std::string next;  ///< "did you mean \"r\"? Known: r, norm_r, s, concat"
};

/// Checks `value` against `schema` and appends to `problems`. Unknown keys get a "did you mean".
void validate(const FieldSchema& schema, const Json& value, const std::string& path, std::vector<Problem>& problems);

/// `value` with every absent member set to its default, recursively (lists element by element). Without a default, a nullable
/// member becomes null and any other stays absent. A member equal to its default is written as the default is: 0 for 0.0.
Json withDefaults(const FieldSchema& schema, const Json& value);

/// The inverse: members equal to their default removed, empty objects too.
Json withoutDefaults(const FieldSchema& schema, const Json& value);

/// Member `key` of an object schema; null if there is none.
const FieldSchema* findField(const FieldSchema& schema, const std::string& key);

/// The keys of an object schema's members.
std::vector<std::string> keysOf(const FieldSchema& schema);

/// "path.key"; `key` alone at the root.
std::string childPath(const std::string& path, const std::string& key);

/// "/path/key" of "path.key".
Json::json_pointer pointerOf(const std::string& path);

/// Throws Error(InvalidInput) listing all problems, if there are any.
void throwIfAny(const std::vector<Problem>& problems, const std::string& where);

}  // namespace heddle
