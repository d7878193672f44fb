# SPDX-License-Identifier: Apache-2.0
"""What the oracle scripts share: their options, and how Heddle's tests get their cases."""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def options_of(description, *, test, cases, cases_help=None):
    """A parser with --test (a program), --write, --cases and --seed."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--test", help="path of " + test)
    parser.add_argument("--write", help="write the cases to this file and stop")
    parser.add_argument("--cases", type=int, default=cases, help=cases_help)
    parser.add_argument("--seed", type=int, default=7)
    return parser


def write_or_test(parser, arguments, document, *, variable, filter, summary, **layout):
    """Writes the document to the file of --write, or gives it to the tests of this filter through an environment variable.
    Returns the exit status. `layout`: of the JSON."""
    if arguments.write:
        with open(arguments.write, "w", encoding="ascii") as file:
            json.dump(document, file, sort_keys=True, **layout)
            file.write("\n")
        return 0
    if not arguments.test:
        parser.error("give --test or --write")
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="ascii") as file:
        json.dump(document, file)
        file.flush()
        result = subprocess.run([arguments.test, f"--gtest_filter={filter}"], env=dict(os.environ, **{variable: file.name}))
    print(f"{summary}: {'equal' if result.returncode == 0 else 'DIFFERENT'}", file=sys.stderr)
    return result.returncode
