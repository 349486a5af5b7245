"""Seals and opens records based only on docs/spec/sealed-record.md, independently of the product's code.

    python3 sealed_record.py > sealed-record.json     creates the vectors (needs the package `cryptography`)
    python3 sealed_record.py --check                  opens them again and compares
"""
import hashlib
import hmac
import json
import pathlib
import struct
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

FILE = pathlib.Path(__file__).with_name("sealed-record.json")


def key_id(master):
    return hmac.new(master, b"mien/v1/key-id", hashlib.sha256).digest()[:8]


def wrapping_key(master, purpose):
    """HKDF-SHA256 (RFC 5869), no salt, one block."""
    extracted = hmac.new(bytes(32), master, hashlib.sha256).digest()
    return hmac.new(extracted, purpose.encode() + b"\x01", hashlib.sha256).digest()


def bound(purpose, identity, header):
    p = purpose.encode()
    return struct.pack("<H", len(p)) + p + struct.pack("<H", len(identity)) + identity + header


def seal(master, version, purpose, identity, content, chance):
    data_key, wrap_nonce, nonce = chance[:32], chance[32:44], chance[44:56]
    header = b"MISR" + struct.pack("<HHI", 1, 0, version) + key_id(master)
    wrapped = AESGCM(wrapping_key(master, purpose)).encrypt(wrap_nonce, data_key, bound(purpose, identity, header))
    header += wrap_nonce + wrapped + nonce + struct.pack("<I", len(content))
    return header + AESGCM(data_key).encrypt(nonce, content, bound(purpose, identity, header))


def open_(master, purpose, identity, record):
    wrapped = AESGCM(wrapping_key(master, purpose))
    data_key = wrapped.decrypt(record[20:32], record[32:80], bound(purpose, identity, record[:20]))
    return AESGCM(data_key).decrypt(record[80:92], record[96:], bound(purpose, identity, record[:96]))


def ramp(start, count):
    return bytes((start + i) % 256 for i in range(count))


CASES = [  # name, key version, purpose, identity, content
    ("nothing to seal", 1, "mien/v1/face-template", ramp(0xA0, 16), b""),
    ("sixteen bytes", 1, "mien/v1/face-template", ramp(0xA0, 16), ramp(0, 16)),
    ("a thousand bytes under key version 7", 7, "mien/v1/face-template", ramp(0x50, 16), ramp(3, 1000)),
    ("another purpose, no identity", 1, "mien/v1/example", b"", b"the same content"),
]


def vectors():
    out = []
    for i, (name, version, purpose, identity, content) in enumerate(CASES):
        master, chance = ramp(0x10 * i, 32), ramp(0x80 + i, 56)
        record = seal(master, version, purpose, identity, content, chance)
        assert open_(master, purpose, identity, record) == content
        out.append({
            "name": name, "masterKey": master.hex(), "keyVersion": version, "keyID": key_id(master).hex(), "purpose": purpose,
            "identity": identity.hex(), "content": content.hex(), "random": chance.hex(), "record": record.hex(),
        })
    return {"format": "sealed-record, version 1", "records": out}


def check(stored):
    assert stored == vectors(), "the file is not what this script makes"
    for v in stored["records"]:
        record = bytearray.fromhex(v["record"])
        record[-1] ^= 1
        try:
            open_(bytes.fromhex(v["masterKey"]), v["purpose"], bytes.fromhex(v["identity"]), bytes(record))
            raise AssertionError("a changed record opened: " + v["name"])
        except InvalidTag:
            pass
    print(f"{len(stored['records'])} records match")


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        check(json.loads(FILE.read_text()))
    else:
        json.dump(vectors(), sys.stdout, indent=1)
        print()
