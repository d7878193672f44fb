// SPDX-License-Identifier: Apache-2.0
// The bytes of TensorBoard's files: records (tensorflow/core/lib/io/record_writer.h) of protocol buffers
// (https://protobuf.dev/programming-guides/encoding), read and written without their library: it would be a dependency for a
// few messages.
#pragma once

#include "engine/data/readers/byte_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::app {

/// Little-endian numbers at the beginning of bytes that are long enough.
std::uint32_t fixed32(std::string_view bytes);
std::uint64_t fixed64(std::string_view bytes);

/// The length that a record's first twelve bytes tell; nothing where there are fewer or their checksum is wrong.
std::optional<std::uint64_t> recordLength(std::string_view bytes);

/// The records of a file, one after the other. Takes memory for bytes that the file has, never for the length that a record
/// claims.
class RecordReader {
public:
    /// Throws Error(InvalidInput) as ByteReader does.
    explicit RecordReader(const std::string& path) : path_(path), reader_(path) {}

    /// The next record; false at the end. Throws Error(InvalidInput) naming the record for a wrong checksum, a length beyond
    /// 1 GiB, and a file that is cut; as refuseMany() does for the records of gzip data.
    bool next(std::string& record);
    std::string place() const;  ///< of the last record: "FILE, record 3", from 1
    std::string sha256() { return reader_.sha256(); }

private:
    /// The next `bytes` bytes; false where the file ends before the first one.
    bool take(std::string& into, std::uint64_t bytes);

    std::string path_;
    ByteReader reader_;
    std::string_view block_;
    std::int64_t number_ = 0;
};

/// The fields of one message.
class MessageReader {
public:
    struct Field {
        std::uint64_t number = 0;
        enum class Wire { Varint, Fixed64, Bytes, Fixed32 } wire = Wire::Varint;
        std::uint64_t value = 0;   ///< of a varint
        std::string_view bytes{};  ///< of the others: a number, little-endian; text, a message, packed numbers

        bool is(std::uint64_t wanted, Wire kind) const { return number == wanted && wire == kind; }
    };
    /// `place`: what errors name. The bytes must outlive the reader and its fields.
    MessageReader(std::string_view bytes, const std::string& place) : rest_(bytes), place_(place) {}

    /// The next field; false at the end. Throws Error(InvalidInput) where the bytes are no message.
    bool next(Field& field);

private:
    std::uint64_t varint();
    std::string_view take(std::uint64_t bytes);
    [[noreturn]] void fail() const;

    std::string_view rest_;
    const std::string& place_;
};

/// The bytes of one message, field by field.
class MessageWriter {
public:
    MessageWriter& varint(std::uint64_t field, std::uint64_t value);
    MessageWriter& number(std::uint64_t field, double value);           ///< a double
    MessageWriter& number(std::uint64_t field, float value);            ///< a float
    MessageWriter& bytes(std::uint64_t field, std::string_view value);  ///< text, or a message
    MessageWriter& packed(std::uint64_t field, const std::vector<double>& values);
    const std::string& text() const { return text_; }

private:
    void tag(std::uint64_t field, unsigned wire);
    void plain(std::uint64_t value);

    std::string text_;
};

/// A record as a file has it: length, checksum, data, checksum.
std::string framed(std::string_view data);

}  // namespace heddle::app
