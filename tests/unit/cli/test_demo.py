#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""test_demo.py DEMO: what the demo makes of the exit statuses of culprit watch, and of a verdict."""
import argparse
import importlib.machinery
import importlib.util
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True


def load(path):
    loader = importlib.machinery.SourceFileLoader("demo", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("demo", loader))
    loader.exec_module(module)
    return module


DEMO = load(os.path.abspath(sys.argv.pop(1)))


class Watching(unittest.TestCase):
    def watch(self, status):
        """Against a program that does nothing but end with that status."""
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "culprit")
            with open(path, "w", encoding="ascii") as file:
                file.write(f"#!/bin/sh\nexit {status}\n")
            os.chmod(path, 0o755)
            demo = DEMO.Demo(argparse.Namespace(seed=1, out=directory, programs=directory))
            demo.server = "http://127.0.0.1:1"
            demo.watch("1")

    def test_a_verdict_is_judged(self):
        for status in (0, 1, 2):
            with self.subTest(status=status):
                self.watch(status)

    def test_no_verdict_is_an_error(self):
        for status in range(3, 9):
            with self.subTest(status=status):
                with self.assertRaisesRegex(DEMO.DemoError, f"status {status}"):
                    self.watch(status)


class Judging(unittest.TestCase):
    """ONE and TWO are planted, or the first of them, or neither."""

    ONE, TWO, OTHER = "1" * 40, "2" * 40, "3" * 40

    def check(self, expected, planted, verdict, found=None, more=False, text="a mail"):
        shown = {"verdict": verdict,
                 "result": {"culprit": found and {"id": found}, "more_changes": more}}
        with self.subTest(planted=len(planted), verdict=verdict, found=found, more=more, text=text):
            self.assertEqual(DEMO.is_right(shown, planted, text), expected)

    def test_nothing_planted(self):
        self.check(True, [], "no_regression")
        self.check(False, [], "no_regression", text="")
        self.check(False, [], "inconclusive")
        self.check(False, [], "culprit", self.ONE, text=self.ONE)

    def test_one_planted(self):
        self.check(True, [self.ONE], "culprit", self.ONE, text=f"it is {self.ONE}")
        self.check(False, [self.ONE], "culprit", self.ONE)
        self.check(False, [self.ONE], "culprit", self.OTHER, text=f"{self.OTHER} {self.ONE}")
        self.check(False, [self.ONE], "no_regression")

    def test_two_planted(self):
        planted = [self.ONE, self.TWO]
        both = f"{self.ONE} and {self.TWO}"
        self.check(True, planted, "inconclusive", more=True, text=both)
        self.check(True, planted, "culprit", self.TWO, more=True, text=f"{self.TWO}, and more")
        self.check(False, planted, "culprit", self.TWO, text=both)
        self.check(False, planted, "culprit", self.OTHER, more=True, text=both)
        self.check(False, planted, "inconclusive", more=True, text=self.ONE)
        self.check(False, planted, "inconclusive", text=both)

    def test_a_job_without_a_result(self):
        self.assertFalse(DEMO.is_right({"verdict": None, "result": None}, [self.ONE], ""))


if __name__ == "__main__":
    unittest.main()
