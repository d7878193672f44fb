<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en_US">
<context>
    <name>heddle::studio::StudioProgram</name>
    <message numerus="yes">
        <source>&quot;%1&quot; matches %Ln run(s)</source>
        <translation>
            <numerusform>&quot;%1&quot; matches %Ln run</numerusform>
            <numerusform>&quot;%1&quot; matches %Ln runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) were interrupted: %1</source>
        <translation>
            <numerusform>%Ln run was interrupted: %1</numerusform>
            <numerusform>%Ln runs were interrupted: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>; %Ln more in the queue</source>
        <translation>
            <numerusform>; %Ln more in the queue</numerusform>
            <numerusform>; %Ln more in the queue</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) wait in the queue of %1</source>
        <translation>
            <numerusform>%Ln run waits in the queue of %1</numerusform>
            <numerusform>%Ln runs wait in the queue of %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::Column</name>
    <message numerus="yes">
        <source>%Ln epoch(s)</source>
        <translation>
            <numerusform>%Ln epoch</numerusform>
            <numerusform>%Ln epochs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::ComparePage</name>
    <message numerus="yes">
        <source>%1 of %Ln run(s) read</source>
        <translation>
            <numerusform>%1 of %Ln run read</numerusform>
            <numerusform>%1 of %Ln runs read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %Ln run(s)</source>
        <translation>
            <numerusform>%1 of %Ln run</numerusform>
            <numerusform>%1 of %Ln runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s)</source>
        <translation>
            <numerusform>%Ln run</numerusform>
            <numerusform>%Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::ComparedCurves</name>
    <message numerus="yes">
        <source>%1 of %Ln run(s) without such values</source>
        <translation>
            <numerusform>%1 of %Ln run without such values</numerusform>
            <numerusform>%1 of %Ln runs without such values</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::DataReport</name>
    <message numerus="yes">
        <source>Reading %Ln file(s)…</source>
        <translation>
            <numerusform>Reading %Ln file…</numerusform>
            <numerusform>Reading %Ln files…</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::LibraryDetails</name>
    <message numerus="yes">
        <source>%Ln point(s)</source>
        <translation>
            <numerusform>%Ln point</numerusform>
            <numerusform>%Ln points</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln evaluation(s)</source>
        <translation>
            <numerusform>%Ln evaluation</numerusform>
            <numerusform>%Ln evaluations</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln histogram(s)</source>
        <translation>
            <numerusform>%Ln histogram</numerusform>
            <numerusform>%Ln histograms</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln map(s)</source>
        <translation>
            <numerusform>%Ln map</numerusform>
            <numerusform>%Ln maps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %Ln record(s)</source>
        <translation>
            <numerusform>%1 of %Ln record</numerusform>
            <numerusform>%1 of %Ln records</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %Ln checkpoint file(s)</source>
        <translation>
            <numerusform>%1 of %Ln checkpoint file</numerusform>
            <numerusform>%1 of %Ln checkpoint files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, %Ln thread(s), torch %2</source>
        <translation>
            <numerusform>%1, %Ln thread, torch %2</numerusform>
            <numerusform>%1, %Ln threads, torch %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln time(s)</source>
        <translation>
            <numerusform>%Ln time</numerusform>
            <numerusform>%Ln times</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln replayed step(s)</source>
        <translation>
            <numerusform>%Ln replayed step</numerusform>
            <numerusform>%Ln replayed steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::DeviceTile</name>
    <message numerus="yes">
        <source>Processor: %Ln thread(s), %1 % busy. Memory: %2 GiB of %3 GiB in use.</source>
        <translation>
            <numerusform>Processor: %Ln thread, %1 % busy. Memory: %2 GiB of %3 GiB in use.</numerusform>
            <numerusform>Processor: %Ln threads, %1 % busy. Memory: %2 GiB of %3 GiB in use.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::Diagram</name>
    <message numerus="yes">
        <source>differs from the pinned baseline in %n slot(s)</source>
        <translation>
            <numerusform>differs from the pinned baseline in %n slot</numerusform>
            <numerusform>differs from the pinned baseline in %n slots</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more</source>
        <translation>
            <numerusform>%Ln more</numerusform>
            <numerusform>%Ln more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more slot(s), with the standard block: %1</source>
        <translation>
            <numerusform>%Ln more slot, with the standard block: %1</numerusform>
            <numerusform>%Ln more slots, with the standard block: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::InterventionsPanel</name>
    <message numerus="yes">
        <source>In training with %Ln intervention(s)</source>
        <translation>
            <numerusform>In training with %Ln intervention</numerusform>
            <numerusform>In training with %Ln interventions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::CurveLegend</name>
    <message numerus="yes">
        <source>+ %n more</source>
        <translation>
            <numerusform>+ %n more</numerusform>
            <numerusform>+ %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more in grey</source>
        <translation>
            <numerusform>%n more in grey</numerusform>
            <numerusform>%n more in grey</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::ImportDialog</name>
    <message numerus="yes">
        <source>%Ln row(s)</source>
        <translation>
            <numerusform>%Ln row</numerusform>
            <numerusform>%Ln rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln column(s)</source>
        <translation>
            <numerusform>%Ln column</numerusform>
            <numerusform>%Ln columns</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Import %Ln run(s) into %1</source>
        <translation>
            <numerusform>Import %Ln run into %1</numerusform>
            <numerusform>Import %Ln runs into %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s)</source>
        <translation>
            <numerusform>%Ln run</numerusform>
            <numerusform>%Ln runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln seed(s)</source>
        <translation>
            <numerusform>%Ln seed</numerusform>
            <numerusform>%Ln seeds</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Imported %Ln run(s) into %1</source>
        <translation>
            <numerusform>Imported %Ln run into %1</numerusform>
            <numerusform>Imported %Ln runs into %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::LibraryActions</name>
    <message numerus="yes">
        <source>Deleted %Ln run(s)</source>
        <translation>
            <numerusform>Deleted %Ln run</numerusform>
            <numerusform>Deleted %Ln runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Restored %Ln run(s)</source>
        <translation>
            <numerusform>Restored %Ln run</numerusform>
            <numerusform>Restored %Ln runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln run(s) permanently?</source>
        <translation>
            <numerusform>Delete %Ln run permanently?</numerusform>
            <numerusform>Delete %Ln runs permanently?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Exporting %Ln run(s)</source>
        <translation>
            <numerusform>Exporting %Ln run</numerusform>
            <numerusform>Exporting %Ln runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Exported %Ln run(s)</source>
        <translation>
            <numerusform>Exported %Ln run</numerusform>
            <numerusform>Exported %Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::DatabaseList</name>
    <message numerus="yes">
        <source>%Ln run(s)</source>
        <translation>
            <numerusform>%Ln run</numerusform>
            <numerusform>%Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::MainWindow</name>
    <message numerus="yes">
        <source>%1 and %Ln more</source>
        <translation>
            <numerusform>%1 and %Ln more</numerusform>
            <numerusform>%1 and %Ln more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::MessageList</name>
    <message numerus="yes">
        <source>%Ln more message(s)</source>
        <translation>
            <numerusform>%Ln more message</numerusform>
            <numerusform>%Ln more messages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::PlanModel</name>
    <message numerus="yes">
        <source>%Ln step(s)</source>
        <translation>
            <numerusform>%Ln step</numerusform>
            <numerusform>%Ln steps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln epoch(s)</source>
        <translation>
            <numerusform>%Ln epoch</numerusform>
            <numerusform>%Ln epochs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln row(s)</source>
        <translation>
            <numerusform>%Ln row</numerusform>
            <numerusform>%Ln rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s)</source>
        <translation>
            <numerusform>%Ln run</numerusform>
            <numerusform>%Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::PlanTable</name>
    <message numerus="yes">
        <source>%Ln run(s) of the plan exist already and were not started again</source>
        <translation>
            <numerusform>%Ln run of the plan exists already and was not started again</numerusform>
            <numerusform>%Ln runs of the plan exist already and were not started again</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Start %Ln run(s)</source>
        <translation>
            <numerusform>Start %Ln run</numerusform>
            <numerusform>Start %Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::SlurmDialog</name>
    <message numerus="yes">
        <source>Submit %Ln run(s)</source>
        <translation>
            <numerusform>Submit %Ln run</numerusform>
            <numerusform>Submit %Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::SlurmJobsDialog</name>
    <message numerus="yes">
        <source>%1 of %Ln run(s) completed</source>
        <translation>
            <numerusform>%1 of %Ln run completed</numerusform>
            <numerusform>%1 of %Ln runs completed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::SlurmWatcher</name>
    <message numerus="yes">
        <source>%Ln job(s) of %1 cancelled; what they have trained stays</source>
        <translation>
            <numerusform>%Ln job of %1 cancelled; what they have trained stays</numerusform>
            <numerusform>%Ln jobs of %1 cancelled; what they have trained stays</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) on Slurm did not complete</source>
        <translation>
            <numerusform>%Ln run on Slurm did not complete</numerusform>
            <numerusform>%Ln runs on Slurm did not complete</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::RunActions</name>
    <message numerus="yes">
        <source>%Ln run(s)</source>
        <translation>
            <numerusform>%Ln run</numerusform>
            <numerusform>%Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::LibraryRuns</name>
    <message numerus="yes">
        <source>%1 of %Ln run(s) read</source>
        <translation>
            <numerusform>%1 of %Ln run read</numerusform>
            <numerusform>%1 of %Ln runs read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s)</source>
        <translation>
            <numerusform>%Ln run</numerusform>
            <numerusform>%Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::RunTableModel</name>
    <message numerus="yes">
        <source>%1 of %Ln seed(s) completed</source>
        <translation>
            <numerusform>%1 of %Ln seed completed</numerusform>
            <numerusform>%1 of %Ln seeds completed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>mean of %1 of %Ln seed(s)</source>
        <translation>
            <numerusform>mean of %1 of %Ln seed</numerusform>
            <numerusform>mean of %1 of %Ln seeds</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>mean ± standard deviation of %1 of %Ln seed(s), from %2 to %3</source>
        <translation>
            <numerusform>mean ± standard deviation of %1 of %Ln seed, from %2 to %3</numerusform>
            <numerusform>mean ± standard deviation of %1 of %Ln seeds, from %2 to %3</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::RunTableView</name>
    <message numerus="yes">
        <source>%Ln run(s) are hidden. Esc in the filter line shows all.</source>
        <translation>
            <numerusform>%Ln run is hidden. Esc in the filter line shows all.</numerusform>
            <numerusform>%Ln runs are hidden. Esc in the filter line shows all.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::StatusLine</name>
    <message numerus="yes">
        <source>%1, except %Ln gap(s)</source>
        <translation>
            <numerusform>%1, except %Ln gap</numerusform>
            <numerusform>%1, except %Ln gaps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %Ln more</source>
        <translation>
            <numerusform>and %Ln more</numerusform>
            <numerusform>and %Ln more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::StudyTrainer</name>
    <message numerus="yes">
        <source>Train the %Ln run(s) that the study asks for next, and those after them until all is decided.</source>
        <translation>
            <numerusform>Train the %Ln run that the study asks for next, and those after it until all is decided.</numerusform>
            <numerusform>Train the %Ln runs that the study asks for next, and those after them until all is decided.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::VariantDraft</name>
    <message numerus="yes">
        <source>%1; and %Ln more module(s).</source>
        <translation>
            <numerusform>%1; and %Ln more module.</numerusform>
            <numerusform>%1; and %Ln more modules.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::watch::QueueModel</name>
    <message numerus="yes">
        <source>%Ln step(s), %1</source>
        <translation>
            <numerusform>%Ln step, %1</numerusform>
            <numerusform>%Ln steps, %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::watch::StateStrip</name>
    <message numerus="yes">
        <source>Checkpoint %1 is kept; %Ln step(s) are run again.</source>
        <translation>
            <numerusform>Checkpoint %1 is kept; %Ln step is run again.</numerusform>
            <numerusform>Checkpoint %1 is kept; %Ln steps are run again.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::ComparedCells</name>
    <message numerus="yes">
        <source>open: %Ln seed(s) to come</source>
        <translation>
            <numerusform>open: %Ln seed to come</numerusform>
            <numerusform>open: %Ln seeds to come</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln pair(s) of equal seeds</source>
        <translation>
            <numerusform>%Ln pair of equal seeds</numerusform>
            <numerusform>%Ln pairs of equal seeds</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>noise floor ± %1 (pooled sd %2, %Ln group(s))</source>
        <translation>
            <numerusform>noise floor ± %1 (pooled sd %2, %Ln group)</numerusform>
            <numerusform>noise floor ± %1 (pooled sd %2, %Ln groups)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::VerdictPanel</name>
    <message numerus="yes">
        <source>%Ln pair(s)</source>
        <translation>
            <numerusform>%Ln pair</numerusform>
            <numerusform>%Ln pairs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>p %1 (%Ln comparison(s))</source>
        <translation>
            <numerusform>p %1 (%Ln comparison)</numerusform>
            <numerusform>p %1 (%Ln comparisons)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %Ln more run(s)</source>
        <translation>
            <numerusform>and %Ln more run</numerusform>
            <numerusform>and %Ln more runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>p corrected for %Ln test(s): every metric of every group</source>
        <translation>
            <numerusform>p corrected for %Ln test: every metric of every group</numerusform>
            <numerusform>p corrected for %Ln tests: every metric of every group</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::QuestionBar</name>
    <message numerus="yes">
        <source>Holm, %Ln comparison(s)</source>
        <translation>
            <numerusform>Holm, %Ln comparison</numerusform>
            <numerusform>Holm, %Ln comparisons</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::BarsPanel</name>
    <message numerus="yes">
        <source>%1 · %Ln group(s) of the table</source>
        <translation>
            <numerusform>%1 · %Ln group of the table</numerusform>
            <numerusform>%1 · %Ln groups of the table</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::PairPanel</name>
    <message numerus="yes">
        <source>recorded · %Ln step(s) in common</source>
        <translation>
            <numerusform>recorded · %Ln step in common</numerusform>
            <numerusform>recorded · %Ln steps in common</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heddle::ui::SeedsPanel</name>
    <message numerus="yes">
        <source>%1 · %Ln group(s) of the table</source>
        <translation>
            <numerusform>%1 · %Ln group of the table</numerusform>
            <numerusform>%1 · %Ln groups of the table</numerusform>
        </translation>
    </message>
</context>
</TS>
