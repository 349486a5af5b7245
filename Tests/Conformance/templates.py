"""Values of recorded exchanges, with placeholders for what differs each time. docs/conformance/README.md describes them.

`matches` compares a value with its template and learns what the placeholders stand for; `filled` makes a value from a template.
"""

import hashlib
import json
import re
import secrets
import time
import urllib.parse

import p256

PLACEHOLDER = re.compile(r"\{\{([^{}]+)\}\}")
KINDS = ("number", "time", "now", "anything")
# Bodies that are not JSON.
TYPES = {"$form": "application/x-www-form-urlencoded", "$frames": "application/vnd.mien.frames", "$picture": "image/jpeg"}


class Mismatch(Exception):
    """A value is not as recorded. Says where, and what was recorded."""


class Names:
    """What the placeholders of one run stand for: values by name, and keys by name."""

    def __init__(self, server, values):
        self.values = {"server": server, **values}
        self.keys, self.public_keys, self.proofs = {}, {}, set()

    def key(self, name):
        """A key with which requests of a run against a real server are signed."""
        return self.keys.setdefault(name, p256.Key())

    def value(self, name):
        """The value of a name, or a new one."""
        return self.values.setdefault(name, p256.encode(secrets.token_bytes(32)))


def shown(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else text[:120] + "…"


def kind_of(template):
    """The kind and the name of a placeholder that is a whole value, such as {{number frames}}; None for other texts."""
    found = PLACEHOLDER.fullmatch(template)
    word, _, name = found[1].partition(" ") if found else (None, "", "")
    return (word, name) if word in KINDS else None


def special(template):
    """The kind and the content of {"$jwt": …} and its like; (None, None) for other templates."""
    if isinstance(template, dict) and len(template) == 1 and next(iter(template)).startswith("$"):
        return next(iter(template.items()))
    return None, None


def is_optional(template):
    return special(template)[0] == "$optional"


# MARK: Comparing

def matches(template, value, names, where="body"):
    """Raises Mismatch if the value is not as the template says."""
    kind, content = special(template)
    if kind == "$jwt":
        return matches_jwt(content, value, names, where)
    if kind == "$some":
        return matches_members(content, value, names, where, others=True)
    if kind == "$any":
        if value not in content:
            raise Mismatch(f"{where} is {shown(value)}, and one of {shown(content)} was recorded")
        return
    if kind:
        raise Mismatch(f"{where} has an unknown template {kind}")
    if isinstance(template, dict):
        return matches_members(template, value, names, where)
    if isinstance(template, list):
        if not isinstance(value, list) or len(value) != len(template):
            raise Mismatch(f"{where} is {shown(value)}, and {shown(template)} was recorded")
        for index, (one, other) in enumerate(zip(template, value)):
            matches(one, other, names, f"{where}[{index}]")
        return
    if isinstance(template, str):
        return matches_text(template, value, names, where)
    if template != value or isinstance(template, bool) != isinstance(value, bool):
        raise Mismatch(f"{where} is {shown(value)}, and {shown(template)} was recorded")


def matches_members(template, value, names, where, others=False):
    if not isinstance(value, dict):
        raise Mismatch(f"{where} is {shown(value)}, and an object was recorded")
    for name, member in template.items():
        if name in value:
            matches(member["$optional"] if is_optional(member) else member, value[name], names, f"{where}.{name}")
        elif not is_optional(member):
            raise Mismatch(f"{where} lacks {name}")
    more = sorted(set(value) - set(template))
    if more and not others:
        raise Mismatch(f"{where} has {', '.join(more)}, which was not recorded")


def matches_text(template, value, names, where):
    if kind := kind_of(template):
        word, name = kind
        if word != "anything" and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise Mismatch(f"{where} is {shown(value)}, and a number was recorded")
        if word == "now" and abs(value - time.time()) > 300:
            raise Mismatch(f"{where} is {value}, which is not about the present time")
        names.values[name] = value
        return
    if not isinstance(value, str):
        raise Mismatch(f"{where} is {shown(value)}, and {shown(template)} was recorded")
    parts, groups = PLACEHOLDER.split(template), []
    pattern = re.escape(parts[0])
    for name, literal in zip(parts[1::2], parts[2::2]):
        known = names.values.get(name)
        pattern += (re.escape(str(known)) if known is not None else "(.+)") + re.escape(literal)
        groups += [name] if known is None else []
    found = re.fullmatch(pattern, value, re.DOTALL)
    if not found:
        raise Mismatch(f"{where} is {shown(value)}, and {shown(template)} was recorded")
    names.values.update(zip(groups, found.groups()))


def parts_of(token, where):
    """The header, the claims, the signed text, and the signature of a token in compact form (RFC 7515)."""
    pieces = token.split(".") if isinstance(token, str) else []
    try:
        header, claims = (json.loads(p256.decode(piece)) for piece in pieces[:2])
        return header, claims, ".".join(pieces[:2]).encode(), p256.decode(pieces[2])
    except (ValueError, IndexError):
        raise Mismatch(f"{where} is not a signed token") from None


def matches_jwt(template, value, names, where):
    header, claims, signed, signature = parts_of(value, where)
    if "header" in template:
        matches(template["header"], header, names, f"{where}, header")
    matches(template["claims"], claims, names, f"{where}, claims")
    if "key" in template:
        verify(template["key"], header.get("jwk"), signed, signature, names, where)


def verify(name, jwk, signed, signature, names, where):
    """Whether a key of this name, which the token brings or an earlier one has brought, signed it."""
    known = names.public_keys.setdefault(name, jwk)
    if jwk is not None and jwk != known:
        raise Mismatch(f"{where} is signed by another key than before")
    if known is None or not p256.verifies(known, signed, signature):
        raise Mismatch(f"{where} has a wrong signature")


def matches_proof(template, value, method, path, names, where="header dpop"):
    """A DPoP proof (RFC 9449) of the request."""
    header, claims, signed, signature = parts_of(value, where)
    matches({"typ": "dpop+jwt", "alg": "ES256", "jwk": {"kty": "EC", "crv": "P-256", "x": "{{anything x}}", "y": "{{anything y}}"}},
            header, names, f"{where}, header")
    wanted = {"jti": "{{anything jti}}", "htm": method, "htu": names.values["server"] + path, "iat": "{{now iat}}"}
    if "token" in template:
        token = filled(template["token"], names)
        wanted["ath"] = p256.encode(hashlib.sha256(token.encode()).digest())
    if "nonce" in template:
        wanted["nonce"] = template["nonce"]
    matches(wanted, claims, names, f"{where}, claims")
    if claims["jti"] in names.proofs:
        raise Mismatch(f"{where} repeats an earlier proof")
    names.proofs.add(claims["jti"])
    verify("proof", header["jwk"], signed, signature, names, where)


# MARK: Making

def filled(template, names):
    kind, content = special(template)
    if kind == "$jwt":
        header = filled(content.get("header", {"alg": "ES256"}), names)
        key = names.key(content.get("key", "server"))
        if header.get("jwk") is not None:
            header["jwk"] = key.jwk
        return key.jwt(header, filled(content["claims"], names))
    if kind:
        return content[0] if kind == "$any" else filled(content, names)
    if isinstance(template, dict):
        return {name: filled(member, names) for name, member in template.items() if not is_optional(member)}
    if isinstance(template, list):
        return [filled(element, names) for element in template]
    if not isinstance(template, str):
        return template
    if kind := kind_of(template):
        word, name = kind
        made = {"number": 1, "time": int(time.time() * 1000) + 600_000, "now": int(time.time()), "anything": "anything"}[word]
        return made if word == "now" else names.values.setdefault(name, made)
    return PLACEHOLDER.sub(lambda found: str(names.value(found[1])), template)


def made_proof(template, method, path, names):
    key = names.key("proof")
    claims = {"jti": secrets.token_hex(16), "htm": method, "htu": names.values["server"] + path, "iat": int(time.time())}
    if "token" in template:
        claims["ath"] = p256.encode(hashlib.sha256(filled(template["token"], names).encode()).digest())
    if "nonce" in template:
        claims["nonce"] = filled(template["nonce"], names)
    return key.jwt({"typ": "dpop+jwt", "alg": "ES256", "jwk": key.jwk}, claims)


def made_request(recorded, names, picture, frames):
    """Method, path, headers, and body of a request. `picture` makes the JPEG of a name, and `frames` the next ones of a nonce."""
    path, method, headers = filled(recorded["path"], names), recorded["method"], {}
    for name, value in recorded.get("headers", {}).items():
        headers[name] = made_proof(value["$proof"], method, path, names) if name == "dpop" else filled(value, names)
    if not recorded.get("body"):
        return [method, path, headers, b""]
    kind, content = special(recorded["body"])
    headers["content-type"] = TYPES.get(kind, "application/json")
    if kind == "$form":
        body = urllib.parse.urlencode(filled(content, names)).encode()
    elif kind:
        body = picture(content) if kind == "$picture" else frames(names.values[content])
    else:
        body = json.dumps(filled(recorded["body"], names)).encode()
    return [method, path, headers, body]


# MARK: Frames of a live capture (docs/api.md)

def next_link(link, number, milliseconds, picture):
    return hashlib.sha256(link + number.to_bytes(8, "big") + milliseconds.to_bytes(8, "big") + picture).digest()


class Chain:
    """The frames of a live capture, each linked to those before it."""

    def __init__(self, nonce):
        self.link = hashlib.sha256(b"mien/v1/capture-chain" + p256.decode(nonce)).digest()
        self.number, self.milliseconds = 1, -1

    def append(self, milliseconds, picture):
        """A frame of a request."""
        self.link = next_link(self.link, self.number, milliseconds, picture)
        made = self.number.to_bytes(4, "big") + milliseconds.to_bytes(4, "big") + self.link + len(picture).to_bytes(4, "big") + picture
        self.number, self.milliseconds = self.number + 1, milliseconds
        return made

    def take(self, body):
        """Checks the frames of a request, and goes on after them."""
        count = 0
        while body:
            number, milliseconds, link, size = (int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big"), body[8:40],
                                                int.from_bytes(body[40:44], "big"))
            picture, body, count = body[44:44 + size], body[44 + size:], count + 1
            if len(picture) != size or number != self.number or milliseconds <= self.milliseconds:
                raise Mismatch(f"frame {number} at {milliseconds} ms: frame {self.number} was expected, later than {self.milliseconds} ms")
            if picture[:2] != b"\xff\xd8":
                raise Mismatch(f"frame {number} is not a JPEG")
            self.append(milliseconds, picture)
            if link != self.link:
                raise Mismatch(f"frame {number} is not linked to the frames before it")
        if not 1 <= count <= 16:
            raise Mismatch(f"a request has {count} frames")
