// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/choice_words.h"
#include "engine/spec/field_schema.h"

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Builders for schemas. A field has no default and accepts any value of its type unless stated.
namespace heddle::schema {

inline FieldSchema field(const std::string& key, FieldSchema::Type type, const std::string& help) {
    FieldSchema made;
    made.key = key;
    made.type = type;
    made.help = help;
    return made;
}

inline FieldSchema text(const std::string& key, const std::string& help) { return field(key, FieldSchema::Type::String, help); }

inline FieldSchema flag(const std::string& key, const std::string& help) {
    return field(key, FieldSchema::Type::Boolean, help);
}

inline FieldSchema choice(const std::string& key, std::vector<std::string> choices, const std::string& help) {
    FieldSchema made = field(key, FieldSchema::Type::Choice, help);
    made.choices = std::move(choices);
    return made;
}

/// A closed interval.
struct Range {
    double low, high;
};

inline FieldSchema number(const std::string& key, Range range, const std::string& unit, const std::string& help) {
    FieldSchema made = field(key, FieldSchema::Type::Number, help);
    made.minimum = range.low;
    made.maximum = range.high;
    made.unit = unit;
    return made;
}

inline FieldSchema integer(const std::string& key, Range range, const std::string& unit, const std::string& help) {
    FieldSchema made = number(key, range, unit, help);
    made.type = FieldSchema::Type::Integer;
    return made;
}

inline FieldSchema object(const std::string& key, const std::string& help, std::vector<FieldSchema> members) {
    FieldSchema made = field(key, FieldSchema::Type::Object, help);
    made.fields = std::move(members);
    return made;
}

inline FieldSchema withDefault(FieldSchema made, Json value) {
    made.defaultValue = std::move(value);
    return made;
}

inline FieldSchema withRole(FieldSchema::Role role, FieldSchema made) {
    made.role = role;
    return made;
}

/// Allows null, which becomes the default and means "derive it".
inline FieldSchema derivable(FieldSchema made) {
    made.nullable = true;
    made.defaultValue = nullptr;
    return made;
}

}  // namespace heddle::schema

namespace heddle {

/// The list of a struct's fields, one line a field. It gives the struct its schema, reads it from JSON and writes it:
///
///   FieldTable<TrainSpec>()
///       .add(&TrainSpec::lr, number("lr", {0, 100}, "", "Learning rate at its highest."))
///       .group("schedule", "How the learning rate moves.", FieldTable<TrainSpec>().add(…))
///       .add(&TrainSpec::start, "start", "Weights to start from.", startFields())
///
/// The default of a field is what its member is in a new struct.
template <class Struct>
class FieldTable {
public:
    template <class Value>
    FieldTable add(Value Struct::*member, FieldSchema field) && {
        field.defaultValue = written(Struct{}.*member);
        const std::string key = field.key;
        return std::move(*this).add(
            std::move(field), [key, member](const Json& from, Struct& to) { readValue(from.at(key), to.*member); },
            [key, member](const Struct& from, Json& to) { to[key] = written(from.*member); });
    }

    /// A member with fields of its own: an object.
    template <class Nested>
    FieldTable add(Nested Struct::*member, const std::string& key, const std::string& help,
                   const FieldTable<Nested>& fields) && {
        return std::move(*this).add(
            objectOf(key, help, fields.schema()),
            [key, member, fields](const Json& from, Struct& to) { fields.read(from.at(key), to.*member); },
            [key, member, fields](const Struct& from, Json& to) { to[key] = fields.write(from.*member); });
    }

    /// A list of structs; empty by default.
    template <class Element>
    FieldTable add(std::vector<Element> Struct::*member, FieldSchema list, const FieldTable<Element>& fields) && {
        const std::string key = list.key;
        list.defaultValue = Json::array();
        list.fields = {objectOf("", "", fields.schema())};
        return std::move(*this).add(
            std::move(list),
            [key, member, fields](const Json& from, Struct& to) {
                (to.*member).clear();
                for (const Json& element : from.at(key)) fields.read(element, (to.*member).emplace_back());
            },
            [key, member, fields](const Struct& from, Json& to) {
                to[key] = Json::array();
                for (const Element& element : from.*member) to[key].push_back(fields.write(element));
            });
    }

    /// Fields of the struct itself that stand in an object of their own.
    FieldTable group(const std::string& key, const std::string& help, const FieldTable& fields) && {
        return std::move(*this).add(
            objectOf(key, help, fields.schema()),
            [key, fields](const Json& from, Struct& to) { fields.read(from.at(key), to); },
            [key, fields](const Struct& from, Json& to) { to[key] = fields.write(from); });
    }

    const std::vector<FieldSchema>& schema() const { return schema_; }

    /// Sets the members that the object `from` has. It must be valid; throws Json::exception or
    /// std::bad_optional_access otherwise.
    void read(const Json& from, Struct& to) const {
        for (std::size_t i = 0; i < schema_.size(); ++i)
            if (from.contains(schema_[i].key)) readers_[i](from, to);
    }

    /// All fields, those with their default too.
    Json write(const Struct& from) const {
        Json to = Json::object();
        for (const auto& writer : writers_) writer(from, to);
        return to;
    }

private:
    using Reader = std::function<void(const Json&, Struct&)>;
    using Writer = std::function<void(const Struct&, Json&)>;

    FieldTable add(FieldSchema field, Reader reader, Writer writer) && {
        schema_.push_back(std::move(field));
        readers_.push_back(std::move(reader));
        writers_.push_back(std::move(writer));
        return std::move(*this);
    }

    /// A choice is written as its word.
    template <class Value>
    static Json written(const Value& value) {
        if constexpr (std::is_enum_v<Value>)
            return wordOf(value);
        else
            return value;
    }
    template <class Value>
    static void readValue(const Json& from, Value& to) {
        if constexpr (std::is_enum_v<Value>)
            to = choiceNamed<Value>(from.get<std::string>()).value();
        else
            from.get_to(to);
    }

    static FieldSchema objectOf(const std::string& key, const std::string& help, const std::vector<FieldSchema>& fields) {
        FieldSchema made;
        made.key = key;
        made.type = FieldSchema::Type::Object;
        made.help = help;
        made.fields = fields;
        return made;
    }

    std::vector<FieldSchema> schema_;
    std::vector<Reader> readers_;
    std::vector<Writer> writers_;
};

}  // namespace heddle
