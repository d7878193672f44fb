// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json.h"

#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/base/unicode.h"

#include <fmt/format.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

namespace heddle {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::uintmax_t kMaxFileBytes = 64u << 20;
constexpr std::int64_t kMaxExactInteger = (std::int64_t{1} << 53) - 1;  // beyond it a double, hence RFC 8785, skips integers

std::string lineAndColumn(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto lineStart = before.rfind('\n') + 1;  // npos + 1 == 0
    return fmt::format("line {}, column {}", line, before.size() - lineStart + 1);
}

/// Offset of the first bracket that opens a level deeper than allowed, or npos. The parser tells its callback no offset.
std::size_t findTooDeep(std::string_view text) {
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\') ++i;
            if (c == '"') inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kMaxDepth) return i;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return std::string_view::npos;
}

/// The library's reason. What it "last read" may end inside a character; a message must be UTF-8.
std::string reasonOf(const Json::parse_error& error) {
    std::string reason = error.what();  // "[json.exception…] parse error at line L, column C: reason"
    const auto colon = reason.find(": ");
    if (colon != std::string::npos) reason.erase(0, colon + 2);
    const auto read = reason.find("; last read: ");
    if (read == std::string::npos || !findInvalidUtf8(reason)) return reason;
    const auto after = reason.rfind("; expected");
    return reason.erase(read, after == std::string::npos || after < read ? after : after - read);
}

struct DuplicateKey {
    std::string key;
};

/// Parser callback that refuses an object with the same key twice (the library would silently keep the last).
class DuplicateGuard {
public:
    bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
        const auto level = static_cast<std::size_t>(depth);
        if (event == Json::parse_event_t::object_start) {
            keys_.resize(std::max(keys_.size(), level + 2));
            keys_[level + 1].clear();
        } else if (event == Json::parse_event_t::key) {
            const auto& key = parsed.get_ref<const std::string&>();
            if (!keys_[level].insert(key).second) throw DuplicateKey{key};
        }
        return true;
    }

private:
    std::vector<std::set<std::string>> keys_;  // by depth
};

void requireUtf8(std::string_view text) {
    if (const auto offset = findInvalidUtf8(text))
        throwInvalid("not valid UTF-8", fmt::format("byte {}", *offset), "write names and paths in UTF-8");
}

/// Number::toString of ECMAScript (ECMA-262 6.1.6.1.20): shortest digits that read back as the same double.
std::string ecmaNumber(double value) {
    if (!std::isfinite(value)) throwInvalid("number is not finite", "JSON", "use finite numbers only");
    if (value == 0) return "0";
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, std::abs(value), std::chars_format::scientific).ptr;
    const std::string_view shortest(buffer, static_cast<std::size_t>(end - buffer));
    const auto e = shortest.find('e');
    std::string digits(shortest.substr(0, e));
    std::erase(digits, '.');
    const int point = std::stoi(std::string(shortest.substr(e + 1))) + 1;  // the decimal point stands after this many digits
    const int count = static_cast<int>(digits.size());
    const auto at = static_cast<std::size_t>(std::max(point, 0));

    std::string text = value < 0 ? "-" : "";
    if (count <= point && point <= 21) return text + digits + std::string(static_cast<std::size_t>(point - count), '0');
    if (0 < point && point <= 21) return text + digits.substr(0, at) + "." + digits.substr(at);
    if (-6 < point && point <= 0) return text + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
    text += digits.front();
    if (count > 1) text += '.';
    return text + digits.substr(1) + fmt::format("e{:+d}", point - 1);
}

void appendNumber(std::string& out, const Json& value) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() <= static_cast<std::uint64_t>(kMaxExactInteger))
        out += fmt::format("{}", value.get<std::uint64_t>());
    else if (value.is_number_integer() && !value.is_number_unsigned() && std::abs(value.get<double>()) <= kMaxExactInteger)
        out += fmt::format("{}", value.get<std::int64_t>());
    else
        out += ecmaNumber(value.get<double>());
}

void appendCanonical(std::string& out, const Json& value);

void appendObject(std::string& out, const Json& object) {
    std::vector<std::pair<icu::UnicodeString, Json::const_iterator>> members;  // by UTF-16 code units, the order of RFC 8785
    for (auto it = object.begin(); it != object.end(); ++it) {
        requireUtf8(it.key());
        members.emplace_back(icu::UnicodeString::fromUTF8(it.key()), it);
    }
    std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const char* separator = "{";
    for (const auto& [units, it] : members) {
        out += separator;
        out += Json(it.key()).dump();  // dump() follows RFC 8785 in escaping strings, but not in numbers or the order of keys
        out += ':';
        appendCanonical(out, it.value());
        separator = ",";
    }
    out += members.empty() ? "{}" : "}";
}

void appendCanonical(std::string& out, const Json& value) {
    switch (value.type()) {
    case Json::value_t::object: appendObject(out, value); break;
    case Json::value_t::array:
        out += '[';
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (i > 0) out += ',';
            appendCanonical(out, value[i]);
        }
        out += ']';
        break;
    case Json::value_t::string:
        requireUtf8(value.get_ref<const std::string&>());
        out += value.dump();
        break;
    case Json::value_t::boolean: out += value.get<bool>() ? "true" : "false"; break;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float: appendNumber(out, value); break;
    default: out += "null";
    }
}

}  // namespace

Json parseJson(std::string_view text, const std::string& where) {
    if (const auto offset = findTooDeep(text); offset != std::string_view::npos)
        throwInvalid(fmt::format("JSON is nested deeper than {} levels", kMaxDepth), where + ", " + lineAndColumn(text, offset),
                     "flatten the document");
    try {
        return Json::parse(text, DuplicateGuard());
    } catch (const DuplicateKey& duplicate) {
        throwInvalid(fmt::format("key \"{}\" appears twice in one object", printableExcerpt(duplicate.key, 80)), where,
                     "remove one of them");
    } catch (const Json::parse_error& error) {
        const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
        throwInvalid("not valid JSON: " + reasonOf(error), where + ", " + lineAndColumn(text, offset),
                     "correct the text there");
    } catch (const Json::exception& error) {  // a number out of range
        throwInvalid(std::string("unsupported JSON: ") + error.what(), where, "use numbers within the range of a double");
    }
}

Json readJsonFile(const std::string& path) {
    std::error_code failed;
    const auto status = std::filesystem::status(path, failed);
    if (!std::filesystem::exists(status)) throwInvalid("no such file", path, "check the path");
    if (!std::filesystem::is_regular_file(status)) throwInvalid("not a regular file", path, "give a JSON file");
    if (std::filesystem::file_size(path, failed) > kMaxFileBytes || failed)
        throwInvalid("JSON file is larger than 64 MiB", path, "give a spec, not a data file");
    std::ifstream stream(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) throwInvalid("file cannot be read", path, "check its permissions");
    return parseJson(text, path);
}

std::string canonicalJson(const Json& value) {
    std::string out;
    appendCanonical(out, value);
    return out;
}

std::string dumped(const Json& value, int indent) { return value.dump(indent, ' ', false, Json::error_handler_t::replace); }

}  // namespace heddle
