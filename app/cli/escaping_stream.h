// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace heddle::app {

/// Forwards text to another stream and escapes terminal control characters (engine/base/printable.h) except line feeds and
/// tabs. A character may be written in pieces.
class EscapingBuffer final : public std::streambuf {
public:
    explicit EscapingBuffer(std::ostream& to) : to_(to) {}
    ~EscapingBuffer() override;

protected:
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int_type overflow(int_type character) override;
    int sync() override;

private:
    void pass(std::string_view text);

    std::ostream& to_;
    std::string cut_;  ///< the bytes of an incomplete character
};

/// A stream with an EscapingBuffer. The target must outlive it.
class EscapingStream final : public std::ostream {
public:
    explicit EscapingStream(std::ostream& to) : std::ostream(nullptr), buffer_(to) { rdbuf(&buffer_); }

private:
    EscapingBuffer buffer_;
};

}  // namespace heddle::app
