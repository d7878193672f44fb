// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/encoded_corpus.h"
#include "engine/data/tokenizers/tokenizer.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

inline constexpr std::int64_t kIgnoredLabel = -1;  ///< a label that losses ignore
inline constexpr std::int64_t kNoDocument = -1;    ///< the document of padding

/// The shape of a batch's column, whose entries are in row-major order.
enum class ColumnShape {
    Source,   ///< [rows, sourceWidth]
    Target,   ///< [rows, targetWidth]
    Input,    ///< of the decoder's input, else of the encoder's
    Patches,  ///< [rows, sourceWidth, numbers per patch]
    List      ///< [entries], as many as there are
};

// The columns of a batch, one line each: COLUMN(member of Batch, tensor of DeviceBatch, number, shape, padding). Padding,
// copies to the device, captured steps and their signatures read these lines; a column that a task does not have is empty. The
// padding of a List is not read: moveLabels() lengthens positions and labels.
// Positions are indices into the flattened decoder (else encoder) input, ascending; without them labels belong to rows.
#define HEDDLE_BATCH_COLUMNS(COLUMN)                                                                                          \
    COLUMN(source, source_BS, std::int64_t, Source, kPad)             /* tokens <eos>; images: one <eos> per patch */         \
    COLUMN(types, types_BS, std::int64_t, Source, 0)                  /* 1 in the second text; empty: no second texts */      \
    COLUMN(targetIn, targetIn_BT, std::int64_t, Target, kPad)         /* <sos> tokens; empty: no decoder */                   \
    COLUMN(documents, documents_BS, std::int64_t, Input, kNoDocument) /* of a token, 0, 1, …; empty: one a row */           \
    COLUMN(patches, patches_BSP, float, Patches, 0)                   /* 0 … 1; empty: tokens */                            \
    COLUMN(positions, positions_N, std::int64_t, List, 0)             /* one per label */                                     \
    COLUMN(labels, labels_N, std::int64_t, List, kIgnoredLabel)       /* ids or classes; spans: all firsts, then all lasts */ \
    COLUMN(numbers, numbers_B, float, List, 0)                        /* regression targets of rows */                        \
    COLUMN(sourceOrder, sourceOrder_N, std::int64_t, List, 0)         /* positions of source by id; empty: not known */       \
    COLUMN(targetOrder, targetOrder_N, std::int64_t, List, 0)         /* likewise of targetIn */

/// One batch as plain host buffers: a vector for each of HEDDLE_BATCH_COLUMNS, and its sizes.
struct Batch {
    std::int64_t rows = 0, sourceWidth = 0, targetWidth = 0;
    std::vector<std::int64_t> indices;  ///< row numbers in the corpus
#define HEDDLE_HOST_COLUMN(member, tensor, Number, shape, padding) std::vector<Number> member;
    HEDDLE_BATCH_COLUMNS(HEDDLE_HOST_COLUMN)
#undef HEDDLE_HOST_COLUMN

    std::int64_t sourceTokens = 0;  ///< without padding; <eos> counts
    std::int64_t labelCount = 0;    ///< number of labels, without those that roundedUp() adds

    /// The tokens that throughput counts: the labels, or the source tokens if there is no decoder.
    std::int64_t workTokens() const { return targetIn.empty() ? sourceTokens : labelCount; }
};

/// One line of HEDDLE_BATCH_COLUMNS.
template <class Number>
struct BatchColumn {
    std::size_t number;  ///< 0, 1, …
    std::vector<Number> Batch::*values;
    ColumnShape shape;
    Number padding;
};

namespace batch_columns {
enum Number : std::size_t {
#define HEDDLE_NUMBER_COLUMN(member, tensor, Number, shape, padding) member,
    HEDDLE_BATCH_COLUMNS(HEDDLE_NUMBER_COLUMN)
#undef HEDDLE_NUMBER_COLUMN
        count
};
}  // namespace batch_columns

inline constexpr std::size_t kBatchColumns = batch_columns::count;

/// Calls `visit(column)` with the BatchColumn of each line, in order.
template <class Visit>
void forEachBatchColumn(const Visit& visit) {
#define HEDDLE_VISIT_COLUMN(member, tensor, Number, shape, padding) \
    visit(BatchColumn<Number>{batch_columns::member, &Batch::member, ColumnShape::shape, padding});
    HEDDLE_BATCH_COLUMNS(HEDDLE_VISIT_COLUMN)
#undef HEDDLE_VISIT_COLUMN
}

/// Returns the sizes of a column with `count` > 0 entries in a batch of `rows` rows.
std::vector<std::int64_t> columnSizes(ColumnShape shape, std::int64_t count, std::int64_t rows, std::int64_t sourceWidth);

/// Rounds up widths, rows and labels, so that the batches of a corpus have few shapes, as captured training steps need. Widths
/// grow to a multiple of `multiple`, at most to `longest`; image batches are unchanged. Rows grow to a multiple of it, many
/// rows by at most an eighth. If at least half of the positions are labelled, all become labelled; otherwise the number of
/// labels grows to the next sixteenth of all positions. Added tokens are padding; added labels are kIgnoredLabel, at a position
/// that already has a label. With one label per row only widths grow. Counts (tokens, labels, indices) do not change.
/// The batch must not have orders yet.
Batch roundedUp(const Batch& batch, std::int64_t multiple, std::int64_t longest);

/// Fills the orders: the positions of the flattened source and targetIn, ascending by id, of equal ids the earlier one first.
/// By them the kernel of an embedding's gradient finds the positions of an id (engine/kernels/embedding.h). The ids of the
/// batch must not change afterwards.
Batch withOrders(Batch batch);

}  // namespace heddle
