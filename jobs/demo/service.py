# SPDX-License-Identifier: GPL-2.0-or-later
"""A culpritd of one's own: started, asked for a job, watched, stopped."""
import json
import os
import platform
import select
import signal
import socket
import subprocess
import time

START_LIMIT = 120  # seconds for the daemon to say that it is ready
VERDICT_STATUSES = (0, 1, 2)  # of culprit watch: found, against, inconclusive (docs/cli.md)


class DemoError(Exception):
    """What went wrong, as a sentence."""


def say(text):
    print(f"==> {text}", flush=True)


def home(variable, fallback):
    base = os.environ.get(variable) or os.path.join(os.path.expanduser("~"), fallback)
    return os.path.join(base, "culprit")


class Service:
    """Everything that it leaves lies in `out`; kernels are built below `cache`. Jobs name the
    repository `history`. Mail goes to `sink`, where there is one (mail_sink.py)."""

    def __init__(self, out, programs, repository, cache=None):
        self.out = out
        self.programs = programs
        self.repository = repository
        self.cache = cache or home("XDG_CACHE_HOME", ".cache")
        self.log_path = os.path.join(out, "culpritd.log")
        self.sink = None
        self.daemon = None
        self.listen = "127.0.0.1:0"
        self.server = None

    def program(self, name):
        return os.path.join(self.programs, name)

    def culprit(self, *arguments, **options):
        return subprocess.run([self.program("culprit"), *arguments, "--server", self.server],
                              check=False, **options)

    def write_configuration(self):
        """JSON is YAML."""
        path = os.path.join(self.out, "culpritd.yaml")
        settings = {
            "name": platform.node() or "localhost",
            "listen": self.listen,
            "state_directory": os.path.join(self.out, "state"),
            "cache_directory": self.cache,
            "repositories": {"history": self.repository},
        }
        if self.sink:
            settings["mail"] = {"host": "127.0.0.1", "port": self.sink.port, "security": "plain",
                                "from": "culprit <culprit@localhost>", "domain": "localhost"}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(settings, file, indent=2)
        return path

    def wait_until_ready(self, notify):
        """What the daemon says when it is ready; its end or the limit is an error."""
        ended = os.pidfd_open(self.daemon.pid)
        deadline = time.monotonic() + START_LIMIT
        try:
            while True:
                readable, _, _ = select.select([notify, ended], [], [],
                                               max(0, deadline - time.monotonic()))
                if notify in readable:
                    message = notify.recv(4096).decode()
                    if "READY=1" in message:
                        return message
                elif ended in readable:
                    raise DemoError(f"culpritd ended while it started: see {self.log_path}")
                else:
                    raise DemoError(f"culpritd did not start in time: see {self.log_path}")
        finally:
            os.close(ended)

    def start_daemon(self):
        configuration = self.write_configuration()
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        # An abstract address: no path, no length to run out of.
        notify.bind(f"\0culprit-demo-{os.getpid()}")
        environment = dict(os.environ, NOTIFY_SOCKET=f"@culprit-demo-{os.getpid()}")
        with open(self.log_path, "ab") as log:
            self.daemon = subprocess.Popen([self.program("culpritd"), "--config", configuration],
                                           env=environment, stdout=log, stderr=log)
        try:
            message = self.wait_until_ready(notify)
        finally:
            notify.close()
        self.listen = message.split("listening on ", 1)[1].split("\n", 1)[0]
        self.server = f"http://{self.listen}"
        self.write_configuration()  # with the port, for whoever starts it again to look around
        say(f"culpritd answers at {self.server}")

    def submit(self, path):
        answer = self.culprit("submit", path, "--json", stdout=subprocess.PIPE)
        if answer.returncode != 0:
            raise DemoError("the job was refused")
        return str(json.loads(answer.stdout)["id"])

    def watch(self, job):
        """Shows the progress to the end; a job that ends without a verdict is an error."""
        status = self.culprit("watch", job).returncode
        if status not in VERDICT_STATUSES:
            raise DemoError(f"job {job} ended without a verdict (culprit watch: status {status}): "
                            f"see {self.log_path}")

    def show(self, job):
        answer = self.culprit("show", job, "--json", stdout=subprocess.PIPE)
        if answer.returncode != 0:
            raise DemoError(f"culpritd does not answer any more: see {self.log_path}")
        return json.loads(answer.stdout)

    def save_report(self, job):
        for form, name in (("text", "report.txt"), ("json", "report.json"),
                           ("bisect-log", "bisect.log")):
            with open(os.path.join(self.out, name), "wb") as file:
                self.culprit("report", job, "--format", form, stdout=file)

    def stop(self):
        if self.daemon and self.daemon.poll() is None:
            self.daemon.send_signal(signal.SIGTERM)
            try:
                self.daemon.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.daemon.kill()
        if self.sink:
            self.sink.stop()
