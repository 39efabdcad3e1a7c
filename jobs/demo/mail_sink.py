#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A local SMTP server that keeps each message it is given as an .eml file.

usage: mail_sink.py DIRECTORY PORT_FILE

Listens on a free loopback port, writes the port to PORT_FILE once it accepts connections, and
runs until SIGTERM.
"""
import asyncio
import os
import signal
import sys

from aiosmtpd.smtp import SMTP


class Keeper:
    """Stores messages under their number: DIRECTORY/0001.eml."""

    def __init__(self, directory):
        self.directory = directory
        self.count = 0

    async def handle_DATA(self, server, session, envelope):
        self.count += 1
        path = os.path.join(self.directory, f"{self.count:04}.eml")
        with open(path + ".part", "wb") as message:
            message.write(envelope.original_content)
        os.rename(path + ".part", path)
        return "250 kept"


async def main(directory, port_file):
    os.makedirs(directory, exist_ok=True)
    keeper = Keeper(directory)
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    server = await loop.create_server(lambda: SMTP(keeper, hostname="localhost"), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with open(port_file + ".part", "w", encoding="ascii") as file:
        file.write(f"{port}\n")
    os.rename(port_file + ".part", port_file)
    await stop.wait()
    server.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    asyncio.run(main(sys.argv[1], sys.argv[2]))
