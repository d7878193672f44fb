// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/document_schema.h"
#include "engine/analysis/recipe.h"
#include "engine/base/json.h"

namespace heddle {
namespace {

using namespace schema;
using Type = FieldSchema::Type;

FieldSchema anyObject(const std::string& key, const std::string& help) {
    return withDefault(field(key, Type::Any, help), Json::object());
}

FieldSchema scaleSchema(const std::string& key) {
    FieldSchema made = object(key, "How much is run.",
                              {text("label", "Shown with every number."), optionalText("time", "What it takes, and on what."),
                               withDefault(integer("seeds", {1, 1000}, "seeds", "Runs of every line."), 1),
                               words("set", "Assignments."), words("differs", "What is smaller."),
                               words("runs", "Names; all when absent."), anyObject("fragments", "Assignments by name.")});
    made.defaultValue = nullptr;
    return made;
}

FieldSchema measureSchema() {
    return object(
        "", "Where a number comes from.",
        {text("id", "Short name."), text("column", "Of the table."), optionalText("reading", "One of several ways."),
         choice("from", {"evaluation", "run", "series", "histogram", "count", "layers", "inspect"}, "Source of the number."),
         optionalText("split", "evaluation: valid or test."), optionalText("metric", "evaluation: its name."),
         withDefault(choice("take", {"last", "best", "best_epoch", "mean", "max"}, "Which of several."), "last"),
         optionalText("field", "run: which of its figures."), optionalText("name", "series: its name."),
         optionalText("path", "series: module path."), words("files", "inspect: files, added up."),
         optionalText("at", "inspect: JSON pointer into the file's report."), words("set", "count: assignments on top."),
         withDefault(number("scale", {1e-12, 1e12}, "", "Into the column's unit."), 1.0),
         withDefault(integer("per", {0, 1e9}, "examples", "evaluation: scaled to so many; 0: as it is."), 0)});
}

FieldSchema dataSchema() {
    return object("", "Files of one publisher.",
                  {text("id", "Short name."), text("title", "What it is."), text("from", "Where a user gets it."),
                   words("folders", "Below the data folder."), field("files", Type::Any, "File names by short name.")});
}

FieldSchema statementSchema() {
    return object("", "A sentence that is true of some runs.",
                  {text("text", "The sentence."), words("set", "Assignments that such a run is made with."),
                   words("runs", "Names of such runs; any when absent.")});
}

FieldSchema recipeRunSchema() {
    FieldSchema match = object("match", "Widen f to the parameters of another preset.",
                               {text("preset", "Its name."), words("set", "Assignments.")});
    return object("", "One line of the table, or a step on the way.",
                  {text("name", "Short name."), optionalText("preset", "The variant."), optionalText("note", "For people."),
                   words("use", "Fragments."), words("set", "Assignments."), optionalText("row", "Of the table."),
                   words("measures", "Ids."), std::move(match)});
}

}  // namespace

const std::vector<std::string>& recipeRunFields() {
    static const std::vector<std::string> kFields{"parameters",        "epochs",        "steps",
                                                  "diverged",          "seconds",       "training_seconds",
                                                  "seconds_per_epoch", "steps_to_best", "seconds_to_best"};
    return kFields;
}

const FieldSchema& recipeSchema() {
    static const FieldSchema kSchema = object(
        "recipe", "How a table is made again.",
        {choice("schema", {"heddle.recipe/1"}, "Kind and version of this file."), text("id", "Name of the file."),
         text("title", "In a list of recipes."), optionalText("published", "Id of the printed table."),
         optionalText("why", "Why nothing is run."), words("differs", "From the paper."),
         list("choices", statementSchema(), "From the paper, true of some runs alone."),
         list("columns", publishedColumnSchema(), "Numbers that the paper does not print."),
         list("data", dataSchema(), "What is read."), words("set", "Assignments of every run."),
         anyObject("not_measured", "By column or row: why nothing measures it."),
         anyObject("fragments", "Assignments by name."), list("measures", measureSchema(), "Where the numbers come from."),
         list("runs", recipeRunSchema(), "What is run."),
         withDefault(integer("first_seed", {0, 1e9}, "", "Seeds count from here."), 1), scaleSchema("full"),
         scaleSchema("quick")});
    return kSchema;
}

}  // namespace heddle
