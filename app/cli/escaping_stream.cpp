// SPDX-License-Identifier: Apache-2.0
#include "app/cli/escaping_stream.h"

#include "engine/base/printable.h"

#include <utility>

namespace heddle::app {

EscapingBuffer::~EscapingBuffer() {
    pass(cut_);  // never completed: shown as bytes
}

void EscapingBuffer::pass(std::string_view text) {
    const auto put = [this](std::string_view piece) { to_.write(piece.data(), static_cast<std::streamsize>(piece.size())); };
    std::size_t clean = 0;  // leading bytes that need no escape
    while (clean < text.size()) {
        const char c = text[clean];
        const PrintedCharacter next = firstCharacter(text.substr(clean));
        if (next.escape.empty() || c == '\n' || c == '\t') {
            clean += next.bytes;
            continue;
        }
        put(text.substr(0, clean));
        put(next.escape);
        text.remove_prefix(clean + next.bytes);
        clean = 0;
    }
    put(text);
}

std::streamsize EscapingBuffer::xsputn(const char* text, std::streamsize size) {
    std::string joined;
    std::string_view whole(text, static_cast<std::size_t>(size));
    if (!cut_.empty()) whole = joined = std::exchange(cut_, {}) + std::string(whole);
    cut_ = whole.substr(whole.size() - cutCharacter(whole));
    pass(whole.substr(0, whole.size() - cut_.size()));
    return to_ ? size : 0;
}

EscapingBuffer::int_type EscapingBuffer::overflow(int_type character) {
    if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
    const char c = traits_type::to_char_type(character);
    return xsputn(&c, 1) == 1 ? character : traits_type::eof();
}

int EscapingBuffer::sync() { return to_.flush() ? 0 : -1; }

}  // namespace heddle::app
