#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""test_vs_git_bisect.py PROGRAMS: the parts of tests/bench/vs-git-bisect, without kernels or guests."""
import json
import os
import random
import stat
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
BENCH = os.path.join(HERE, "../../bench")
sys.path.insert(0, BENCH)

from vs_git_bisect import resampled  # noqa: E402
from vs_git_bisect.git_choice import GitChoice  # noqa: E402
from vs_git_bisect.programs import Programs  # noqa: E402
from vs_git_bisect.recording import Recording  # noqa: E402
from vs_git_bisect.script import ScriptBisection  # noqa: E402
from vs_git_bisect.setup import BenchError, Setup  # noqa: E402

PROGRAMS = os.path.abspath(sys.argv.pop(1))
COUNT, CULPRIT = 24, 15
BROKEN = {11, 12}
IDLE = {3, 4, 9, 14, 16, 20}  # cannot change the image


def git(directory, *words, **options):
    return subprocess.run(["git", *words], cwd=directory, check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null"), **options).stdout


def make_repository(directory):
    """A line of commits and a merge; ids by number, as culprit numbers them."""
    stream, marks = ["reset refs/heads/main"], {}
    for number in range(COUNT + 1):
        marks[number] = number + 1
        stream += ["commit refs/heads/main", f"mark :{number + 1}",
                   f"committer A <a@example.org> {1700000000 + number} +0000", "data 1", "x"]
        if number:
            stream.append(f"from :{number}")
        if number == 10:
            stream.append("merge :6")
        stream += ["M 100644 inline f", f"data {len(str(number))}", str(number)]
    git(directory, "init", "--quiet", "--bare", "--initial-branch=main", "h.git")
    repository = os.path.join(directory, "h.git")
    git(repository, "fast-import", "--quiet", input="\n".join(stream) + "\n")
    ids = git(repository, "rev-list", "--reverse", "--topo-order", "main").split()
    git(repository, "tag", "good", ids[0])
    git(repository, "tag", "bad", ids[-1])
    return repository, ids


def history_of(ids):
    return [{"id": commit, "parents": [number - 1] if number else [],
             "relevance": "not_compiled" if number in IDLE else "matters"}
            for number, commit in enumerate(ids)]


class WithHistory(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.directory = self.room.name
        self.addCleanup(self.room.cleanup)
        self.repository, self.ids = make_repository(self.directory)
        self.asking = GitChoice(self.repository, os.path.join(self.directory, "choice.git"))

    def choice(self):
        return self.asking

    def script(self, measure, trials=1):
        return ScriptBisection(self.choice(), history_of(self.ids), trials, measure,
                               lambda number: 10).run()


class Choosing(WithHistory):
    def test_asks_git_once_a_state(self):
        choice = self.choice()
        state = {self.ids[0]}, self.ids[-1], set()
        first = choice.next(*state)
        self.assertEqual(first[0], "test")
        self.assertEqual(choice.next(*state), first)
        self.assertEqual(choice.asked, 1)

    def test_ends_at_a_pair(self):
        self.assertEqual(self.choice().next({self.ids[7]}, self.ids[8], set()),
                         ("found", self.ids[8]))

    def test_gives_up_on_skipped_ones(self):
        self.assertEqual(self.choice().next({self.ids[10]}, self.ids[13],
                                            {self.ids[11], self.ids[12]}), ("none", None))


class Bisecting(WithHistory):
    def test_finds_every_culprit_without_noise(self):
        for culprit in range(1, COUNT + 1):
            with self.subTest(culprit=culprit):
                outcome = self.script(lambda number, c=culprit: (1 + (number >= c), 5))
                self.assertEqual(outcome.culprit, culprit)
                self.assertEqual(outcome.trials, outcome.builds)
                self.assertEqual(outcome.seconds, 15 * outcome.builds)

    def test_the_median_of_three_outvotes_one(self):
        seen = {}

        def measure(number):
            seen[number] = seen.get(number, 0) + 1
            bad = number >= CULPRIT
            return (1 + (bad != (seen[number] == 2)), 5)
        self.assertEqual(self.script(measure, trials=3).culprit, CULPRIT)

    def test_skips_what_does_not_build(self):
        outcome = self.script(lambda n: None if n in BROKEN else (1 + (n >= CULPRIT), 5))
        self.assertEqual(outcome.culprit, CULPRIT)
        outcome = self.script(lambda n: None if n in BROKEN else (1 + (n >= 12), 5))
        self.assertIsNone(outcome.culprit)

    def test_gives_up_when_good_is_worse(self):
        outcome = self.script(lambda n: (2 - (n >= CULPRIT), 5))
        self.assertEqual((outcome.culprit, outcome.builds), (None, 2))


class TheScript(WithHistory):
    """git-bisect.sh with stubs in the place of kernel-facts and culprit takes the course that
    ScriptBisection says it takes."""

    STUB = """#!/usr/bin/python3
import json, os, sys
values = json.load(open({values!r}))
words = sys.argv[1:]
if words[0] == "build":
    image, commit = words[words.index("--image") + 1], words[-1]
    commit = {{"good": {good!r}, "bad": {bad!r}}}.get(commit, commit)
    open(image, "w").write(commit)
    sys.exit(commit not in values)
commit = open(words[words.index("--kernel") + 1]).read()
seed = words[words.index("--seed") + 1]
with open({seeds!r}, "a") as file:
    print(seed, file=file)
print(json.dumps({{"metrics": [{{"name": "other", "value": 7}},
                             {{"name": "m", "value": values[commit].pop(0)}}]}}))
json.dump(values, open({values!r}, "w"))
"""

    def run_script(self, values, trials):
        paths = {name: os.path.join(self.directory, name) for name in ("values", "seeds")}
        with open(paths["values"], "w", encoding="ascii") as file:
            json.dump(values, file)
        for name in ("kernel-facts", "culprit"):
            path = os.path.join(self.directory, name)
            with open(path, "w", encoding="ascii") as file:
                file.write(self.STUB.format(good=self.ids[0], bad=self.ids[-1], **paths))
            os.chmod(path, stat.S_IRWXU)
        out = tempfile.mkdtemp(dir=self.directory)
        subprocess.run([os.path.join(BENCH, "vs_git_bisect/git-bisect.sh"), out, self.repository,
                        "/nowhere", str(trials), "m", "pair", "wakeup", "runtime=4s"], check=True,
                       env=dict(os.environ, PROGRAMS=self.directory, FRAGMENTS="a b",
                                GIT_CONFIG_GLOBAL="/dev/null"), stderr=subprocess.DEVNULL)
        with open(os.path.join(out, "steps"), encoding="ascii") as file:
            steps = [line.split() for line in file]
        with open(os.path.join(out, "first-bad"), encoding="ascii") as file:
            found = file.read().strip() or None
        with open(paths["seeds"], encoding="ascii") as file:
            seeds = file.read().split()
        self.assertEqual(len(seeds), len(set(seeds)))
        os.unlink(paths["seeds"])
        return found, steps

    def test_takes_the_same_course(self):
        draw = random.Random(3)
        for trials in (1, 3):
            values = {commit: [draw.gauss(2 if number >= CULPRIT else 1, 0.4) for _ in range(6)]
                      for number, commit in enumerate(self.ids) if number not in BROKEN}
            left = {commit: list(these) for commit, these in values.items()}
            expected = self.script(
                lambda n, left=left: (left[self.ids[n]].pop(0), 5) if n not in BROKEN else None,
                trials)
            with self.subTest(trials=trials, values=values):
                found, steps = self.run_script(values, trials)
                self.assertEqual(found, None if expected.culprit is None
                                 else self.ids[expected.culprit])
                self.assertEqual(len(steps), expected.builds)
                self.assertEqual(sum(int(step[2]) for step in steps), expected.trials)


def record(path, ids, rounds, level):
    recording = Recording(path, Setup("source"))
    recording.facts["history"] = history_of(ids)
    for number, commit in enumerate(ids):
        if number not in IDLE:
            broken = number in BROKEN
            recording.facts["builds"][commit] = {
                "outcome": "build_failed" if broken else "ok",
                "image": "" if broken else f"{number:064x}", "seconds": 20.0}
    for image, seed in list(recording.missing_trials(rounds)):
        recording.facts["trials"].setdefault(image, []).append(
            {"seed": seed, "outcome": "ok", "value": level(int(image, 16)), "seconds": 10.0})
    recording.save()
    return recording


class Recordings(WithHistory):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.directory, "facts.json")

    def test_go_on_where_they_were(self):
        recording = record(self.path, self.ids, 3, float)
        self.assertEqual(recording.complete_rounds(), 3)
        again = Recording(self.path, Setup("source"))
        self.assertEqual(list(again.missing_trials(3)), [])
        self.assertEqual(len(list(again.missing_trials(5))), 2 * len(again.images()))
        seeds = [trial["seed"] for trials in again.facts["trials"].values() for trial in trials]
        self.assertEqual(len(seeds), len(set(seeds)))
        again.check_complete(3)
        with self.assertRaisesRegex(BenchError, "3 trials of each image, not 4"):
            again.check_complete(4)

    def test_of_another_setup_are_refused(self):
        record(self.path, self.ids, 1, float)
        with self.assertRaisesRegex(BenchError, "another setup"):
            Recording(self.path, Setup("source", workers=5))

    def test_a_commit_that_cannot_matter_has_its_parents_image(self):
        recording = record(self.path, self.ids, 1, float)
        self.assertEqual(recording.image_of(4), recording.image_of(2))
        self.assertNotEqual(recording.image_of(5), recording.image_of(4))
        self.assertIsNone(recording.image_of(11))


class Resampling(WithHistory):
    def test_says_who_is_right(self):
        """A clear effect: all are right, and culprit builds none of what cannot matter."""
        draw = random.Random(1)
        recording = record(os.path.join(self.directory, "facts.json"), self.ids, 8,
                           lambda n: draw.gauss(200 if n >= CULPRIT else 100, 2))
        programs = Programs(PROGRAMS, "/nowhere", self.repository, Setup("source"))
        rows = list(resampled.compare(programs, recording, CULPRIT, 8, 12, 1, 2))
        self.assertEqual([row["method"] for row in rows],
                         [name for name, _ in resampled.METHODS])
        for row in rows:
            with self.subTest(**row):
                self.assertEqual((row["right"], row["wrong"], row["no_answer"]), (1, 0, 0))
        culprit, once, thrice = rows
        self.assertEqual(once["builds"], thrice["builds"])
        self.assertEqual(3 * once["trials"], thrice["trials"])
        self.assertGreaterEqual(culprit["trials"], 10)  # five at each end

    def test_noise_misleads_one_trial_a_step(self):
        draw = random.Random(2)
        recording = record(os.path.join(self.directory, "facts.json"), self.ids, 8,
                           lambda n: draw.gauss(130 if n >= CULPRIT else 100, 15))
        programs = Programs(PROGRAMS, "/nowhere", self.repository, Setup("source"))
        culprit, once, thrice = resampled.compare(programs, recording, CULPRIT, 8, 20, 1, 2)
        self.assertLess(once["right"], thrice["right"])
        self.assertLess(thrice["right"], culprit["right"])
        self.assertLessEqual(culprit["wrong"], 0.1)


if __name__ == "__main__":
    unittest.main()
