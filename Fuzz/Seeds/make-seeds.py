#!/usr/bin/env python3
"""Generates the seeds of fuzz targets: python3 make-seeds.py

Follows the descriptions of the formats instead of using the product, which must accept the result. The pictures are blank.
"""
import hashlib, pathlib, struct

HERE = pathlib.Path(__file__).parent


def save(name, data):
    path = HERE / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)


# --- FrameBatch: number, milliseconds, link, length, picture; with the target's nonce --------------------------------------

def frame(number, milliseconds, link, picture):
    return struct.pack(">II", number, milliseconds) + link + struct.pack(">I", len(picture)) + picture


def chain(*frames):
    link, batch = hashlib.sha256(b"mien/v1/capture-chain" + bytes(range(32))).digest(), b""
    for number, (milliseconds, picture) in enumerate(frames, 1):
        link = hashlib.sha256(link + struct.pack(">QQ", number, milliseconds) + picture).digest()
        batch += frame(number, milliseconds, link, picture)
    return batch


three = chain((33, b"\xff\xd8\xff\xd9"), (66, b"\x89PNG\r\n\x1a\n"), (100, b"third"))
save("FrameBatch/one", chain((0, b"1")))
save("FrameBatch/three", three)
save("FrameBatch/sixteen", chain(*((40 * n, bytes([n] * n)) for n in range(1, 17))))
save("FrameBatch/seventeen", chain(*((40 * n, b"17") for n in range(1, 18))))
save("FrameBatch/not-later", chain((100, b"a"), (100, b"b"), (200, b"c")))
save("FrameBatch/second-missing", three[:48] + three[-49:])
save("FrameBatch/first-twice", three[:48] * 2)
save("FrameBatch/altered", three[:-1] + b"D")
save("FrameBatch/ends-of-numbers", frame(0, 0, bytes(32), b"0") + frame(2**32 - 1, 2**32 - 1, b"\xff" * 32, b"1"))
save("FrameBatch/cut-off", three[:-1])
save("FrameBatch/length-too-large", three[:40] + b"\xff" * 4 + three[44:])
save("FrameBatch/no-picture", frame(1, 0, bytes(32), b""))


# --- OCRA: suite, question, the other party's question, each on a line; inputs present or missing against the suite (1 counter, 2 PIN, -----
# --- 4 session, 8 time); counter; milliseconds; PIN on a line; session data ----------------------------------------------------

def ocra(name, suite, question, other="", against=0, counter=7, milliseconds=1_206_446_790_000, pin="1234", session=b""):
    lines = "".join(part + "\n" for part in (suite, question, other)).encode()
    save(f"OCRA/{name}", lines + struct.pack(">BQq", against, counter, milliseconds) + pin.encode() + b"\n" + session)


ocra("one-way", "OCRA-1:HOTP-SHA1-6:QN08", "00000000")
ocra("counter-pin", "OCRA-1:HOTP-SHA256-8:C-QN08-PSHA1", "12345678")
ocra("time", "OCRA-1:HOTP-SHA512-8:QN08-T1M", "11111111")
ocra("both-ways", "OCRA-1:HOTP-SHA256-8:QA08", "CLI22220", "SRV11110")
ocra("everything", "OCRA-1:HOTP-SHA512-10:C-QH64-PSHA256-S128-T48H", "0a" * 32, "fF" * 32, session=b"session")
ocra("defaults", "OCRA-1:HOTP-SHA1-4:C-Q-P-S-T", "12345678", session=b"10422474")
ocra("whole", "OCRA-1:HOTP-SHA256-0:QH8-T59S", "abc")
ocra("long-number", "OCRA-1:HOTP-SHA1-10:QN64", "9" * 64, "9" * 64)
ocra("session-full", "OCRA-1:HOTP-SHA1-6:QA04-S001", "zZ9", session=b"\x00")
ocra("session-too-long", "OCRA-1:HOTP-SHA1-6:QA04-S001", "zZ9", session=b"12")
ocra("last-counter", "OCRA-1:HOTP-SHA1-6:C-QN08", "1", counter=2**64 - 1)
ocra("last-time", "OCRA-1:HOTP-SHA1-6:QN08-T1S", "1", milliseconds=2**63 - 1)
ocra("before-1970", "OCRA-1:HOTP-SHA1-6:QN08-T1H", "1", milliseconds=-1)
ocra("nothing-asked", "OCRA-1:HOTP-SHA1-6:QN08", "1", against=15)
ocra("nothing-given", "OCRA-1:HOTP-SHA1-6:C-QN08-PSHA512-S064-T1M", "1", against=15)
ocra("wrong-question", "OCRA-1:HOTP-SHA1-6:QN08", "12a")
save("OCRA/suite-alone", b"OCRA-1:HOTP-SHA512-0:C-QA64-PSHA512-S999-T59M")
save("OCRA/no-suite", "OCRA-1:HOTP-SHA1-6:QN0８".encode())

# --- Expression: a source, a NUL, a client's data as JSON -----------------------------------------------------------------

for name, source in {
    "access": "data.user.name == 'ada' && data.tries < 3", "text": "s.split(',')[0].upperAscii() + string(n)",
    "replace": "data.text.replace('a', '').size() > 0 ? data.text : big", "in": "'key' in map || data.text in map",
    "map": "{'a': [1, 2, 3], data.text: has(data.user)}", "template": "Hello {{data.user.name}}, {{size(list) * 2}} {{big}}",
    "nested": "((((((((a))))))))" + " + a" * 40,
}.items():
    save(f"Expression/{name}", source.encode() + b"\0" + '{"user": {"name": "ada"}, "tries": 1, "text": "ae\u0301a\u0316"}'.encode())

# --- DPoP, Licence: the payload of a message that the target signs -----------------------------------------------------------

save("DPoP/proof", b'{"jti": "a1", "htm": "POST", "htu": "https://login.example.org/oauth2/token?a#b", "iat": 1800000000, "ath": "AA"}')
save("DPoP/large-time", b'{"jti": "a1", "htm": "POST", "htu": "https://login.example.org/", "iat": 9.99e11}')
save("Licence/valid", b'{"product": "face-login", "device": "' + b"A" * 43 + b'", "iat": 1800000000, "exp": 1900000000}')
save("Licence/far", b'{"product": "face-login", "device": "' + b"A" * 43 + b'", "iat": 0, "exp": 1099511627775}')

# --- HPKE: a JSON message, or a kind of change and the change -----------------------------------------------------------------

save("HPKE/answer", b'{"token_id": "aut_1", "app_id": "app", "kind": "totp", "algorithm": "SHA256", "digits": 6, "period": 30, '
     b'"signature_suite": "OCRA-1:HOTP-SHA256-8:QH64", "encapsulated_key": "BAAA", "encrypted_secret": "AAAA"}')
for kind in range(5):
    save(f"HPKE/change-{kind}", bytes([kind, 0, 1]))
save("HPKE/nothing", bytes([0]))

# --- SealedRecord: how much of the genuine record stays, eight pairs of index and mask, the remaining bytes -----------------------

save("SealedRecord/genuine", bytes([0]))
save("SealedRecord/header", b"MISR" + struct.pack(">HHI", 1, 0, 1) + bytes(8 + 12 + 32 + 16 + 12) + struct.pack(">I", 0) + bytes(16))
save("SealedRecord/long-count", bytes([0, 92, 0x7F]))
save("SealedRecord/cut", bytes([96]))

# --- Dlib: eight kinds of values, then the archive ---------------------------------------------------------------------------

def integer(value):
    magnitude = abs(value).to_bytes(max(1, (abs(value).bit_length() + 7) // 8), "little")
    return bytes([len(magnitude) | (0x80 if value < 0 else 0)]) + magnitude

save("Dlib/values", bytes([0, 1, 2, 3, 4, 5, 6, 0]) + integer(-300) + integer(7) + integer(5) + b"con_4" + b"1" + integer(3) + integer(-1)
     + integer(2) + b"".join(map(integer, (1, 1, 1, 2))) + struct.pack("<ff", 0.5, -1) + integer(1) + b"".join(map(integer, (1, 2, 3, 4))) + integer(0))
save("Dlib/large-tensor", bytes([5]) * 8 + integer(2) + b"".join(map(integer, (1 << 30, 1 << 30, 1 << 2, 1))))

# --- Settings: YAML, or an app's settings as JSON ----------------------------------------------------------------------------

save("Settings/server", b"host: 127.0.0.1\nport: 8080\ntls:\n  certificate: a.pem\n  key: b.pem\nwebhook:\n  hosts: [hooks.example.org, b]\ntoken: {rotate_days: 30}\n")
save("Settings/aliases", b"a: &a [x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\n")
save("Settings/app", b'{"redirect_uris": ["https://app.example.org/back", "com.example.app:/cb"], "token_seconds": 300, "client_scopes": ["read"]}')

# --- Text: pairs of a kind of character and a count -------------------------------------------------------------------------

save("Text/two-marks", bytes([0b0010_0000, 14]))
save("Text/letter-and-marks", bytes([10, 0, 0b0110_0000, 4]) * 8)
save("Text/hangul", bytes([0b0101_0000, 14]))
save("Text/flags", bytes([20, 14]))
save("Text/marks-of-tibet", bytes([0b0010_0101, 14]))
