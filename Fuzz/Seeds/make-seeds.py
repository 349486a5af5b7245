#!/usr/bin/env python3
"""Makes the seeds of the fuzz targets FrameBatch and OCRA: python3 make-seeds.py

Written from the formats' descriptions, not by the product: what it links has to be taken. No picture shows anything.
"""
import hashlib, pathlib, struct

HERE = pathlib.Path(__file__).parent


def save(name, data):
    path = HERE / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)


# --- FrameBatch: number, milliseconds, link, length, picture; the nonce is the target's --------------------------------------

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


# --- OCRA: suite, question, the other's question, each on a line; what is given against the suite's word (1 counter, 2 PIN, -----
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
