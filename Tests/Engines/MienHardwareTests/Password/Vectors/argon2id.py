#!/usr/bin/env python3
"""argon2id.py [--check]: writes argon2id.json with OpenSSL's Argon2id (Python's cryptography), independent of libargon2."""
import base64, json, sys
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

def encoded(name, password, salt, memory, passes, lanes, size=32):
    raw = Argon2id(salt=salt, length=size, iterations=passes, lanes=lanes, memory_cost=memory).derive(password)
    text = lambda value: base64.b64encode(value).decode().rstrip("=")
    return {"name": name, "password": password.decode(), "salt": salt.hex(), "memory": memory, "passes": passes, "lanes": lanes,
            "encoded": f"$argon2id$v=19$m={memory},t={passes},p={lanes}${text(salt)}${text(raw)}"}

salt = bytes(range(1, 17))
vectors = {
    # Salts of 16 bytes, the size that the hasher uses.
    "hashes": [
        encoded("standard cost", b"correct horse battery staple", salt, 19456, 2, 1),
        encoded("least memory", b"password", salt, 8, 1, 1),
        encoded("two lanes", b"password", salt, 64, 3, 2),
        encoded("no password", b"", salt, 64, 1, 1),
        encoded("a NUL inside", b"pass\0word", salt, 64, 1, 1),
        encoded("beyond ASCII", "пароль-é".encode(), salt, 64, 1, 1),
        encoded("512 bytes", b"0123456789abcdef" * 32, bytes([255] * 16), 64, 1, 1),
    ],
    # From the reference library's test.c, salt "somesalt". Only verified.
    "reference": [
        encoded("test.c: t=2, m=16", b"password", b"somesalt", 65536, 2, 1),
        encoded("test.c: t=2, m=8", b"password", b"somesalt", 256, 2, 1),
        encoded("test.c: t=2, m=8, p=2", b"password", b"somesalt", 256, 2, 2),
        encoded("test.c: t=1, m=16", b"password", b"somesalt", 65536, 1, 1),
        encoded("test.c: other password", b"differentpassword", b"somesalt", 65536, 2, 1),
        encoded("test.c: other salt", b"password", b"diffsalt", 65536, 2, 1),
    ],
}
text = json.dumps(vectors, indent=2, ensure_ascii=False) + "\n"
if "--check" in sys.argv:
    sys.exit(0 if open("argon2id.json").read() == text else "argon2id.json differs")
print(text, end="")
