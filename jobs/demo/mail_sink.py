#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A local SMTP server that keeps each message it is given as an .eml file.

usage: mail_sink.py DIRECTORY

Listens on a free loopback port, prints that port once it accepts connections, then the path of
each message that it kept, and runs until SIGTERM or SIGINT.
"""
import asyncio
import os
import queue
import signal
import sys
import threading

from aiosmtpd.smtp import SMTP


class MailSink:
    """Runs the server in a thread of its own; `port` and `kept` (a queue of paths) speak for it."""

    def __init__(self, directory):
        self.directory = directory
        self.kept = queue.Queue()
        self.port = None
        self._count = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    async def handle_DATA(self, _server, _session, envelope):
        self._count += 1
        path = os.path.join(self.directory, f"{self._count:04}.eml")
        with open(path + ".part", "wb") as message:
            message.write(envelope.original_content)
        os.rename(path + ".part", path)
        self.kept.put(path)
        return "250 kept"

    async def _listen(self):
        loop = asyncio.get_running_loop()
        return await loop.create_server(lambda: SMTP(self, hostname="localhost"), "127.0.0.1", 0)

    def start(self):
        os.makedirs(self.directory, exist_ok=True)
        self._thread.start()
        server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        self.port = server.sockets[0].getsockname()[1]

    def stop(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()


def main(directory):
    sink = MailSink(directory)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sink.kept.put(None))
    sink.start()
    print(sink.port, flush=True)
    for path in iter(sink.kept.get, None):
        print(path, flush=True)
    sink.stop()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
