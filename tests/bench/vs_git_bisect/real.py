# SPDX-License-Identifier: GPL-2.0-or-later
"""One bisection by each method on real parts, one after the other, on the same host and in the same
build slot, which holds good each time a method begins."""
import os
import subprocess
import sys
import time

from .setup import HERE, ROOT, BenchError, fragments

sys.path.insert(0, os.path.join(ROOT, "jobs/demo"))

from service import DemoError, Service  # noqa: E402


def row(name, found, truth, builds, trials, seconds):
    answer = "right" if found == truth else "wrong" if found else "none"
    return {"method": name, "answer": answer, "found": (found or "-")[:12], "builds": builds,
            "trials": trials, "minutes": seconds / 60}


def warm_up(programs, out):
    programs.build("good", os.path.join(out, "warm-up.image"))


def run_culprit(programs, out, truth):
    job = os.path.join(out, "job.yaml")
    with open(job, "w", encoding="utf-8") as file:
        file.write(programs.setup.job())
    service = Service(out, programs.directory, programs.repository, programs.cache)
    try:
        service.start_daemon()
        started = time.monotonic()
        number = service.submit(job)
        service.watch(number)
        seconds = time.monotonic() - started
        shown = service.show(number)
        service.save_report(number)
    except DemoError as error:
        raise BenchError(str(error)) from error
    finally:
        service.stop()
    found = ((shown.get("result") or {}).get("culprit") or {}).get("id")
    progress = shown["progress"]
    return row("culprit", found, truth, progress["builds"]["fresh"], progress["trials"]["done"],
               seconds)


def run_script(programs, out, trials, truth):
    """The script's own account of its steps says what it took."""
    environment = dict(os.environ, PROGRAMS=programs.directory, FRAGMENTS=" ".join(fragments()),
                       GIT_CONFIG_GLOBAL="/dev/null")
    started = time.monotonic()
    status = subprocess.run(
        [os.path.join(HERE, "git-bisect.sh"), out, programs.repository, programs.cache,
         str(trials), programs.setup.metric, programs.setup.topology,
         *programs.setup.workload_words()], check=False, env=environment).returncode
    seconds = time.monotonic() - started
    if status != 0:
        raise BenchError(f"git-bisect.sh: status {status}: see {out}")
    with open(os.path.join(out, "steps"), encoding="ascii") as file:
        steps = [line.split() for line in file]
    with open(os.path.join(out, "first-bad"), encoding="ascii") as file:
        found = file.read().strip()
    return row(f"git bisect, {trials} trial{'s' if trials > 1 else ''}", found, truth, len(steps),
               sum(int(step[2]) for step in steps), seconds)


def compare(programs, out, truth, say):
    """One row a method; ratio: how many times culprit's wall time."""
    home = os.path.join(out, time.strftime("run-%Y%m%d-%H%M%S"))
    rows = []
    for name, trials in (("culprit", None), ("git-1", 1), ("git-3", 3)):
        place = os.path.join(home, name)
        os.makedirs(place)
        warm_up(programs, home)
        say(f"{name}: {place}")
        one = (run_culprit(programs, place, truth) if trials is None
               else run_script(programs, place, trials, truth))
        say(f"{name}: {one['answer']} in {one['minutes']:.1f} min")
        rows.append(one)
    for one in rows:
        one["ratio"] = one["minutes"] / rows[0]["minutes"]
    return rows
