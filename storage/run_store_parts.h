// SPDX-License-Identifier: Apache-2.0
// What the sources of RunStore share.
#pragma once

#include "storage/connection.h"
#include "storage/inbox.h"
#include "storage/run_store.h"
#include "storage/series_writer.h"
#include "storage/writer_lock.h"

namespace heddle::storage {

template <class F>
void RunStore::change(F&& f) {
    const bool own = !open_;
    if (own) begin();
    try {
        changed_ = true;
        connection_->guarded([&] { f(rev_); });
    } catch (...) {
        rollback();
        throw;
    }
    if (own) commit(Durability::Normal);
}

template <class... Values>
bool RunStore::insert(RecordKind kind, std::int64_t number, const Values&... values) {
    connection_->query(insert_[static_cast<std::size_t>(kind)].c_str()).with(number, values...).run();
    const bool isNew = connection_->changes() > 0;
    if (isNew) count(number, kind, 1);
    return isNew;
}

template <class... Values>
void RunStore::put(RecordKind kind, std::int64_t number, const Values&... values) {
    if (!insert(kind, number, values...))
        connection_->query(replace_[static_cast<std::size_t>(kind)].c_str()).with(number, values...).run();
}

}  // namespace heddle::storage
