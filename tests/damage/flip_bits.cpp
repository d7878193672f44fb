// SPDX-License-Identifier: Apache-2.0
// Flips a random bit of a copy of a run database, reads everything, flips it back, and so on. Prints how many flips changed
// nothing, how many were reported, and every one that was neither.
//
//   build/release/bin/flip_bits FILE.heddle [FLIPS=10000] [SEED=1]
//
// The file must not be in use. Exit code 1 when a flip was silent.
#include "tests/damage/everything_read.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

namespace {

namespace fs = std::filesystem;

/// A file of which single bits are changed in place.
class Victim {
public:
    explicit Victim(const fs::path& file) : descriptor_(::open(file.c_str(), O_RDWR | O_CLOEXEC)) {}
    ~Victim() { ::close(descriptor_); }
    Victim(const Victim&) = delete;
    Victim& operator=(const Victim&) = delete;

    bool flip(std::uint64_t bit) const {
        unsigned char byte = 0;
        const auto at = static_cast<off_t>(bit / 8);
        if (::pread(descriptor_, &byte, 1, at) != 1) return false;
        byte ^= static_cast<unsigned char>(1U << (bit % 8));
        return ::pwrite(descriptor_, &byte, 1, at) == 1;
    }

private:
    int descriptor_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: flip_bits FILE.heddle [FLIPS=10000] [SEED=1]\n");
        return 2;
    }
    const long flips = argc > 2 ? std::atol(argv[2]) : 10'000;
    std::mt19937_64 random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
    std::string folder = (fs::temp_directory_path() / "heddle-flips-XXXXXX").string();
    if (!::mkdtemp(folder.data())) return 2;
    const fs::path copy = fs::path(folder) / "runs.heddle";
    fs::copy_file(argv[1], copy);

    const auto before = heddle::storage::readEverything(copy);
    if (!before.damages.empty()) {
        std::fprintf(stderr, "the file is damaged before the first flip: %s\n", before.damages.front().c_str());
        return 2;
    }
    const std::uint64_t bits = 8 * fs::file_size(copy);
    std::printf("%zu records and points, %llu bits\n", before.lines.size(), static_cast<unsigned long long>(bits));
    const Victim victim(copy);
    long harmless = 0, reported = 0, silent = 0;
    for (long i = 0; i < flips; ++i) {
        const std::uint64_t bit = random() % bits;
        if (!victim.flip(bit)) return 2;
        const auto after = heddle::storage::readEverything(copy);
        const std::string falsehood = firstFalsehood(before, after);
        if (!falsehood.empty()) {
            ++silent;
            std::printf("SILENT: bit %llu (byte %llu): %.200s\n", static_cast<unsigned long long>(bit),
                        static_cast<unsigned long long>(bit / 8), falsehood.c_str());
        } else {
            ++(after.damages.empty() ? harmless : reported);
        }
        // What opening has left behind: a journal, or the backup of a file that was taken for one of an older schema.
        for (const auto& entry : fs::directory_iterator(folder))
            if (entry.path() != copy) fs::remove_all(entry.path());
        if (!victim.flip(bit)) return 2;
    }
    std::printf("%ld flips: %ld changed nothing that is read, %ld reported, %ld silent\n", flips, harmless, reported, silent);
    fs::remove_all(folder);
    return silent == 0 ? 0 : 1;
}
