# SPDX-License-Identifier: GPL-2.0-or-later
"""Which commit git bisect tests next. git itself is asked, once for each state of a bisection, and
the answers are remembered: thousands of bisections of one history pass through a few hundred."""
import os
import re
import subprocess

from .setup import BenchError

FIRST_BAD = re.compile(r"^([0-9a-f]{40}) is the first bad commit", re.MULTILINE)
ONLY_SKIPPED = "only 'skip'ped commits left"


class GitChoice:
    def __init__(self, repository, scratch):
        """`scratch` becomes a clone of its own, so that the repository's refs stay as they are."""
        self.directory = scratch
        self.known = {}
        self.asked = 0
        if not os.path.exists(scratch):
            self.git("clone", "--quiet", "--bare", "--shared", os.path.abspath(repository),
                     os.path.abspath(scratch), directory=".")

    def git(self, *words, directory=None, allowed=(0,)):
        environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null")
        answer = subprocess.run(["git", *words], cwd=directory or self.directory, check=False,
                                env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True)
        if answer.returncode not in allowed:
            raise BenchError(f"git {' '.join(words[:2])}: {answer.stdout.strip()}")
        return answer.stdout

    def resolve(self, name):
        return self.git("rev-parse", f"{name}^{{commit}}").strip()

    def next(self, good, bad, skipped):
        """("test", commit), ("found", commit) or ("none", None) where only skipped ones are left;
        good and skipped are sets of ids."""
        key = (frozenset(good), bad, frozenset(skipped))
        if key not in self.known:
            self.known[key] = self.ask(*key)
            self.asked += 1
        return self.known[key]

    def ask(self, good, bad, skipped):
        said = self.git("bisect", "start", bad, *sorted(good), "--")
        if skipped:
            said = self.git("bisect", "skip", *sorted(skipped), allowed=(0, 2))
        found = FIRST_BAD.search(said)
        if found:
            return "found", found.group(1)
        if ONLY_SKIPPED in said:
            return "none", None
        return "test", self.git("rev-parse", "BISECT_HEAD").strip()
