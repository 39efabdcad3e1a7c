# SPDX-License-Identifier: GPL-2.0-or-later
"""What is measured: the history, the guest, the workload and the metric, the same for all."""
import dataclasses
import json
import os

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))


class BenchError(Exception):
    """What went wrong, as a sentence."""


@dataclasses.dataclass(frozen=True)
class Setup:
    """The tail latency on a machine that is exactly full, as it was first seen (two message threads,
    half as many workers each as there are CPUs), on 8 CPUs so that a trial takes seconds."""

    source: str
    commits: int = 64
    seed: int = 2
    topology: str = "vm-8cpu-smt"
    message_threads: int = 2
    workers: int = 4
    runtime: str = "4s"
    metric: str = "wakeup.latency.p99"
    min_effect: str = "10%"
    confidence: float = 0.95
    trials: int = 5
    builds_budget: int = 20
    trials_budget: int = 200

    def workload(self):
        return {"message_threads": self.message_threads, "workers": self.workers,
                "runtime": self.runtime, "warmup": "1s", "think": "50ms",
                "message_think": "10ms", "sleep": "1ms"}

    def workload_words(self):
        return ["wakeup", *(f"{key}={value}" for key, value in self.workload().items())]

    def job(self):
        """The bisect job, as text. JSON is YAML."""
        return json.dumps({
            "version": 1, "name": "vs-git-bisect", "kind": "bisect",
            "source": {"repository": "history", "good": "good", "bad": "bad"},
            "guest": {"topology": self.topology, "engine": "deterministic"},
            "workloads": [{"wakeup": self.workload()}],
            "metric": {"name": self.metric, "better": "lower", "min_effect": self.min_effect},
            "confidence": self.confidence, "trials": self.trials,
            "budget": {"builds": self.builds_budget, "trials": self.trials_budget}}, indent=2)

    def history_words(self):
        return ["--case", "lb-spare-capacity", "--source", self.source,
                "--commits", str(self.commits), "--seed", str(self.seed)]


def fragments():
    return [os.path.join(ROOT, "kernels/fragments", f"{name}.config")
            for name in ("guest-x86_64", "sched")]
