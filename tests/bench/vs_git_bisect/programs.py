# SPDX-License-Identifier: GPL-2.0-or-later
"""culprit's programs, called one at a time."""
import json
import os
import subprocess
import time

from .setup import BenchError, fragments

HOST_TROUBLE = ("timed_out", "infra_failed")  # outcomes that a busy host can give any kernel
ATTEMPTS = 5


class Programs:
    def __init__(self, directory, cache, repository, setup):
        self.directory = directory
        self.cache = cache
        self.repository = repository
        self.setup = setup

    def path(self, name):
        return os.path.join(self.directory, name)

    def call(self, *words, allowed=(0,)):
        answer = subprocess.run([self.path(words[0]), *words[1:]], check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if answer.returncode not in allowed:
            raise BenchError(f"{words[0]} {words[1]}: status {answer.returncode}: "
                             f"{answer.stderr.strip()}")
        return answer.stdout

    def make_history(self, truth):
        if not os.path.exists(truth):
            self.call("make-history", *self.setup.history_words(), "--out", self.repository,
                      "--truth", truth)
        with open(truth, encoding="utf-8") as file:
            return json.load(file)

    def build(self, commit, image, inputs=None):
        """{"outcome", "image", "seconds", …}; the image file only where it builds."""
        words = [word for path in fragments() for word in ("--fragment", path)]
        if inputs:
            words += ["--inputs", inputs]
        return json.loads(self.call("kernel-facts", "build", "--repository", self.repository,
                                    "--cache", self.cache, "--image", image, *words, commit,
                                    allowed=(0, 1)))

    def range(self, good_inputs, bad_inputs):
        return json.loads(self.call("kernel-facts", "range", "--repository", self.repository,
                                    "--inputs", good_inputs, "--inputs", bad_inputs,
                                    "good", "bad"))

    def trial(self, image, seed):
        """{"seed", "outcome", "value", "seconds"}; a trial that the host spoilt is repeated."""
        for _ in range(ATTEMPTS):
            started = time.monotonic()
            answer = json.loads(self.call(
                "culprit", "try", "--json", "--kernel", image, "--topology", self.setup.topology,
                "--engine", "deterministic", "--seed", str(seed), *self.setup.workload_words(),
                allowed=(0, 3, 6, 7)))
            seconds = time.monotonic() - started
            if answer["outcome"] not in HOST_TROUBLE:
                break
        values = [metric["value"] for metric in answer.get("metrics", [])
                  if metric["name"] == self.setup.metric]
        return {"seed": seed, "outcome": answer["outcome"], "value": values[0] if values else None,
                "seconds": round(seconds, 1)}
