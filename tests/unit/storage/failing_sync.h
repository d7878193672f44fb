// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <map>
#include <memory>

namespace heddle::storage {

/// While it lives, the syncs of write-ahead logs that are opened fail when asked to: the first `failures` ones. One thread.
class FailingSync {
public:
    FailingSync() : system_(sqlite3_vfs_find(nullptr)), vfs_(*system_) {
        left = 0;
        systemOpen = system_->xOpen;
        vfs_.zName = "failing sync";
        vfs_.pNext = nullptr;
        vfs_.xOpen = open;
        sqlite3_vfs_register(&vfs_, 1);
    }
    ~FailingSync() {
        sqlite3_vfs_unregister(&vfs_);
        sqlite3_vfs_register(system_, 1);
    }
    FailingSync(const FailingSync&) = delete;
    FailingSync& operator=(const FailingSync&) = delete;

    static void fail(int failures) { left = failures; }

private:
    using Open = int (*)(sqlite3_vfs*, sqlite3_filename, sqlite3_file*, int, int*);
    using Sync = int (*)(sqlite3_file*, int);

    static int open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* outFlags) {
        const int result = systemOpen(vfs, name, file, flags, outFlags);
        if (result != SQLITE_OK || (flags & SQLITE_OPEN_WAL) == 0) return result;
        systemSync = file->pMethods->xSync;
        auto& methods = tables[file->pMethods];
        if (!methods) methods = std::make_unique<sqlite3_io_methods>(*file->pMethods);
        methods->xSync = [](sqlite3_file* log, int how) {
            if (left == 0) return systemSync(log, how);
            --left;
            return SQLITE_IOERR_FSYNC;
        };
        file->pMethods = methods.get();
        return result;
    }

    static inline int left = 0;
    static inline Open systemOpen = nullptr;
    static inline Sync systemSync = nullptr;
    static inline std::map<const sqlite3_io_methods*, std::unique_ptr<sqlite3_io_methods>> tables;

    sqlite3_vfs* system_;
    sqlite3_vfs vfs_;
};

}  // namespace heddle::storage
