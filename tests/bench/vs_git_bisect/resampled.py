# SPDX-License-Identifier: GPL-2.0-or-later
"""Thousands of bisections of one recorded history: culprit's decisions (bisect-resample) and the
scripts', each trial one of the recorded ones of its image, drawn with replacement."""
import json
import os
import random
import statistics
import subprocess
import tempfile

from .git_choice import GitChoice
from .script import Outcome, ScriptBisection
from .setup import BenchError


def scratch_home():
    """The store is written at each step; where there is a file system in memory, there."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def build_seconds(recording):
    """By number. Of a commit that was not built for the recording, the least that a build took:
    make finds nothing to do."""
    known = {commit: build["seconds"] for commit, build in recording.facts["builds"].items()}
    # The ends were the first to be built, perhaps from nothing.
    ends = {recording.history()[0]["id"], recording.history()[-1]["id"]}
    usual = [seconds for commit, seconds in known.items() if commit not in ends]
    for end in ends:
        known[end] = min(known[end], statistics.median(usual))
    return [known.get(commit["id"], min(usual)) for commit in recording.history()]


def recording_json(recording, rounds):
    seconds = build_seconds(recording)
    commits = [{"id": commit["id"], "parents": commit["parents"],
                "relevance": commit["relevance"], "image": recording.image_of(number),
                "seconds": seconds[number]}
               for number, commit in enumerate(recording.history())]
    images = {image: {"values": recording.values(image)[:rounds],
                      "seconds": recording.seconds_of_trial(image)}
              for image in recording.images()}
    return {"commits": commits, "images": images}


def run_culprit(programs, recording, rounds, bisections, seed, guests):
    document = recording_json(recording, rounds)
    document["job"] = programs.setup.job()
    with tempfile.TemporaryDirectory(dir=scratch_home()) as store:
        answer = subprocess.run(
            [programs.path("bisect-resample"), "--store", store, "--bisections", str(bisections),
             "--seed", str(seed), "--guests", str(guests)],
            input=json.dumps(document), stdout=subprocess.PIPE, check=False, text=True)
    if answer.returncode != 0:
        raise BenchError(f"bisect-resample: status {answer.returncode}")
    for line in answer.stdout.splitlines():
        one = json.loads(line)
        yield Outcome(culprit=one["culprit"], builds=one["builds"],
                      trials=one["search"] + one["verification"], seconds=one["seconds"])


def run_script(programs, recording, rounds, bisections, seed, trials):
    history = recording.history()
    seconds = build_seconds(recording)
    values = [recording.values(image)[:rounds] if image else None
              for image in map(recording.image_of, range(len(history)))]
    trial_seconds = [recording.seconds_of_trial(image) if image else 0
                     for image in map(recording.image_of, range(len(history)))]
    with tempfile.TemporaryDirectory(dir=scratch_home()) as scratch:
        choice = GitChoice(programs.repository, os.path.join(scratch, "choice.git"))
        for i in range(bisections):
            draw = random.Random(f"{seed}/{trials}/{i}")
            yield ScriptBisection(
                choice, history, trials,
                lambda n, draw=draw: values[n] and (draw.choice(values[n]), trial_seconds[n]),
                lambda n: seconds[n]).run()


METHODS = (("culprit", None), ("git bisect, 1 trial", 1), ("git bisect, 3 trials", 3))


def summarise(name, outcomes, truth):
    count = len(outcomes)
    right = sum(outcome.culprit == truth for outcome in outcomes)
    silent = sum(outcome.culprit is None for outcome in outcomes)
    return {"method": name, "bisections": count, "right": right / count,
            "wrong": (count - right - silent) / count, "no_answer": silent / count,
            "builds": sum(outcome.builds for outcome in outcomes) / count,
            "trials": sum(outcome.trials for outcome in outcomes) / count,
            "minutes": sum(outcome.seconds for outcome in outcomes) / count / 60}


def compare(programs, recording, truth, rounds, bisections, seed, guests):
    """One row a method."""
    recording.check_complete(rounds)
    for name, trials in METHODS:
        if trials is None:
            outcomes = run_culprit(programs, recording, rounds, bisections, seed, guests)
        else:
            outcomes = run_script(programs, recording, rounds, bisections, seed, trials)
        yield summarise(name, list(outcomes), truth)
