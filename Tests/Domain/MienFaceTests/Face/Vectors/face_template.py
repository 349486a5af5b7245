"""Writes and reads face templates, based only on docs/spec/face-template.md and not on the product's code.

    python3 face_template.py > face-template.json     writes the vectors (standard library only)
    python3 face_template.py --check                  reads the vectors and compares them
"""
import json
import math
import pathlib
import struct
import sys

FILE = pathlib.Path(__file__).with_name("face-template.json")
SLOTS = 8


class Refused(Exception):
    def __init__(self, code, offset):
        super().__init__(f"{code}: at byte {offset}")
        self.code, self.offset = code, offset


def descriptor(dimensions, seed):
    """Returns a synthetic unit vector. Uses integers and one square root, so all machines get the same bits."""
    raw = [8 * ((i * 37 + 11) % 257 - 128) + (i * 53 + seed * 101) % 127 - 63 for i in range(dimensions)]
    norm = math.sqrt(sum(v * v for v in raw))
    return [v / norm for v in raw]


def write(template):
    d, pack = template["dimensions"], template["pack"].encode()
    out = b"MIFT" + struct.pack("<HHBB6xq64s", 1, d, len(template["entries"]), len(pack), template["created_at"], pack)
    for entry in template["entries"]:
        out += struct.pack("<B3x3f", entry["quality"], entry["yaw"], entry["pitch"], entry["roll"])
        out += struct.pack(f"<{d}f", *descriptor(d, entry["seed"]))
    return out + bytes((SLOTS - len(template["entries"])) * (16 + 4 * d))


def read(data):
    def need(end):
        if len(data) < end:
            raise Refused("template.truncated", len(data))

    def zeros(start, end):
        need(end)
        for i in range(start, end):
            if data[i]:
                raise Refused("template.reserved", i)

    need(4)
    if data[:4] != b"MIFT":
        raise Refused("template.magic", 0)
    need(6)
    if data[4:6] != b"\x01\x00":
        raise Refused("template.version", 4)
    need(8)
    (d,) = struct.unpack_from("<H", data, 6)
    if not 1 <= d <= 1024:
        raise Refused("template.dimensions", 6)
    need(9)
    count = data[8]
    if not 1 <= count <= 8:
        raise Refused("template.count", 8)
    need(10)
    zeros(10, 16)
    need(24)
    (created_at,) = struct.unpack_from("<q", data, 16)
    if created_at < 0:
        raise Refused("template.created-at", 16)
    length = data[9]
    if not 1 <= length <= 64:
        raise Refused("template.pack-id", 9)
    need(24 + length)
    zeros(24 + length, 88)
    pack = data[24 : 24 + length]
    if any(c not in b"abcdefghijklmnopqrstuvwxyz0123456789.-" for c in pack) or pack[0] in b".-":
        raise Refused("template.pack-id", 24)
    size = 88 + SLOTS * (16 + 4 * d)
    need(size)
    if len(data) > size:
        raise Refused("template.trailing-bytes", size)
    entries, sums = [], [0.0] * d
    for slot in range(count):
        at = 88 + slot * (16 + 4 * d)
        if data[at] > 100:
            raise Refused("template.quality", at)
        zeros(at + 1, at + 4)
        pose = struct.unpack_from("<3f", data, at + 4)
        if not all(-180 <= a <= 180 for a in pose):
            raise Refused("template.pose", at + 4)
        values = struct.unpack_from(f"<{d}f", data, at + 16)
        for i, v in enumerate(values):
            if not math.isfinite(v):
                raise Refused("template.not-finite", at + 16 + 4 * i)
        if abs(math.sqrt(sum(v * v for v in values)) - 1) > 1e-6:
            raise Refused("template.norm", at + 16)
        sums = [s + v for s, v in zip(sums, values)]
        entries.append({"quality": data[at], "yaw": pose[0], "pitch": pose[1], "roll": pose[2], "values": values})
    zeros(88 + count * (16 + 4 * d), size)
    length = math.sqrt(sum(s * s for s in sums))
    if length < 1e-3 * count:
        raise Refused("template.no-mean-direction", 88)
    mean = [s / length for s in sums]
    return {"dimensions": d, "pack": pack.decode(), "created_at": created_at, "entries": entries, "mean": mean}


def entry(quality, yaw, pitch, roll, seed):
    return {"quality": quality, "yaw": yaw, "pitch": pitch, "roll": roll, "seed": seed}


ACCEPTED = [
    ("one number, one entry, at the epoch", 1, "a", 0, [entry(0, 0, 0, 0, 0)]),
    ("two entries of four numbers", 4, "example.4", 1_700_000_000_000, [entry(80, 0, 0, 0, 1), entry(65, -12.5, 4.25, 1.5, 2)]),
    ("a name of 64 characters, the latest time", 3, "p" * 64, 2**63 - 1, [entry(100, -180, 180, -0.0, 7)]),
    ("eight entries of 128 numbers", 128, "default-1", 1_700_000_000_123, [entry(10 * i, 5 * i, -3 * i, i, i) for i in range(8)]),
]

SECOND = 88 + 32  # the second slot of the four-number template
THIRD = SECOND + 32
REFUSED = [  # name, change to "two entries of four numbers", code, offset
    ("another magic", {"at": 3, "put": "53"}, "template.magic", 0),
    ("version 0", {"at": 4, "put": "0000"}, "template.version", 4),
    ("version 2", {"at": 4, "put": "0200"}, "template.version", 4),
    ("no dimensions", {"at": 6, "put": "0000"}, "template.dimensions", 6),
    ("1025 dimensions", {"at": 6, "put": "0104"}, "template.dimensions", 6),
    ("fewer dimensions than there are bytes for", {"at": 6, "put": "0300"}, "template.trailing-bytes", 88 + 8 * 28),
    ("more dimensions than there are bytes for", {"at": 6, "put": "0500"}, "template.truncated", 344),
    ("no entries", {"at": 8, "put": "00"}, "template.count", 8),
    ("nine entries", {"at": 8, "put": "09"}, "template.count", 8),
    ("a reserved header byte", {"at": 15, "put": "01"}, "template.reserved", 15),
    ("a time before 1970", {"at": 16, "put": "ffffffffffffffff"}, "template.created-at", 16),
    ("an empty pack name", {"at": 9, "put": "00"}, "template.pack-id", 9),
    ("a pack name of 65 characters", {"at": 9, "put": "41"}, "template.pack-id", 9),
    ("a pack name longer than it says", {"at": 9, "put": "08"}, "template.reserved", 32),
    ("a zero within the pack name", {"at": 9, "put": "0a"}, "template.pack-id", 24),
    ("a capital in the pack name", {"at": 24, "put": "45"}, "template.pack-id", 24),
    ("a pack name that starts with a dot", {"at": 24, "put": "2e"}, "template.pack-id", 24),
    ("quality 101", {"at": SECOND, "put": "65"}, "template.quality", SECOND),
    ("a reserved byte of an entry", {"at": SECOND + 2, "put": "80"}, "template.reserved", SECOND + 2),
    ("a yaw that is no number", {"at": SECOND + 4, "put": "0000c07f"}, "template.pose", SECOND + 4),
    ("a roll of 181 degrees", {"at": SECOND + 12, "put": "00003543"}, "template.pose", SECOND + 4),
    ("a value that is no number", {"at": SECOND + 20, "put": "0000c07f"}, "template.not-finite", SECOND + 20),
    ("an infinite value", {"at": SECOND + 28, "put": "000080ff"}, "template.not-finite", SECOND + 28),
    ("a vector of another length", {"at": SECOND + 16, "put": "0000803f"}, "template.norm", SECOND + 16),
    ("a vector of zeros", {"at": SECOND + 16, "put": "00" * 16}, "template.norm", SECOND + 16),
    ("an entry that is not counted", {"at": 8, "put": "01"}, "template.reserved", SECOND),
    ("an entry that is counted and not there", {"at": 8, "put": "03"}, "template.norm", THIRD + 16),
    ("the last unused byte", {"at": 343, "put": "01"}, "template.reserved", 343),
    ("one byte short", {"cut": 343}, "template.truncated", 343),
    ("nothing at all", {"cut": 0}, "template.truncated", 0),
    ("one byte more", {"at": 344, "put": "00"}, "template.trailing-bytes", 344),
]


def change(data, how):
    if "cut" in how:
        return data[: how["cut"]]
    new = bytes.fromhex(how["put"])
    return data[: how["at"]] + new + data[how["at"] + len(new) :]


def refused(data):
    try:
        read(data)
    except Refused as error:
        return error.code, error.offset
    return None


def opposite():
    """Returns two entries that cancel out, with one number each: 1 and -1."""
    slot = lambda v: struct.pack("<B15xf", 50, v)
    return b"MIFT" + struct.pack("<HHBB6xq64s", 1, 1, 2, 1, 0, b"a") + slot(1.0) + slot(-1.0) + bytes(6 * 20)


def vectors():
    accepted = []
    for name, d, pack, created_at, entries in ACCEPTED:
        template = {"dimensions": d, "pack": pack, "created_at": created_at, "entries": entries}
        data = write(template)
        mean = struct.pack(f"<{d}f", *read(data)["mean"]).hex()
        accepted.append({"name": name, **template, "mean": mean, "bytes": data.hex()})
    base = bytes.fromhex(accepted[1]["bytes"])
    bad = [{"name": n, "bytes": change(base, how).hex(), "code": code, "offset": at} for n, how, code, at in REFUSED]
    bad.append({"name": "entries that cancel out", "bytes": opposite().hex(), "code": "template.no-mean-direction", "offset": 88})
    return {"format": "face-template, version 1", "accepted": accepted, "refused": bad}


def check(stored):
    assert stored == vectors(), "the file differs from this script's output"
    for vector in stored["accepted"]:
        assert write(vector).hex() == vector["bytes"], vector["name"]
        assert len(vector["bytes"]) // 2 == 88 + 8 * (16 + 4 * vector["dimensions"]), vector["name"]
    for vector in stored["refused"]:
        got = refused(bytes.fromhex(vector["bytes"]))
        assert got == (vector["code"], vector["offset"]), (vector["name"], got)
    print(f"{len(stored['accepted'])} accepted, {len(stored['refused'])} refused: all as written")


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        check(json.loads(FILE.read_text()))
    else:
        json.dump(vectors(), sys.stdout, indent=1)
        print()
