# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a mail on standard input as mail readers do, and prints what they would see, as JSON."""
import email
import email.policy
import json
import sys

raw = sys.stdin.buffer.read()
message = email.message_from_bytes(raw, policy=email.policy.default)
defects = [str(defect) for defect in message.defects]
parts = []
for part in message.walk():
    defects += [str(defect) for defect in part.defects]
    if not part.is_multipart():
        parts.append({"type": part.get_content_type(), "file": part.get_filename(),
                      "encoding": part["Content-Transfer-Encoding"],
                      "text": part.get_content().replace("\r\n", "\n")})
lines = raw.split(b"\r\n")
print(json.dumps({
    "headers": {name: str(value) for name, value in message.items()},
    "names": [name for name, value in message.items()],
    "to": [[a.display_name, a.addr_spec] for a in message["To"].addresses],
    "from": [[a.display_name, a.addr_spec] for a in message["From"].addresses],
    "date": message["Date"].datetime.isoformat(),
    "defects": defects,
    "parts": parts,
    "longest": max(len(line) for line in lines),
    "longest_header": max(len(line) for line in raw.split(b"\r\n\r\n")[0].split(b"\r\n")),
    "bare": any(b"\n" in line or b"\r" in line for line in lines),
    "eight_bit": any(byte >= 128 for byte in raw),
}))
