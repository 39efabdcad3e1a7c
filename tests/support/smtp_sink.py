#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An SMTP server on a free port of 127.0.0.1, for tests.

It prints its port on the first line, then one JSON object for every message that it took, and ends
when its standard input does. What it refuses, and what it asks for, is said by the arguments.
"""
import argparse
import asyncio
import base64
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


class Handler:
    def __init__(self, arguments):
        self.arguments = arguments

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        if self.arguments.refuse_ehlo:
            return [self.arguments.refuse_ehlo]
        session.host_name = hostname
        return responses

    async def handle_MAIL(self, server, session, envelope, address, options):
        if self.arguments.hang_up:
            server.transport.abort()
        if self.arguments.refuse_mail:
            return self.arguments.refuse_mail
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if self.arguments.refuse_recipient and address == self.arguments.refuse_recipient:
            return "550 no such user here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if self.arguments.refuse_data:
            return self.arguments.refuse_data
        print(json.dumps({
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "content": base64.b64encode(envelope.original_content).decode("ascii"),
            "tls": server.transport.get_extra_info("ssl_object") is not None,
            "authenticated": bool(session.authenticated),
        }), flush=True)
        return "250 taken"


def authenticate(arguments):
    def check(server, session, envelope, mechanism, data):
        good = (data.login.decode(), data.password.decode()) == ("culprit", "open sesame")
        return AuthResult(success=good, handled=False)
    return check if arguments.login else None


async def serve(arguments):
    context = None
    if arguments.certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(arguments.certificate, arguments.key)
    loop = asyncio.get_running_loop()

    def protocol():
        return SMTP(Handler(arguments), loop=loop, hostname="sink.example.org",
                    tls_context=None if arguments.tls else context,
                    require_starttls=bool(context) and not arguments.tls,
                    authenticator=authenticate(arguments), auth_required=arguments.login,
                    auth_require_tls=False)

    server = await loop.create_server(protocol, "127.0.0.1", 0,
                                      ssl=context if arguments.tls else None)
    print(server.sockets[0].getsockname()[1], flush=True)
    done = asyncio.Event()
    loop.add_reader(sys.stdin, done.set)
    await done.wait()
    server.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--refuse-ehlo", help="libcurl says HELO then")
    parser.add_argument("--hang-up", action="store_true", help="at MAIL, without a word")
    parser.add_argument("--refuse-mail")
    parser.add_argument("--refuse-data")
    parser.add_argument("--refuse-recipient")
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--tls", action="store_true", help="from the first byte, not by STARTTLS")
    parser.add_argument("--login", action="store_true")
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
