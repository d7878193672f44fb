// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/choices.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/field_table.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Short ways to write the parameter schema of a block: engine/spec/field_table.h with a default for every field.
namespace heddle::fields {

using schema::derivable;
using schema::Range;

inline FieldSchema flag(const std::string& key, const Json& defaultValue, const std::string& help) {
    return schema::withDefault(schema::flag(key, help), defaultValue);
}

inline FieldSchema number(const std::string& key, const Json& defaultValue, Range range, const std::string& help) {
    return schema::withDefault(schema::number(key, range, "", help), defaultValue);
}

inline FieldSchema integer(const std::string& key, const Json& defaultValue, Range range, const std::string& help) {
    return schema::withDefault(schema::integer(key, range, "", help), defaultValue);
}

/// A field with one of the values of `Enum`, written as their ChoiceWords; the first is the default.
template <class Enum>
FieldSchema choice(const std::string& key, const std::string& help) {
    const std::vector<std::string> words = wordsOf<Enum>();
    return schema::withDefault(schema::choice(key, words, help), words.front());
}

/// A field with one of `values`; the first is the default.
template <class Enum>
FieldSchema choice(const std::string& key, std::initializer_list<Enum> values, const std::string& help) {
    std::vector<std::string> words;
    for (const Enum value : values) words.push_back(wordOf(value));
    return schema::withDefault(schema::choice(key, words, help), words.front());
}

/// Exactly these members; each has a default of its own.
inline FieldSchema object(const std::string& key, std::vector<FieldSchema> members, const std::string& help) {
    Json defaults = Json::object();
    for (const FieldSchema& member : members) defaults[member.key] = member.defaultValue;
    return schema::withDefault(schema::object(key, help, std::move(members)), std::move(defaults));
}

/// A list of whole numbers.
inline FieldSchema integers(const std::string& key, const Json& defaultValue, Range range, const std::string& help) {
    FieldSchema list = schema::withDefault(schema::field(key, FieldSchema::Type::List, help), defaultValue);
    list.fields = {integer("", nullptr, range, help)};
    return list;
}

/// Below 1, because p = 1 would divide by 0.
inline constexpr Range kDropout{0, 0.99};

}  // namespace heddle::fields

namespace heddle {

/// The list of a block's options. It gives the descriptor its schema, and the formulas and the module a struct. A block file
/// defines
///
///   struct GrcOptions { GateInput gateInput{}; std::optional<double> biasInit; };
///   const OptionFields<GrcOptions>& grcOptions() {
///       static const auto kFields = OptionFields<GrcOptions>()
///           .add(&GrcOptions::gateInput, fields::choice<GateInput>("gate_input", …))
///           .add(&GrcOptions::biasInit, fields::derivable(fields::number("bias_init", …)));
///       return kFields;
///   }
///
/// and reads no JSON elsewhere. Members may be bool, std::int64_t, double, an enum with its ChoiceWords, a vector of numbers, a
/// std::optional for a nullable field, or a struct with its own fields for an object.
template <class Options>
class OptionFields {
public:
    template <class Owner, class Value>
    OptionFields add(Value Owner::*member, FieldSchema field) && {
        const std::string key = field.key;
        return std::move(*this).add(
            std::move(field), [key, member](const Json& params, Options& options) { read(params.at(key), options.*member); });
    }

    /// A nested object with its own fields; may be null if `member` is an optional.
    template <class Owner, class Value, class Nested>
    OptionFields add(Value Owner::*member, FieldSchema field, const OptionFields<Nested>& nested) && {
        const std::string key = field.key;
        return std::move(*this).add(std::move(field), [key, member, nested](const Json& params, Options& options) {
            if (const Json& value = params.at(key); !value.is_null()) options.*member = nested.read(value);
        });
    }

    /// All fields of a base class of Options.
    template <class Base>
    OptionFields add(const OptionFields<Base>& base) && {
        for (const FieldSchema& field : base.schema()) schema_.push_back(field);
        readers_.push_back([base](const Json& params, Options& options) { static_cast<Base&>(options) = base.read(params); });
        return std::move(*this);
    }

    const std::vector<FieldSchema>& schema() const { return schema_; }

    /// `params` must have every field, as in a resolved variant. Throws Json::exception or std::bad_optional_access otherwise.
    Options read(const Json& params) const {
        Options options;
        for (const auto& reader : readers_) reader(params, options);
        return options;
    }

    /// Makes a formula or a check of a descriptor from function(where, options). `where` is a BlockContext or the Neighbours.
    /// The list of fields must outlive the result.
    template <class Function>
    auto on(Function function) const {
        return [this, function](const auto& where, const Json& params) { return function(where, read(params)); };
    }

    /// Makes a property of a descriptor from function(options). The list of fields must outlive the result.
    template <class Function>
    auto reading(Function function) const {
        return [this, function](const Json& params) { return function(read(params)); };
    }

private:
    using Reader = std::function<void(const Json& params, Options& options)>;

    OptionFields add(FieldSchema field, Reader reader) && {
        schema_.push_back(std::move(field));
        readers_.push_back(std::move(reader));
        return std::move(*this);
    }

    template <class Value>
    static void read(const Json& value, Value& into) {
        if constexpr (std::is_enum_v<Value>)
            into = choiceNamed<Value>(value.get<std::string>()).value();
        else
            into = value.get<Value>();
    }
    template <class Value>
    static void read(const Json& value, std::optional<Value>& into) {
        if (!value.is_null()) read(value, into.emplace());
    }

    std::vector<FieldSchema> schema_;
    std::vector<Reader> readers_;
};

/// A part of a formula that stands there only with an option.
inline std::string partIf(bool isThere, const char* part) { return isThere ? part : ""; }

/// Returns the name of an activation in formulas; empty for the identity.
inline std::string inFormula(Activation act) {
    switch (act) {
    case Activation::Sigmoid: return "σ";
    case Activation::Relu: return "ReLU";
    case Activation::Gelu: return "GELU";
    case Activation::GeluTanh: return "GELU_tanh";
    case Activation::Silu: return "SiLU";
    case Activation::Tanh: return "tanh";
    case Activation::Hardtanh: return "hardtanh";
    case Activation::Relu2: return "ReLU²";
    case Activation::None: break;
    }
    return {};
}

/// Returns act(x) as formulas write it.
inline std::string activated(Activation act, const std::string& x) { return inFormula(act) + "(" + x + ")"; }

/// The option `bias`, for several blocks the only one; `help` is its sentence.
struct BiasOptions {
    bool bias = true;
};
inline OptionFields<BiasOptions> biasOptions(const std::string& help) {
    return OptionFields<BiasOptions>().add(&BiasOptions::bias, fields::flag("bias", true, help));
}

/// A formula that depends on the option `bias` alone.
inline std::function<std::string(const Json&)> biasFormula(const char* with, const char* without) {
    return [with, without](const Json& params) { return std::string(params.at("bias").get<bool>() ? with : without); };
}

/// The descriptor of a block without parameters, whose FLOPs count as none; the rest is for the block to say.
inline BlockDescriptor blockWithoutCost() {
    BlockDescriptor b;
    b.parameterCount = [](const BlockContext&, const Json&) { return 0; };
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    return b;
}

}  // namespace heddle
