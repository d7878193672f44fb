#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`heddle setup` of a program that has no LibTorch, installed in a folder of its own, with a small wheel in place of torch.

  setup_test.py HEDDLE LIBHEDDLE_CORE
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from wheels_test import SCRIPT, make_wheel

PROGRAM, CORE = sys.argv.pop(1), sys.argv.pop(1)


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        for place in ("bin", "lib/heddle", "share/heddle/setup", "wheels", "empty"):
            (self.folder / place).mkdir(parents=True)
        shutil.copy(PROGRAM, self.folder / "bin/heddle")
        shutil.copy(CORE, self.folder / "lib/heddle/libheddle_core.so")
        for resource in SCRIPT.parents[1].iterdir():
            if resource.name != "setup":
                (self.folder / "share/heddle" / resource.name).symlink_to(resource)
        setup = self.folder / "share/heddle/setup"
        shutil.copy(SCRIPT, setup)
        line = make_wheel(self.folder / "wheels", "torch", {"torch/lib/libtorch_cpu.so": "no library", "torch/version.py": "__version__ = '2.11.0'\n"})
        (setup / "libtorch.txt").write_text(line + "\n")
        self.make_python("")  # without torch, whatever the machine has

    def make_python(self, torch):
        """A python3 that names this folder as its torch."""
        python = self.folder / "path/python3"
        python.parent.mkdir(exist_ok=True)
        python.write_text(f'#!/bin/sh\nfor word; do [ "$word" = -c ] && echo "{torch}" && exit; done\nexec {sys.executable} "$@"\n')
        python.chmod(0o755)

    def run_heddle(self, *words, at="empty", **variables):
        environment = {**os.environ, "XDG_DATA_HOME": str(self.folder / "data"), "PATH": f"{self.folder}/path:/usr/bin:/bin", **variables}
        for name in ("HEDDLE_RESOURCES", *(() if "HEDDLE_LIBTORCH" in variables else ("HEDDLE_LIBTORCH",))):
            environment.pop(name, None)
        return subprocess.run([self.folder / "bin/heddle", *words], env=environment, cwd=self.folder / at, capture_output=True, text=True)

    def test_commands_without_libtorch_name_it_in_one_line(self):
        for command in (["verify"], ["bench", "train", "W1"], ["train", f"{self.folder}/share/heddle/sample/eau-base.json"]):
            done = self.run_heddle(*command)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("LibTorch 2.11 was not found", done.stderr)
            self.assertIn("run heddle setup", done.stderr)

    def test_puts_it_where_the_search_finds_it(self):
        done = self.run_heddle("setup", "--cpu", "--from", str(self.folder / "wheels"))
        self.assertIn("fetching torch 1.0 (1 of 1)", done.stderr)
        self.assertTrue((self.folder / "data/heddle/torch-2.11.0/torch/lib/libtorch_cpu.so").exists())
        self.assertEqual(done.returncode, 1)  # this one cannot be loaded
        self.assertIn("libheddle_engine.so", done.stderr)
        self.assertIn(f"heddle setup {self.folder}/data/heddle/torch-2.11.0/torch: usable", self.searched("empty"))
        again = self.run_heddle("setup", "--cpu", "--from", str(self.folder / "empty"))
        self.assertNotIn("fetching", again.stderr)

    def searched(self, at):
        findings = json.loads(self.run_heddle("doctor", "--json", at=at).stdout)["findings"]
        return next(row["found"] for row in findings if row["what"] == "searched for LibTorch")

    def test_pythons_torch_is_taken_unless_it_lies_below_the_current_folder(self):
        torch = self.folder / "empty/torch"
        (torch / "lib").mkdir(parents=True)
        (torch / "lib/libtorch_cpu.so").touch()
        self.make_python(torch)
        self.assertIn(f"{torch}: it lies in the current folder", self.searched("empty"))
        self.assertIn(f"python3 {torch}: usable", self.searched("wheels"))
        self.assertIn(f"python3 {torch}: usable", self.searched("/"))  # below which everything lies, the program, too

    def test_says_what_pip_could_not_find(self):
        done = self.run_heddle("setup", "--cpu", "--from", str(self.folder / "empty"), "--json")
        self.assertEqual(done.returncode, 1)
        error = json.loads(done.stdout)
        self.assertEqual(error["schema"], "heddle.error/1")
        self.assertIn("pip did not bring torch 1.0", error["what"])
        self.assertIn("put the wheel into that folder", error["next"])

    def test_heddle_libtorch_is_respected(self):
        done = self.run_heddle("setup", HEDDLE_LIBTORCH="/nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("HEDDLE_LIBTORCH is set, and cannot be used", done.stderr)
        self.assertFalse((self.folder / "data").exists())


if __name__ == "__main__":
    unittest.main()
