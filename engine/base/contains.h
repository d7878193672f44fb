// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string_view>

namespace heddle {

/// Whether one of the values equals `value`, as std::ranges::contains() of C++23.
template <class Values, class Value>
bool contains(const Values& values, const Value& value) {
    return std::find(std::begin(values), std::end(values), value) != std::end(values);
}

inline bool contains(std::initializer_list<std::string_view> words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace heddle
