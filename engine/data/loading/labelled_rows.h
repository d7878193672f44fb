// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/loading/row_encoder.h"
#include "engine/data/loading/run_data.h"
#include "engine/data/loading/task_loaders.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Where an example stands, for messages.
struct ExamplePlace {
    std::string split;
    std::size_t number = 0;  ///< from 1

    std::string text() const;  ///< "data.train, example 3"
};

/// Encodes a task's examples with their labels.
class LabelEncoder {
public:
    virtual ~LabelEncoder() = default;
    /// Appends the rows of an example, and its label. Throws Error(InvalidInput) for a label that the task cannot use.
    virtual void add(const Example& example, const ExamplePlace& place, RowEncoder& rows, EncodedCorpus& corpus) const = 0;
    /// Stores what is shown and scored of a validation or test example. Default: its texts and its label.
    virtual void keepTexts(const Example& example, EncodedCorpus& corpus) const;
};

/// Makes the encoder for a format and its training examples; writes the class names, if any, to `data`.
using MakeLabelEncoder =
    std::function<std::unique_ptr<LabelEncoder>(const ExampleFormat& format, const std::vector<Example>& train, RunData& data)>;

/// Loads the examples of a format whose labels are of this kind. Throws Error(InvalidInput) for other formats.
RunData loadLabelledRows(const LoadContext& context, ExampleFormat::Kind kind, const MakeLabelEncoder& makeEncoder);

/// The classes that the format fixes, or the sorted labels of the training examples. Throws Error(InvalidInput) if the model
/// states another number of classes.
std::vector<std::string> classesOf(const ExampleFormat& format, const std::vector<Example>& train,
                                   const std::optional<std::int64_t>& stated);

/// The index of a class. Throws Error(InvalidInput) for an unknown name.
std::int64_t classNumber(const std::vector<std::string>& classes, const std::string& name, const ExamplePlace& place);

}  // namespace heddle
