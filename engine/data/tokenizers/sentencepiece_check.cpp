// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/sentencepiece_tokenizer.h"

#include "engine/base/error.h"
#include "engine/base/unicode.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace heddle {
namespace {

static_assert(std::endian::native == std::endian::little, "models are little-endian");

constexpr std::size_t kLongestPiece = 1024;  // bytes

/// Reads the fields of a protocol buffer message sequentially.
class Message {
public:
    struct Field {
        std::uint64_t number = 0;
        std::string_view bytes;  ///< of a length-delimited or fixed field
    };

    Message(std::string_view bytes, const std::string& where) : rest_(bytes), where_(where) {}
    bool done() const { return rest_.empty(); }

    Field next() {
        const std::uint64_t tag = varint();
        Field field{tag >> 3, {}};
        switch (tag & 7) {
        case 0: varint(); break;
        case 1: field.bytes = take(8); break;
        case 2: field.bytes = take(varint()); break;
        case 5: field.bytes = take(4); break;
        default: refuse("unknown wire type");
        }
        if (field.number == 0) refuse("field number 0");
        return field;
    }

    [[noreturn]] void refuse(const std::string& what) const {
        throwInvalid("not a SentencePiece model: " + what, where_, "use a model written by Heddle or SentencePiece");
    }

private:
    std::string_view take(std::uint64_t count) {
        if (count > rest_.size()) refuse("truncated field");
        const std::string_view piece = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return piece;
    }
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<unsigned char>(take(1)[0]);
            value |= std::uint64_t{byte & 0x7Fu} << shift;
            if (byte < 0x80) return value;
        }
        refuse("varint is too long");
    }

    std::string_view rest_;
    const std::string& where_;
};

void checkPiece(std::string_view bytes, const std::string& where) {
    constexpr std::uint64_t kText = 1, kScore = 2;
    Message message(bytes, where);
    while (!message.done()) {
        const Message::Field field = message.next();
        if (field.number == kText) {
            if (field.bytes.size() > kLongestPiece)
                message.refuse(fmt::format("a piece has {} bytes, more than {}", field.bytes.size(), kLongestPiece));
            if (findInvalidUtf8(field.bytes)) message.refuse("a piece is not UTF-8");
            if (field.bytes.find('\0') != std::string_view::npos) message.refuse("a piece contains a NUL");
        } else if (field.number == kScore && field.bytes.size() == sizeof(float)) {
            float score = 0;
            std::memcpy(&score, field.bytes.data(), sizeof score);
            if (!std::isfinite(score)) message.refuse("the score of a piece is not finite");
        }
    }
}

/// A unit of a double array (darts-clone, included in SentencePiece).
struct Unit {
    std::uint32_t bits;
    bool isValue() const { return bits >> 31 == 1; }
    std::uint32_t value() const { return bits & 0x7FFFFFFFu; }
    bool leadsToValue() const { return (bits >> 8 & 1) == 1; }
    std::uint32_t offset() const { return (bits >> 10) << ((bits & (1u << 9)) >> 6); }
};

/// Checks the normalizer's map: u32 size of the array in bytes, the array, NUL-terminated texts. A walk may read any of the 256
/// units around a unit's target, and uses values as offsets into the texts.
void checkCharacterMap(std::string_view map, const Message& message) {
    if (map.empty()) return;  // normalizes nothing
    std::uint32_t size = 0;
    if (map.size() <= sizeof size) message.refuse("truncated normalizer");
    std::memcpy(&size, map.data(), sizeof size);
    map.remove_prefix(sizeof size);
    if (size >= map.size() || size == 0 || size % (256 * sizeof(Unit)) != 0) message.refuse("wrong size of the normalizer");
    const std::string_view texts = map.substr(size);
    if (texts.back() != '\0') message.refuse("unterminated strings in the normalizer");
    const std::uint32_t count = size / sizeof(Unit);
    const auto unitAt = [&](std::uint32_t i) {
        Unit unit{};
        std::memcpy(&unit, map.data() + std::size_t{i} * sizeof unit, sizeof unit);
        return unit;
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        const Unit unit = unitAt(i);
        if (unit.isValue()) {
            if (unit.value() >= texts.size()) message.refuse("an index of the normalizer is beyond its strings");
            continue;
        }
        const std::uint32_t target = i ^ unit.offset();
        if ((target | 0xFFu) >= count) message.refuse("an index of the normalizer is beyond its array");
        if (unit.leadsToValue() && !unitAt(target).isValue()) message.refuse("an index of the normalizer points to no string");
    }
}

void checkNormalizer(std::string_view bytes, const std::string& where) {
    constexpr std::uint64_t kMap = 2;
    Message message(bytes, where);
    while (!message.done())
        if (const Message::Field field = message.next(); field.number == kMap) checkCharacterMap(field.bytes, message);
}

}  // namespace

void checkSentencePieceModel(std::string_view model, const std::string& where) {
    constexpr std::uint64_t kPiece = 1, kNormalizer = 3, kDenormalizer = 5;
    Message message(model, where);
    while (!message.done()) {
        const Message::Field field = message.next();
        if (field.number == kPiece) checkPiece(field.bytes, where);
        if (field.number == kNormalizer || field.number == kDenormalizer) checkNormalizer(field.bytes, where);
    }
}

}  // namespace heddle
