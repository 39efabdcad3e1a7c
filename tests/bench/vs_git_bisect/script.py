# SPDX-License-Identifier: GPL-2.0-or-later
"""The script that people write around `git bisect run`, git-bisect.sh, on recorded trials."""
import dataclasses
import statistics


@dataclasses.dataclass
class Outcome:
    """How a bisection ended and what it took. No culprit: it gave no answer."""

    culprit: int | None = None
    builds: int = 0
    trials: int = 0
    seconds: float = 0


class ScriptBisection:
    """One bisection. `measure(number)` gives a trial's value and seconds, or None where the commit
    does not build; `build_seconds(number)` is what a build takes."""

    def __init__(self, choice, history, trials, measure, build_seconds):
        self.choice = choice
        self.history = history
        self.numbers = {commit["id"]: number for number, commit in enumerate(history)}
        self.trials = trials
        self.measure = measure
        self.build_seconds = build_seconds
        self.outcome = Outcome()

    def level(self, number):
        """The median of the commit's trials; None where it does not build."""
        self.outcome.builds += 1
        self.outcome.seconds += self.build_seconds(number)
        values = []
        for _ in range(self.trials):
            trial = self.measure(number)
            if trial is None:
                return None
            values.append(trial[0])
            self.outcome.trials += 1
            self.outcome.seconds += trial[1]
        return statistics.median(values)

    def run(self):
        good, bad = self.level(0), self.level(len(self.history) - 1)
        if good is None or bad is None or bad <= good:
            return self.outcome  # the script gives up: its ends are the wrong way round
        threshold = (good + bad) / 2
        state = {"good": {self.history[0]["id"]}, "bad": self.history[-1]["id"], "skipped": set()}
        while True:
            word, commit = self.choice.next(**state)
            if word != "test":
                self.outcome.culprit = self.numbers[commit] if word == "found" else None
                return self.outcome
            level = self.level(self.numbers[commit])
            if level is None:
                state["skipped"].add(commit)
            elif level > threshold:
                state["bad"] = commit
            else:
                state["good"].add(commit)
