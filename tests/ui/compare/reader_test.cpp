// SPDX-License-Identifier: GPL-3.0-or-later
// How a table of runs follows its databases: when it is read, when it is whole, what becomes of failures.
#include "ui/data/run_table_reader.h"

#include "tests/ui/compare/facts.h"

#include <gtest/gtest.h>
#include <QSignalSpy>

namespace heddle::ui::test {
namespace {

TEST(RunTableReader, ReadsWhileActiveAndBeginsAnewWithOtherDatabases) {
    Database first, second;
    first.add({"a00000000000", "base"});
    second.add({"b00000000000", "wide"});
    Databases databases;
    RunTableReader reader(databases, RunTableReader::Scope::Open, nullptr);
    databases.setCurrent(databases.open(QString::fromStdString(first.file())));
    ASSERT_TRUE(waitUntil([&] { return databases.current() && databases.current()->runs().size() == 1; }));
    EXPECT_TRUE(reader.table()->runs.empty());
    EXPECT_FALSE(reader.isIdle() || reader.isWhole()) << "there is something to read";
    reader.setActive(true);
    ASSERT_TRUE(waitUntil([&] { return reader.isIdle(); }));
    EXPECT_EQ(reader.table()->runs.size(), 1U);
    EXPECT_TRUE(reader.isWhole());
    first.add({"c00000000000", "later"});
    ASSERT_TRUE(waitUntil([&] { return reader.table()->runs.size() == 2; }));
    databases.open(QString::fromStdString(second.file()));
    ASSERT_TRUE(waitUntil([&] { return reader.table()->runs.size() == 3; }));
    databases.close(1);
    ASSERT_TRUE(waitUntil([&] { return reader.table()->runs.size() == 1; }));
    EXPECT_EQ(reader.table()->runs[0]->record.id, "b00000000000");
}

TEST(RunTableReader, SaysWhenAllDatabasesAreReadAlsoWhereTheLastBringsNoRun) {
    Database first, empty;
    first.add({"a00000000000", "base"});
    Databases databases;
    RunTableReader reader(databases, RunTableReader::Scope::Open, nullptr);
    databases.open(QString::fromStdString(first.file()));
    const int last = databases.open(QString::fromStdString(empty.file()));
    ASSERT_TRUE(waitUntil([&] { return databases.runs().size() == 1 && databases.find(last)->isOpen(); }));
    std::vector<bool> whole;
    QObject::connect(&reader, &RunTableReader::changed, &databases, [&] { whole.push_back(reader.isWhole()); });
    for (int shown = 0; shown < 2; ++shown) {
        whole.clear();
        reader.setActive(true);
        EXPECT_FALSE(reader.isWhole());
        ASSERT_TRUE(waitUntil([&] { return reader.isIdle(); }));
        ASSERT_FALSE(whole.empty());
        EXPECT_TRUE(whole.back());
        reader.setActive(false);
    }
}

TEST(RunTableReader, IsWholeWithoutTheRunsThatCannotBeRead) {
    Database spoilt, good;
    spoilt.add({"b00000000000", "spoilt"});
    spoilt.spoilEvaluations("b00000000000");
    good.add({"a00000000000", "base"});
    Databases databases;
    RunTableReader reader(databases, RunTableReader::Scope::Open, nullptr);
    databases.open(QString::fromStdString(spoilt.file()));
    databases.open(QString::fromStdString(good.file()));
    ASSERT_TRUE(waitUntil([&] { return databases.runs().size() == 2; }));
    reader.setActive(true);
    EXPECT_TRUE(waitUntil([&] { return reader.isWhole() && reader.table()->runs.size() == 1; }));
}

TEST(RunTableReader, WhatCouldNotBeReadIsReadWhenItIsShownAgain) {
    Database database;
    database.add({"a00000000000", "base"});
    database.add({"b00000000000", "spoilt"});
    database.spoilEvaluations("b00000000000");
    Databases databases;
    RunTableReader reader(databases, RunTableReader::Scope::Open, nullptr);
    const int number = databases.open(QString::fromStdString(database.file()));
    ASSERT_TRUE(waitUntil([&] { return databases.runs().size() == 2; }));
    databases.setWatched(false);  // the next poll comes in five seconds
    bool isSet = false;
    ask(
        &databases, databases.reader(number), [](storage::RunQuery&) {}, [&](const Result<Done>& done) { isSet = bool(done); });
    ASSERT_TRUE(waitUntil([&] { return isSet; }));
    QSignalSpy failed(&reader, &RunTableReader::failed);
    reader.setActive(true);
    ASSERT_TRUE(waitUntil([&] { return !failed.isEmpty(); }));
    EXPECT_TRUE(reader.table()->runs.empty());
    reader.setActive(false);
    database.store().deleteRun("b00000000000");
    reader.setActive(true);
    EXPECT_TRUE(waitUntil([&] { return reader.table()->runs.size() == 1; }, std::chrono::seconds(2)));
    EXPECT_EQ(failed.size(), 1);
}

}  // namespace
}  // namespace heddle::ui::test
