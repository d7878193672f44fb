// SPDX-License-Identifier: Apache-2.0
// How exports write numbers and names, and the files that they write.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace heddle::app {

/// The shortest decimal text that reads back as this double, with a point or an exponent, so that no reader takes it for a
/// whole number; "NaN", "Infinity", "-Infinity".
std::string exactText(double value);

/// The name, without characters that are unsafe in the name of a file, and the id: "eau-base-3f2a09b71c55".
std::string fileNameOf(const std::string& name, const std::string& id);

/// A new file that is written in order. Throws Error(Failure) naming the file and the system's reason.
class ExportFile {
public:
    explicit ExportFile(std::string path);
    ExportFile(const ExportFile&) = delete;
    ExportFile& operator=(const ExportFile&) = delete;
    ~ExportFile();

    void write(std::string_view bytes);
    /// Flushes the file to disk and closes it.
    void finish();

private:
    [[noreturn]] void fail() const;

    std::string path_;
    std::FILE* file_;
};

/// Creates a folder of an export. Throws Error(Failure) naming it and the system's reason.
void makeExportFolder(const std::string& path);

/// The destination of an export. The export is written under a temporary name beside it, and renamed when it is complete.
class ExportPlace {
public:
    /// Throws Error(Usage) if something exists at the destination, or its folder is missing.
    explicit ExportPlace(const std::string& destination);
    ExportPlace(const ExportPlace&) = delete;
    ExportPlace& operator=(const ExportPlace&) = delete;
    /// Removes what was written, unless finish() was called.
    ~ExportPlace();

    const std::string& temporary() const { return temporary_; }
    /// Renames the export to its destination. Throws Error(Usage) if something has appeared there meanwhile.
    void finish();

private:
    std::string destination_, temporary_;
    bool isFinished_ = false;
};

}  // namespace heddle::app
