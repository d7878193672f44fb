#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""resources/setup/wheels.py with small wheels and the real pip: what is fetched, repaired, taken up again and refused."""
import base64
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "resources/setup/wheels.py"


def make_wheel(folder, name, files):
    """Writes NAME-1.0-py3-none-any.whl; returns its line for a list of wheels."""
    info = f"{name}-1.0.dist-info"
    files = {**files, f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
             f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    rows = []
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(text.encode())}")
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for inner, text in files.items():
            wheel.writestr(inner, text)
        wheel.writestr(f"{info}/RECORD", "\n".join([*rows, f"{info}/RECORD,,"]) + "\n")
    return f"{name}==1.0 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


class Wheels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.wheels = self.folder / "wheels"
        self.wheels.mkdir()
        self.tree = self.folder / "data" / "tree"
        self.list = self.folder / "list.txt"
        # Both have files in one folder, as NVIDIA's wheels do.
        self.lines = [make_wheel(self.wheels, "loom", {"shed/warp.so": "warp", "loom/version.py": "1"}),
                      make_wheel(self.wheels, "weft", {"shed/weft.so": "weft"})]
        self.list.write_text("# two wheels\n" + "\n".join(self.lines) + "\n")

    def start(self, *more):
        return subprocess.Popen([sys.executable, SCRIPT, self.tree, self.list, "--from", self.wheels, "--json", *more],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run_script(self):
        process = self.start()
        out, err = process.communicate()
        return process.returncode, json.loads(out), err

    def files(self):
        return sorted(str(path.relative_to(self.tree)) for path in self.tree.rglob("*.so"))

    def test_fetches_what_is_missing_once(self):
        code, answer, _ = self.run_script()
        self.assertEqual((code, answer), (0, {"folder": str(self.tree), "fetched": ["loom", "weft"]}))
        self.assertEqual(self.files(), ["shed/warp.so", "shed/weft.so"])
        self.assertEqual([path.name for path in self.tree.parent.iterdir() if path.is_dir()], ["tree"])
        (self.tree / "shed/weft.so").write_text("")  # a damaged file: its wheel alone is fetched again
        code, answer, err = self.run_script()
        self.assertEqual((code, answer["fetched"]), (0, ["weft"]))
        self.assertIn("fetching weft 1.0 (1 of 1)", err)
        self.assertEqual((self.tree / "shed/weft.so").read_text(), "weft")
        self.assertEqual(self.run_script()[1]["fetched"], [])

    def test_another_file_than_the_pinned_one_is_refused_and_the_rest_kept(self):
        make_wheel(self.wheels, "weft", {"shed/weft.so": "another"})
        code, answer, _ = self.run_script()
        self.assertEqual(code, 1)
        self.assertIn("weft 1.0", answer["what"])
        self.assertIn("start again", answer["next"])
        self.assertFalse(self.tree.exists())  # a folder without one of its wheels would be taken for LibTorch
        make_wheel(self.wheels, "weft", {"shed/weft.so": "weft"})
        self.list.write_text("\n".join([self.lines[0], make_wheel(self.wheels, "weft", {"shed/weft.so": "weft"})]))
        code, answer, err = self.run_script()
        self.assertEqual(code, 0)
        self.assertNotIn("fetching loom", err)
        self.assertEqual(self.files(), ["shed/warp.so", "shed/weft.so"])

    def test_goes_on_where_it_was_killed_between_two_moves(self):
        self.run_script()
        part = self.tree.parent / "tree.part"
        (part / "weft").mkdir(parents=True)
        os.rename(self.tree, part / "tree")
        for path in ("shed/weft.so", "weft-1.0.dist-info/RECORD"):  # moved neither: the wheel is not complete
            (part / "weft" / path).parent.mkdir(parents=True, exist_ok=True)
            os.rename(part / "tree" / path, part / "weft" / path)
        code, _, err = self.run_script()
        self.assertEqual(code, 0)
        self.assertNotIn("fetching loom", err)
        self.assertEqual(self.files(), ["shed/warp.so", "shed/weft.so"])

    def test_two_at_once_fetch_once(self):
        both = [self.start(), self.start()]
        answers = [json.loads(process.communicate()[0]) for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0])
        self.assertEqual(sorted(len(answer["fetched"]) for answer in answers), [0, 2])

    def test_a_folder_that_is_none_is_named(self):
        self.wheels = self.folder / "nowhere"
        code, answer, _ = self.run_script()
        self.assertEqual((code, answer["what"], answer["where"]), (1, "this is no folder", str(self.wheels)))


if __name__ == "__main__":
    unittest.main()
