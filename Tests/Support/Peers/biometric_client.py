"""An app and its device, implemented from docs/api.md, docs/biometric-login.md, and docs/openapi.json, without Mien's own code.

Settings: {"server", "app", "username", "password"}. Prints {"check", "ok"} for each documented promise, and {"checks": count} at the end.
"""

import time
import uuid

import httpx

from common import settings, tell
from device_key import Key

options = settings()
server, app = options["server"], options["app"]
web = httpx.Client(base_url=server, timeout=60)
grant_type = "urn:authgear:params:oauth:grant-type:biometric-request"
checks = 0


def check(name, ok, seen=None):
    global checks
    checks += 1
    tell(check=name, ok=bool(ok), **({} if ok else {"seen": repr(seen)}))


class Device:
    def __init__(self):
        self.key, self.kid, self.device_id = Key(), str(uuid.uuid4()), str(uuid.uuid4())

    def request(self, action, challenge=None):
        challenge = challenge or new_challenge()
        header = {"typ": "vnd.authgear.biometric-request", "kid": self.kid}
        now = int(time.time())
        payload = {"action": action, "challenge": challenge, "iat": now, "exp": now + 60, "aud": issuer, "client_id": app}
        if action == "setup":
            header["jwk"] = self.key.jwk
            payload["device_info"] = {"mien": {"model": "Pixel 9", "os": "android", "device_id": self.device_id}}
        return self.key.sign(header, payload)


def new_challenge():
    return web.post("/oauth2/challenge", json={"purpose": "biometric_request"}).json()["result"]["token"]


def token(fields, headers=None):
    return web.post("/oauth2/token", data={"client_id": app, **fields}, headers=headers or {})


def biometric(jwt, headers=None, **fields):
    return token({"grant_type": grant_type, "jwt": jwt, **fields}, headers)


def refresh(value, headers=None):
    return token({"grant_type": "refresh_token", "refresh_token": value}, headers)


def user_info(access, scheme="Bearer", headers=None):
    return web.get("/oauth2/userinfo", headers={"authorization": f"{scheme} {access}", **(headers or {})})


def refused(answer, error, status=400):
    return answer.status_code == status and answer.json()["error"] == error and answer.json()["error_description"]


def journey():
    """Signs in as docs/api.md shows, and returns the journey's last response."""
    step = web.post("/v1/journeys/password-login/start", json={"client_id": app}).json()
    while step["journey_step_id"] not in ("success", "rejection"):
        data = {"username": options["username"], "password": options["password"]}
        step = web.post("/v1/journeys/respond", json={"state": step["state"], "option": "password", "data": data}).json()
    return step


def exchange(journey_token, headers=None):
    return token(
        {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
            "subject_token": journey_token,
        },
        headers,
    )


issuer = web.get("/.well-known/openid-configuration").json()["issuer"]

# Sign a user in first.
end = journey()
check("the journey succeeds", end["journey_step_id"] == "success", end["journey_step_id"])
answer = exchange(end["token"])
signed_in = answer.json()
check("its token is exchanged", answer.status_code == 200 and signed_in["token_type"] == "Bearer", answer.status_code)
check("the tokens have the documented scopes", signed_in["scope"] == "full-access offline_access openid", signed_in["scope"])
check("an exchanged token cannot be exchanged again", refused(exchange(end["token"]), "invalid_grant"))
user = user_info(signed_in["access_token"]).json()["sub"]

# Challenge.
answer = web.post("/oauth2/challenge", json={"purpose": "biometric_request"}).json()["result"]
check("a challenge is 32 characters of base32", len(answer["token"]) == 32 and set(answer["token"]) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"))
left = time.mktime(time.strptime(answer["expire_at"], "%Y-%m-%dT%H:%M:%SZ")) - time.timezone - time.time()
check("a challenge is valid for five minutes", 280 < left <= 301, left)

# Setup.
device = Device()
bearer = {"authorization": f"Bearer {signed_in['access_token']}"}
check("setup without a sign-in is rejected", refused(biometric(device.request("setup")), "invalid_grant", 401))
check("an unregistered key is rejected", refused(biometric(device.request("authenticate")), "invalid_grant"))
answer = biometric(device.request("setup"), bearer)
check("setup returns 200 and no body", answer.status_code == 200 and answer.content == b"", answer.status_code)
answer = biometric(device.request("setup"), bearer)
check("repeated setup changes nothing", answer.status_code == 200 and answer.content == b"", answer.status_code)

# Log in.
jwt = device.request("authenticate")
first = biometric(jwt)
check("the key logs in", first.status_code == 200 and first.json()["token_type"] == "Bearer", first.status_code)
first = first.json()
check("the key logs its owner in", user_info(first["access_token"]).json()["sub"] == user)
check("a request can be used once", refused(biometric(jwt), "invalid_grant"))
second = biometric(device.request("authenticate"), scope="openid offline_access full-access email").json()
check("a scope can be requested", second["scope"].split() == sorted(second["scope"].split()) and "email" in second["scope"].split(), second["scope"])
check("a scope without the two required values is rejected", refused(biometric(device.request("authenticate"), scope="openid"), "invalid_scope"))
check("the device's earlier refresh token is revoked", refused(refresh(first["refresh_token"]), "invalid_grant"))
check("the device's earlier access token is revoked", user_info(first["access_token"]).status_code == 401)

# A new key of the same device replaces the old one.
new = Device()
new.device_id = device.device_id
check("a new key is set up", biometric(new.request("setup"), bearer).status_code == 200)
check("the old key is rejected", refused(biometric(device.request("authenticate")), "invalid_grant"))
check("the old key's tokens are revoked", refused(refresh(second["refresh_token"]), "invalid_grant"))
device = new

# Rejected requests.
check("a malformed JWT is rejected", refused(biometric("a.b"), "invalid_request"))
spent = new_challenge()
thief = Device()
thief.kid = device.kid
check("a signature of another key is rejected", refused(biometric(thief.request("authenticate", spent)), "invalid_grant"))
check("a rejected signature uses up its challenge", refused(biometric(device.request("authenticate", spent)), "invalid_grant"))
unknown = web.post("/oauth2/token", data={"client_id": "nobody", "grant_type": grant_type, "jwt": device.request("authenticate")})
check("an unknown app is rejected", refused(unknown, "invalid_client", 401), unknown.status_code)
check("an unknown grant type is rejected", refused(token({"grant_type": "magic"}), "unsupported_grant_type"))

# Refresh.
login = biometric(device.request("authenticate")).json()
renewed = refresh(login["refresh_token"])
check("a refresh token returns new tokens", renewed.status_code == 200 and renewed.json()["refresh_token"] != login["refresh_token"])
repeated = refresh(login["refresh_token"])
check(
    "a repeated refresh gets the same refresh token, whose answer may have been lost",
    repeated.status_code == 200 and repeated.json()["refresh_token"] == renewed.json()["refresh_token"], repeated.status_code)
newest = refresh(renewed.json()["refresh_token"])
check("a refresh token can be used once", refused(refresh(login["refresh_token"]), "invalid_grant"))
check("reuse of a refresh token ends the sign-in", refused(refresh(newest.json()["refresh_token"]), "invalid_grant"))
check("reuse of a refresh token revokes the access tokens", refused(user_info(newest.json()["access_token"]), "invalid_token", 401))

# DPoP.
holder, endpoint, info = Key(), f"{issuer}/oauth2/token", f"{issuer}/oauth2/userinfo"
proof = holder.proof("POST", endpoint)
bound = biometric(device.request("authenticate"), {"dpop": proof})
check("a proof binds the tokens", bound.status_code == 200 and bound.json()["token_type"] == "DPoP", bound.status_code)
bound = bound.json()
access = bound["access_token"]
check("a proof can be used once", refused(biometric(device.request("authenticate"), {"dpop": proof}), "invalid_dpop_proof"))
answer = user_info(access, "DPoP", {"dpop": holder.proof("GET", info, access)})
check("the token is accepted with a proof", answer.status_code == 200 and answer.json()["sub"] == user, answer.status_code)
check("a bound token is rejected as a bearer token", refused(user_info(access), "invalid_token", 401))
check("a proof of another key is rejected", refused(user_info(access, "DPoP", {"dpop": Key().proof("GET", info, access)}), "invalid_token", 401))
check("a proof without the token's hash is rejected", refused(user_info(access, "DPoP", {"dpop": holder.proof("GET", info)}), "invalid_dpop_proof", 401))
check("refreshing without a proof is rejected", refused(refresh(bound["refresh_token"]), "invalid_grant"))
answer = refresh(bound["refresh_token"], {"dpop": holder.proof("POST", endpoint)})
check("refreshing with a proof succeeds", answer.status_code == 200 and answer.json()["token_type"] == "DPoP", answer.status_code)
access = answer.json()["access_token"]
other = Device()
headers = {"authorization": f"DPoP {access}", "dpop": holder.proof("POST", endpoint)}
check("setup with a bound token and a proof without its hash is rejected", refused(biometric(other.request("setup"), headers), "invalid_dpop_proof"))
headers["dpop"] = holder.proof("POST", endpoint, access)
answer = biometric(other.request("setup"), headers)
check("setup with the token's hash succeeds", answer.status_code == 200, answer.status_code)

# Users manage their own keys.
own = f"/v1/me/biometrics/{other.kid}"
check("a key is renamed", web.patch(own, json={"name": "My phone"}, headers=bearer).status_code == 204)
listed = web.get("/v1/me/biometrics", headers=bearer)
check("a key is listed", "My phone" in [key["name"] for key in listed.json().get("items", [])], listed.status_code)
check("a key is removed", web.delete(own, headers=bearer).status_code == 204)
check("a removed key is rejected", refused(biometric(other.request("authenticate")), "invalid_grant"))
tell(checks=checks)
