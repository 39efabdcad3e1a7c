#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""test_demo.py DEMO: what the demo makes of the exit statuses of culprit watch."""
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


if __name__ == "__main__":
    unittest.main()
