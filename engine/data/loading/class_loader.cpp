// SPDX-License-Identifier: Apache-2.0
// Task classify: texts or pairs of texts, and the class of each.
#include "engine/data/loading/labelled_rows.h"
#include "engine/data/readers/label_names.h"

namespace heddle {
namespace {

class ClassEncoder final : public LabelEncoder {
public:
    explicit ClassEncoder(std::vector<std::string> classes) : classes_(std::move(classes)) {}

    void add(const Example& example, const ExamplePlace& place, RowEncoder& rows, EncodedCorpus& corpus) const override {
        rows.add(corpus, example);
        corpus.labelsAs<ClassLabels>().classes.push_back(classNumber(classes_, example.label, place));
    }

private:
    std::vector<std::string> classes_;
};

}  // namespace

RunData loadClassData(const LoadContext& context) {
    return loadLabelledRows(context, ExampleFormat::Kind::Class,
                            [&](const ExampleFormat& format, const std::vector<Example>& train, RunData& data) {
                                data.classes = classesOf(format, train, classesOfOutputs(context.spec));
                                for (const std::string& note : spellingNotes(train))
                                    data.warnings.push_back({"train", "train: " + note});
                                return std::make_unique<ClassEncoder>(data.classes);
                            });
}

}  // namespace heddle
