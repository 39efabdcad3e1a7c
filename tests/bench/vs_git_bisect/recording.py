# SPDX-License-Identifier: GPL-2.0-or-later
"""Recorded facts of a history: each image that its commits build to, and trials of each image.

One JSON file, rewritten after each build and each trial, so that a recording goes on where it was:

    setup     what was measured; a file of another setup is refused
    history   by number: id, parents, relevance (kernel-facts range)
    builds    by commit id: outcome, image (digest), seconds; of the commits that matter
    trials    by digest: seed, outcome, value, seconds

Trials come in rounds, one of each image a round, so that what is there is of use at any time.
"""
import concurrent.futures
import dataclasses
import json
import os
import threading

from .setup import BenchError

SEEDS_OF_AN_IMAGE = 10000


class Recording:
    def __init__(self, path, setup):
        self.path = path
        self.lock = threading.Lock()
        self.facts = {"setup": dataclasses.asdict(setup), "history": [], "builds": {}, "trials": {}}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                facts = json.load(file)
            if facts["setup"] != self.facts["setup"]:
                raise BenchError(f"{path} was recorded with another setup: {facts['setup']}")
            self.facts = facts

    def save(self):
        """The lock is held, or there is one thread."""
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.facts, file, indent=1)
            file.write("\n")
        os.replace(self.path + ".new", self.path)

    # --- what is known ---

    def history(self):
        return self.facts["history"]

    def image_of(self, number):
        """The digest, or None for a commit that does not build. One that cannot matter has its
        parent's."""
        commit = self.history()[number]
        while commit["relevance"] != "matters":
            number = commit["parents"][0]
            commit = self.history()[number]
        build = self.facts["builds"][commit["id"]]
        return build["image"] if build["outcome"] == "ok" else None

    def images(self):
        """Distinct digests, in the order of the commits."""
        return list(dict.fromkeys(build["image"] for build in self.facts["builds"].values()
                                  if build["outcome"] == "ok"))

    def values(self, image):
        return [trial["value"] for trial in self.facts["trials"].get(image, [])
                if trial["outcome"] == "ok"]

    def complete_rounds(self):
        return min((len(self.values(image)) for image in self.images()), default=0)

    def seconds_of_trial(self, image):
        times = [trial["seconds"] for trial in self.facts["trials"].get(image, [])]
        return sum(times) / len(times)

    def check_complete(self, rounds):
        if not self.history() or self.complete_rounds() < rounds:
            raise BenchError(f"{self.path} has {self.complete_rounds()} trials of each image, not "
                             f"{rounds}: record them first")

    # --- recording ---

    def record_builds(self, programs, directory, say):
        """Both ends, which tell what cannot matter; then the rest. An image file lies under its
        digest."""
        inputs = {end: os.path.join(directory, f"{end}.inputs") for end in ("good", "bad")}
        if not self.history():
            for end, path in inputs.items():
                self.record_build(programs, end, directory, say, path)
            self.facts["history"] = programs.range(inputs["good"], inputs["bad"])
            self.save()
        for commit in self.history():
            if commit["relevance"] == "matters":
                self.record_build(programs, commit["id"], directory, say)

    def record_build(self, programs, commit, directory, say, inputs=None):
        known = self.facts["builds"].get(commit)
        if known and (known["outcome"] != "ok" or
                      os.path.exists(os.path.join(directory, known["image"]))):
            return
        fresh = os.path.join(directory, "fresh.image")
        build = programs.build(commit, fresh, inputs)
        if build["outcome"] == "ok":
            os.replace(fresh, os.path.join(directory, build["image"]))
        if not known:
            self.facts["builds"][build["commit"]] = {
                "outcome": build["outcome"], "image": build["image"],
                "seconds": round(build["seconds"], 1)}
        self.save()
        say(f"built {build['commit'][:12]}: {build['outcome']} {build['image'][:12]}, "
            f"{build['seconds']:.0f} s")

    def missing_trials(self, rounds):
        """(image, seed) of what is not there yet, in rounds. No seed is used twice."""
        for round_number in range(1, rounds + 1):
            for place, image in enumerate(self.images()):
                seed = place * SEEDS_OF_AN_IMAGE + round_number
                if seed not in (trial["seed"] for trial in self.facts["trials"].get(image, [])):
                    yield image, seed

    def record_trial(self, programs, directory, image, seed):
        trial = programs.trial(os.path.join(directory, image), seed)
        with self.lock:
            self.facts["trials"].setdefault(image, []).append(trial)
            self.facts["trials"][image].sort(key=lambda other: other["seed"])
            self.save()
        return trial

    def record_trials(self, programs, directory, rounds, guests, say):
        missing = list(self.missing_trials(rounds))
        say(f"{len(self.images())} images, {len(missing)} trials to go")
        with concurrent.futures.ThreadPoolExecutor(guests) as pool:
            work = {pool.submit(self.record_trial, programs, directory, *key): key
                    for key in missing}
            try:
                for done in concurrent.futures.as_completed(work):
                    image, seed = work[done]
                    trial = done.result()
                    say(f"tried {image[:12]} seed {seed}: {trial['outcome']} {trial['value']}, "
                        f"{trial['seconds']:.0f} s")
            except BaseException:  # an interrupt too: what has begun is finished, no more
                pool.shutdown(wait=False, cancel_futures=True)
                raise
