#!/usr/bin/env python3
"""Generates the seeds of fuzz targets: python3 make-seeds.py

Follows the descriptions of the formats instead of using the product, which must accept the result. The pictures are blank.
"""
import base64, hashlib, json, pathlib, struct

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


# --- Gallery: queries and answers of servers (docs/spec/gallery-search.md) ----------------------------------------------------

def short(text):
    return bytes([len(text)]) + text.encode()


def query(parts, limit, threshold, pack, app, exceptions, vector, statistics=(0.0, 1.0)):
    return (b"MGQ1" + struct.pack("<QBdff", parts, limit, threshold, *statistics) + short(pack) + short(app)
            + bytes([len(exceptions)]) + b"".join(map(short, exceptions))
            + struct.pack(f"<H{len(vector)}f", len(vector), *vector))


def answer(parts, damaged, candidates):
    return b"MGA1" + struct.pack("<QIB", parts, damaged, len(candidates)) + b"".join(struct.pack("<f", score) + short(face) for score, face in candidates)


asked = query(2**64 - 1, 14, 48.0, "mien-basic-1", "app_0c9JkYH2dTq4m8wXzR1aBg", ["aut_0c9JkYH2dTq4m8wXzR1aBg"], [0.6, 0.8])
save("Gallery/query", asked)
save("Gallery/query-least", query(0, 1, 0.0, "a-1", "a", [], []))
save("Gallery/query-longer", asked + b"\0")
save("Gallery/query-limit", query(1, 0, 72.0, "a-1", "a", [], [1.0]))
save("Gallery/answer", answer(3, 1, [(7.25, "aut_0c9JkYH2dTq4m8wXzR1aBg"), (-1.5, "aut_1")]))
save("Gallery/answer-empty", answer(0, 0, []))
save("Gallery/answer-infinite", answer(0, 0, [(float("inf"), "aut_1")]))


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

# --- DPoP, License: the payload of a message that the target signs -----------------------------------------------------------

save("DPoP/proof", b'{"jti": "a1", "htm": "POST", "htu": "https://login.example.org/oauth2/token?a#b", "iat": 1800000000, "ath": "AA"}')
save("DPoP/large-time", b'{"jti": "a1", "htm": "POST", "htu": "https://login.example.org/", "iat": 9.99e11}')
save("License/valid", b'{"product": "face-login", "device": "' + b"A" * 43 + b'", "iat": 1800000000, "exp": 1900000000}')
save("License/far", b'{"product": "face-login", "device": "' + b"A" * 43 + b'", "iat": 0, "exp": 1099511627775}')

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

# --- Attestations: everything names the P-256 key of RFC 6979 A.2.5, with which the targets sign ----------------------------------

X = bytes.fromhex("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6")
Y = bytes.fromhex("7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")
# RFC 8032, 7.1, test 1.
ED25519 = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
# An odd number of 2048 bits, whose factors nobody knows.
MODULUS = b"\xc0" + b"".join(hashlib.sha256(bytes([n])).digest() for n in range(8))[:254] + b"\x01"


def sha256(data):
    return hashlib.sha256(data).digest()


def head(kind, number):
    if number < 24:
        return bytes([kind << 5 | number])
    size, detail = next((size, detail) for size, detail in ((1, 24), (2, 25), (4, 26), (8, 27)) if number < 1 << 8 * size)
    return bytes([kind << 5 | detail]) + number.to_bytes(size, "big")


def cbor(value):
    """CTAP2's canonical form; maps are sorted."""
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    entries = sorted(((cbor(key), cbor(item)) for key, item in value.items()), key=lambda entry: (entry[0][0] >> 5, len(entry[0]), entry[0]))
    return head(5, len(entries)) + b"".join(key + item for key, item in entries)


def counted(data):
    return struct.pack(">H", len(data)) + data


def der(tag, *parts):
    content = b"".join(parts)
    length = bytes([len(content)]) if len(content) < 128 else b"\x82" + struct.pack(">H", len(content))
    if 128 <= len(content) < 256:
        length = bytes([0x81, len(content)])
    return (bytes([tag]) if isinstance(tag, int) else tag) + length + content


def sequence(*parts):
    return der(0x30, *parts)


def octets(data):
    return der(4, data)


def number(value, tag=2):
    return der(tag, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def oid(text):
    first, second, *rest = map(int, text.split("."))
    result = b""
    for arc in [40 * first + second] + rest:
        digits = [arc & 127]
        while arc := arc >> 7:
            digits.insert(0, arc & 127 | 128)
        result += bytes(digits)
    return der(6, result)


def explicit(tag, *parts):
    if tag < 31:
        return der(0xA0 | tag, *parts)
    digits, rest = [tag & 127], tag >> 7
    while rest:
        digits.insert(0, rest & 127 | 128)
        rest >>= 7
    return der(bytes([0xBF] + digits), *parts)


def name(*attributes):
    return sequence(*(der(0x31, sequence(oid(kind), der(0x0C, text.encode()))) for kind, text in attributes))


def extension(kind, value, critical=False):
    return sequence(oid(kind), der(1, b"\xff") if critical else b"", octets(value))


COMMON_NAME, ECDSA_SHA256 = "2.5.4.3", sequence(oid("1.2.840.10045.4.3.2"))
ROOT = name((COMMON_NAME, "Root"))
SPKI = sequence(sequence(oid("1.2.840.10045.2.1"), oid("1.2.840.10045.3.1.7")), der(3, b"\0\4", X, Y))
BASIC, KEY_USAGE = "2.5.29.19", "2.5.29.15"
NO_AUTHORITY, AUTHORITY = extension(BASIC, sequence(), True), extension(BASIC, sequence(der(1, b"\xff")), True)


def body(subject, *extensions, issuer=ROOT, until="20991231235959Z", serial=7, spki=SPKI):
    """TBSCertificate, of version 3."""
    validity = sequence(der(0x17, b"700101000000Z"), der(0x18, until.encode()))
    return sequence(explicit(0, number(2)), number(serial), ECDSA_SHA256, issuer, validity, subject, spki,
                    *([explicit(3, sequence(*extensions))] if extensions else []))


def unsigned(tbs):
    """A certificate whose signature is a placeholder."""
    return sequence(tbs, ECDSA_SHA256, der(3, b"\0", sequence(number(1), number(1))))


# --- Certificate: bodies, each after its length; or a certificate ----------------------------------------------------------------

leaf, middle = name((COMMON_NAME, "Leaf")), name((COMMON_NAME, "Middle"))
usage = extension(KEY_USAGE, der(3, b"\2\4"), True)
PACKED = name(("2.5.4.6", "NZ"), ("2.5.4.10", "Maker"), ("2.5.4.11", "Authenticator Attestation"), (COMMON_NAME, "Model"))
AAGUID = extension("1.3.6.1.4.1.45724.1.1.4", octets(b"\1" * 16))
save("Certificate/one", counted(body(leaf)))
save("Certificate/packed", counted(body(PACKED, NO_AUTHORITY, AAGUID)))
save("Certificate/two", counted(body(leaf, NO_AUTHORITY, issuer=middle)) + counted(body(middle, AUTHORITY, usage)))
save("Certificate/path-length", counted(body(leaf, issuer=middle))
     + counted(body(middle, extension(BASIC, sequence(der(1, b"\xff"), number(0)), True), usage)))
save("Certificate/three", counted(body(leaf, issuer=middle)) + counted(body(middle, AUTHORITY, issuer=middle))
     + counted(body(middle, AUTHORITY, usage)))
save("Certificate/with-root", counted(body(leaf)) + counted(body(ROOT, AUTHORITY)))
save("Certificate/expired", counted(body(leaf, until="20200101000000Z")))
save("Certificate/leap-second", counted(body(leaf, until="20991231235961Z")))
save("Certificate/critical", counted(body(leaf, extension("1.2.3", b"\5\0", True))))
save("Certificate/unsigned", unsigned(body(leaf, NO_AUTHORITY, AAGUID)))
save("Certificate/empty", counted(b""))


# --- Android: a key description, or a status list as JSON ---------------------------------------------------------------------------

NULL = der(5)
BOOT = sequence(octets(b"\1\2"), der(1, b"\xff"), number(0, 10), octets(b"\3\4"))
APPLICATION = octets(sequence(der(0x31, sequence(octets(b"org.example.app"), number(7))), der(0x31, octets(b"\t" * 32))))


def description(software, hardware, level=1, challenge=b"challenge"):
    pairs = (sorted(fields.items()) if isinstance(fields, dict) else fields for fields in (software, hardware))
    lists = (sequence(*(explicit(tag, value) for tag, value in fields)) for fields in pairs)
    return sequence(number(300), number(level, 10), number(300), number(level, 10), octets(challenge), octets(b""), *lists)


SIGNING = {1: der(0x31, number(2)), 2: number(3), 3: number(256), 5: der(0x31, number(4)), 10: number(1), 504: number(2), 702: number(0),
           704: BOOT, 705: number(140000), 706: number(202601)}
save("Android/hardware", description({701: number(1_790_000_000_000), 709: APPLICATION}, SIGNING))
save("Android/strongbox", description({709: APPLICATION}, SIGNING | {718: number(20260105), 719: number(20260105), 724: octets(b"m" * 32)}, 2))
save("Android/software", description(SIGNING | {503: NULL}, {}, 0))
save("Android/device", description({}, SIGNING | {tag: octets(b"text") for tag in (710, 711, 712, 713, 714, 715, 716, 717, 723)}))
save("Android/uses", description({400: number(1), 401: number(2), 402: number(3)},
     {1: der(0x31, number(2), number(3)), 6: der(0x31, number(1)), 200: number(65537), 303: NULL, 305: NULL, 405: number(1), 505: number(30),
      506: NULL, 507: NULL, 508: NULL, 509: NULL, 600: NULL, 999: NULL}))
save("Android/twice", description({}, [(2, number(3)), (2, number(1))]))
save("Android/list", b'{"entries": {"2c8cdddfd5e03bfc": {"status": "REVOKED", "reason": "KEY_COMPROMISE"}, "0A": {"status": "SUSPENDED"}}}')
save("Android/list-twice", b'{"entries": {"0a": {"status": "REVOKED"}, "A": {"status": "SUSPENDED"}}}')


# --- TPM: a structure of a TPM --------------------------------------------------------------------------------------------------

ATTRIBUTES = 0x00060472


def public(kind, parameters, unique, attributes=ATTRIBUTES, hash=0x000B, policy=bytes(32)):
    return struct.pack(">HHI", kind, hash, attributes) + counted(policy) + parameters + unique


def certified(area_hash, extra, hash=0x000B):
    return (b"\xffTCG\x80\x17" + counted(b"\1\2") + counted(extra) + bytes(25) + counted(struct.pack(">H", hash) + area_hash)
            + counted(b"\3\4"))


AREA = public(0x23, struct.pack(">HHHH", 0x10, 0x10, 3, 0x10), counted(X) + counted(Y))
OWN = public(0x23, struct.pack(">HHHHH", 0x10, 0x18, 0x0B, 3, 0x10), counted(X) + counted(Y), 0x00040072, policy=b"")
save("TPM/p256", AREA)
save("TPM/own", OWN)
save("TPM/rsa", public(1, struct.pack(">HHHHI", 0x10, 0x14, 0x0B, 2048, 0), counted(MODULUS)))
save("TPM/sha384", public(0x23, struct.pack(">HHHH", 0x10, 0x10, 3, 0x10), counted(X) + counted(Y), hash=0x000C))
save("TPM/short-coordinate", public(0x23, struct.pack(">HHHH", 0x10, 0x10, 3, 0x10), counted(b"\1") + counted(Y)))
save("TPM/certification", certified(sha256(AREA), b"e" * 32))
save("TPM/signature", struct.pack(">HH", 0x18, 0x0B) + counted(b"r" * 32) + counted(b"s" * 31))
save("TPM/sealed", public(8, struct.pack(">H", 0x10), counted(b"u" * 32), 0x52, policy=b""))
save("TPM/sealed-with-policy", public(8, struct.pack(">H", 0x10), counted(b"u" * 32), 0x12, policy=b"p" * 32))
save("TPM/blob", b"MTPM\1\0\0\0" + counted(OWN) + counted(b"private"))
save("TPM/blob-with-registers", b"MTPM\1\x81\0\x80" + counted(OWN) + counted(b"private"))

# --- COSE: a key ----------------------------------------------------------------------------------------------------------------

P256_KEY, ED25519_KEY = {1: 2, 3: -7, -1: 1, -2: X, -3: Y}, {1: 1, 3: -8, -1: 6, -2: ED25519}
RSA_KEY = {1: 3, 3: -257, -1: MODULUS, -2: b"\1\0\1"}
save("COSE/p256", cbor(P256_KEY))
save("COSE/p256-specified", cbor(P256_KEY | {3: -9}))
save("COSE/ed25519", cbor(ED25519_KEY))
save("COSE/ed25519-specified", cbor(ED25519_KEY | {3: -19}))
save("COSE/rsa", cbor(RSA_KEY))
save("COSE/use", cbor(P256_KEY | {4: [2]}))
save("COSE/unsorted", b"\xa4" + b"".join(cbor(part) for entry in reversed(ED25519_KEY.items()) for part in entry))
save("COSE/not-on-curve", cbor(P256_KEY | {-3: X}))


# --- ClientData: a browser's client data, or its credential in JSON -----------------------------------------------------------------

CHALLENGE = base64.urlsafe_b64encode(bytes(range(32))).decode().rstrip("=")


def client(kind, **members):
    members = {"type": "webauthn." + kind, "challenge": CHALLENGE, "origin": "https://example.org"} | members
    return json.dumps(members, separators=(",", ":")).encode()


save("ClientData/create", client("create"))
save("ClientData/get", client("get", crossOrigin=False, origin="https://login.example.org:8443"))
save("ClientData/frame", client("get", crossOrigin=True, topOrigin="https://outer.example"))
save("ClientData/top-only", client("get", topOrigin="https://outer.example"))
save("ClientData/token-binding", client("create", tokenBinding={"status": "present", "id": "AA"}))
save("ClientData/escapes", client("create").replace(b"webauthn", b"web\\u0061uthn").replace(b"//", b"\\/\\/"))
save("ClientData/twice", client("create")[:-1] + b',"type":"webauthn.get"}')
response = {"clientDataJSON": CHALLENGE, "attestationObject": "oA", "authenticatorData": "AA", "signature": "MA", "userHandle": None,
            "transports": ["internal", "usb", "smoke"]}
save("ClientData/credential", json.dumps({"id": "AQID", "rawId": "AQID", "type": "public-key", "response": response}).encode())
save("ClientData/credential-user", json.dumps({"id": "AQID", "type": "public-key", "response": response | {"userHandle": "AQ"}}).encode())

# --- Attestation: an attestation object. The target signs “sig” and the certificates, and replaces 32 times A1 by the hash of the ---------
# --- authenticator data and the client data's hash, A2 by the client data's hash, A3 by the hash of “pubArea” -------------------------------

SIGNED, CLIENT, NAMED = b"\xa1" * 32, b"\xa2" * 32, b"\xa3" * 32
SUBJECT = name((COMMON_NAME, "Key"))


def data(party="example.org", flags=0x45, counter=0, aaguid=b"\1" * 16, credential=b"\xcd" * 32, key=P256_KEY, more=b""):
    return sha256(party.encode()) + struct.pack(">BI", flags, counter) + aaguid + counted(credential) + cbor(key) + more


def attestation(file, form, statement, data=data()):
    save(f"Attestation/{file}", cbor({"fmt": form, "attStmt": statement, "authData": data}))


def chain(*bodies):
    return [unsigned(one) for one in bodies]


NONCE = extension("1.2.840.113635.100.8.2", sequence(explicit(1, octets(SIGNED))))
ANDROID = extension("1.3.6.1.4.1.11129.2.1.17", description({709: APPLICATION}, SIGNING, challenge=CLIENT))
MAKER = explicit(4, name(("2.23.133.2.1", "id:4D49454E"), ("2.23.133.2.2", "Model"), ("2.23.133.2.3", "id:0001")))
TPM_BODY = body(name(), extension("2.5.29.17", sequence(MAKER), True), extension("2.5.29.37", sequence(oid("2.23.133.8.3"))), NO_AUTHORITY, AAGUID)
attestation("none", "none", {})
attestation("none-ed25519", "none", {}, data(key=ED25519_KEY))
attestation("none-rsa", "none", {}, data(key=RSA_KEY))
attestation("none-extensions", "none", {}, data(flags=0xDD, more=cbor({"credProtect": 2})))
attestation("self", "packed", {"alg": -7, "sig": b""})
attestation("packed", "packed", {"alg": -7, "sig": b"", "x5c": chain(body(PACKED, NO_AUTHORITY, AAGUID))})
attestation("packed-chain", "packed", {"alg": -7, "sig": b"", "x5c": chain(
    body(PACKED, NO_AUTHORITY, AAGUID, issuer=middle), body(middle, AUTHORITY, usage))})
attestation("apple", "apple", {"x5c": chain(body(SUBJECT, NONCE))})
attestation("android-key", "android-key", {"alg": -7, "sig": b"", "x5c": chain(body(SUBJECT, ANDROID))})
attestation("fido-u2f", "fido-u2f", {"sig": b"", "x5c": chain(body(SUBJECT))}, data(aaguid=bytes(16)))
attestation("tpm", "tpm", {"alg": -7, "sig": b"", "ver": "2.0", "pubArea": AREA, "certInfo": certified(NAMED, SIGNED), "x5c": chain(TPM_BODY)})
KEY_ID = sha256(b"\4" + X + Y)
for environment in ("appattest", "appattestdevelop"):
    attestation(environment, "apple-appattest", {"x5c": chain(body(SUBJECT, NONCE)), "receipt": b"receipt"}, data(
        "ABCDE12345.org.example.app", 0x40, aaguid=environment.encode().ljust(16, b"\0"), credential=KEY_ID))

# --- Assertion: authenticator data and client data, each after its length, and a signature, which the target replaces; or an assertion -----
# --- of App Attest ------------------------------------------------------------------------------------------------------------------


def asserted(flags=0x05, counter=8, party="example.org"):
    return sha256(party.encode()) + struct.pack(">BI", flags, counter)


for file, (flags, counter) in {"plain": (0x05, 8), "backed-up": (0x1D, 8), "copied": (0x05, 7), "touched": (0x01, 8), "uncounted": (0x05, 0)}.items():
    save(f"Assertion/{file}", counted(asserted(flags, counter)) + counted(client("get")) + b"\x30\6\2\1\1\2\1\1")
save("Assertion/extensions", counted(asserted(0x85) + cbor({"uvm": [[2, 4, 2]]})) + counted(client("get", crossOrigin=False)))
for file, flags in {"app-attest": 0x40, "app-attest-plain": 0x00}.items():
    save(f"Assertion/{file}", cbor({"signature": b"", "authenticatorData": asserted(flags, 8, "ABCDE12345.org.example.app")}))

# --- SCIM: a filter, a resource, or a change (RFC 7643, RFC 7644) ------------------------------------------------------------

for file, text in {
    "filter": 'userName eq "ada" and (emails[type eq "work" and value co "@example.org"] or not (title pr))',
    "times": 'meta.lastModified gt "2011-05-13T04:42:34.5Z"',
    "extension": 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department sw "R"',
}.items():
    save(f"SCIM/{file}", text.encode())
for file, value in {
    "user": {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "ada", "active": "True", "emails": ["a@example.org"],
             "name": {"familyName": "Lovelace"}, "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"department": "R"}},
    "group": {"displayName": "Staff", "members": [{"value": "usr_1"}, {"value": "usr_2"}]},
    "change": {"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "displayName": "x", "userName": "y", "Operations": [
        {"op": "Add", "path": 'emails[type eq "other"].value', "value": "b@example.org"}, {"op": "remove", "path": 'members[value eq "usr_1"]'},
        {"op": "replace", "value": {"active": False, "name.givenName": "A"}}]},
}.items():
    save(f"SCIM/{file}", json.dumps(value).encode())

# --- Header: an address, or a WWW-Authenticate field --------------------------------------------------------------------------------

for file, text in {
    "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "ipv6-full": "2001:0db8:0:0:0:0:0:1", "mapped": "::ffff:192.0.2.1", "zeros": "::",
    "ipv4-zeros": "192.0.02.1", "three-colons": "1:::2", "dpop": 'DPoP error="use_dpop_nonce", algs="ES256"',
    "two": 'Bearer realm="a \\"b\\"", error=x, DPoP algs="ES256 RS256"', "scheme": "Negotiate", "unfinished": 'Bearer realm="a',
}.items():
    save(f"Header/{file}", text.encode())

# --- JSON: a text -------------------------------------------------------------------------------------------------------------------

for file, text in {
    "kinds": '{"a": [null, true, false, 0, -1.5e-3, 1e308, 123456789012345678], "b": {"": "caf\u00e9", "c": []}}',
    "escapes": r'"\"\\\/\b\f\n\r\t\u0041\ud83d\ude00"', "lone-surrogate": r'"\ud83d"', "deep": "[" * 20 + "]" * 20, "number": "-0",
    "twice": '{"a": 1, "\\u0061": 2}', "trailing": "[1,]", "normalized": '{"\u00e9": 1, "e\u0301": 2}',
}.items():
    save(f"JSON/{file}", text.encode())

# --- MRZ: lines; AAMVA: a barcode's text ------------------------------------------------------------------------------------------------

for file, lines in {
    "td3": ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"],
    "td1": ["I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<"],
    "td1-long": ["I<UTOD23145890<7349<<<<<<<<<<<", "3407127M9507122UTO<<<<<<<<<<<2", "STEVENSON<<PETER<JOHN<<<<<<<<<"],
    "td2": ["I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"],
    "visa": ["V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "L8988901C4XXX4009078F9612109<<<<<<<<"],
    # A number that continues in the optional data; national numbers, of which each issuer has its own check.
    "td2-long": ["I<UTOSTEVENSON<<PETER<JOHN<<<<<<<<<<", "D23145890<UTO3407127M95071227349<<<8"],
    "national-est": ["P<ESTMAASIKAS<<MARI<<<<<<<<<<<<<<<<<<<<<<<<<<", "KS00000014EST7605038F301010737605030299<<<00"],
    "national-fin": ["P<FINVIRTANEN<<MARIA<OLIVIA<<<<<<<<<<<<<<<<<", "XP82716024FIN5210134F3010107131052<308T<<<00"],
    "national-twn": ["P<TWNLIN<<MEI<HUA<<<<<<<<<<<<<<<<<<<<<<<<<<<", "0000000000TWN7601015F3010107A123456789<<<<00"],
    "french": ["IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<", "8806923102858CORINNE<<<<<<<6512068F6"],
}.items():
    save(f"MRZ/{file}", "\n".join(lines).encode())


def barcode(version, own, *subfiles):
    bodies = [kind + "\n".join(elements) + "\r" for kind, *elements in subfiles]
    head = f"@\n\x1e\rANSI 636010{version:02}{own}{len(bodies):02}"
    offset, directory = len(head) + 10 * len(bodies), ""
    for (kind, *_), body in zip(subfiles, bodies):
        directory += f"{kind}{offset:04}{len(body):04}"
        offset += len(body)
    return (head + directory + "".join(bodies)).encode()


PERSON = ("DAQH1", "DCSTESTER", "DACJOEY", "DADNONE", "DBB05091941", "DBA03092032", "DBD05012024", "DBC1", "DAU071 IN", "DAK330400504  ")
save("AAMVA/version-10", barcode(10, "01", ("DL", *PERSON), ("ZF", "ZFAx", "ZFB")))
save("AAMVA/version-1", barcode(1, "", ("ID", "DAATESTER,JOEY,M", "DAQ1", "DBB19410509", "DBA20320309", "DAU511")))
save("AAMVA/canada", barcode(3, "00", ("DL", "DAQS9244-43879-65702", "DCSTESTER,", "DCTMARY,ANN", "DBA20300603", "DBD20200607", "DBB19960603", "DBC2",
                                      "DAU170 CM", "DAJON", "DAKN1M 3J6", "DCGCAN")).replace(b"636010", b"636012"))
save("AAMVA/broken", b"\xef\xbb\xbf@\n6MANSI 636039080101DL00310243DLDAQ1\nDAG1 MAIN\nAPT 2\nDCTANN,LEE\rZNZNA1\n")

# --- VisualZone: a word a line, after its left, top, width, and height ----------------------------------------------------------------

WORDS = [(30, 11, 70, 20, "Surname"), (30, 40, 90, 20, "ERIKSS0N"), (30, 70, 40, 20, "Date"), (75, 70, 20, 20, "of"), (100, 70, 50, 20, "birth"),
         (30, 100, 100, 20, "12.O8.1974"), (1, 130, 30, 20, "4b"), (35, 130, 30, 20, "EXP"), (70, 130, 100, 20, "04/15/2032"), (1, 160, 11, 20, "1"),
         (20, 160, 60, 20, "TESTER")]
save("VisualZone/page", b"\n".join(bytes(word[:4]) + word[4].encode() for word in WORDS))
