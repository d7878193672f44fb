// SPDX-License-Identifier: Apache-2.0
// What the tables of a run's fields share (run_schema.cpp, train_schema.cpp).
#pragma once

#include "engine/spec/field_table.h"
#include "engine/spec/run_spec.h"

#include <string>
#include <utility>

namespace heddle::schema {

inline constexpr Range kCount{0, 1e12};  // steps, epochs, sentences; 0 usually switches off
inline constexpr Range kAtLeastOne{1, 1e12};

template <class Enum>
FieldSchema choiceOf(const std::string& key, const std::string& help) {
    return choice(key, wordsOf<Enum>(), help);
}

inline FieldSchema list(const std::string& key, const std::string& help, FieldSchema element) {
    FieldSchema made = field(key, FieldSchema::Type::List, help);
    made.fields = {std::move(element)};
    return made;
}

}  // namespace heddle::schema

namespace heddle {

/// The fields of `train`.
FieldTable<TrainSpec> trainFields();

}  // namespace heddle
