"""An app that signs its users in with Authlib: discovery, code and PKCE, refresh, revocation, introspection.

Settings: {"server", "admin_server", "authority": a PEM file, "admin": a credential, "username", "password", "redirect", "public", "confidential"}. It makes the user and
the two apps first.
Prints {"check", "ok"} for each thing tried, and at the end {"checks": how many}.
"""

import html.parser
import ssl
import urllib.parse
import warnings

import httpx
from authlib.deprecate import AuthlibDeprecationWarning

# Its next major version wants httpx2 in the place of httpx.
warnings.simplefilter("ignore", AuthlibDeprecationWarning)

from authlib.common.security import generate_token
from authlib.integrations.base_client import UnsupportedTokenTypeError
from authlib.integrations.httpx_client import OAuth2Client, OAuthError
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from authlib.oauth2.rfc8414 import get_well_known_url as oauth_address
from authlib.oidc.core import CodeIDToken
from authlib.oidc.core.grants.util import create_half_hash
from authlib.oidc.discovery import OpenIDProviderMetadata
from authlib.oidc.discovery import get_well_known_url as openid_address
from joserfc import jwt
from joserfc.jwk import KeySet

from common import settings, tell
from device_key import Key

options = settings()
server = options["server"]
trust = ssl.create_default_context(cafile=options["authority"])
web = httpx.Client(verify=trust, timeout=60)
checks = 0


def check(name, ok, seen=None):
    global checks
    checks += 1
    tell(check=name, ok=bool(ok), **({} if ok else {"seen": repr(seen)}))


def error_of(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except OAuthError as error:
        return error.error
    return None


class Form(html.parser.HTMLParser):
    """The first form of a page: where it goes, and what is in it already."""

    def __init__(self, page):
        super().__init__()
        self.action, self.method, self.fields = None, None, {}
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.action, self.method = attributes.get("action", ""), attributes.get("method", "get")
        elif tag == "input" and "name" in attributes:
            self.fields[attributes["name"]] = attributes.get("value") or ""


def metadata(kind, address, but=None):
    """What a discovery document says, once Authlib finds it valid `but` for this change."""
    found = web.get(address).json()
    kind({**found, **(but or {})}).validate()
    return kind(found)


def sign_in(client, **more):
    """Goes to the page as a browser does. Returns where that sends it, and the verifier and nonce."""
    verifier, nonce = generate_token(48), generate_token(16)
    address, state = client.create_authorization_url(found["authorization_endpoint"], code_verifier=verifier, nonce=nonce, **more)
    browser = httpx.Client(verify=trust, timeout=60)
    page = browser.get(address)
    form = Form(page.text)
    fields = {**form.fields, "username": options["username"], "password": options["password"]}
    answer = browser.request(form.method, urllib.parse.urljoin(str(page.url), form.action), data=fields)
    return answer.headers["location"], verifier, nonce, state


def fetch(client, back, verifier, **more):
    return client.fetch_token(found["token_endpoint"], authorization_response=back, code_verifier=verifier, **more)


def app(name, secret=None, **more):
    return OAuth2Client(
        name, secret, redirect_uri=options["redirect"], scope="openid offline_access full-access profile email", code_challenge_method="S256",
        verify=trust, timeout=60, **more)


# A user, an app without a secret, and one with.
administrator = httpx.Client(base_url=options["admin_server"], verify=trust, timeout=60, headers={"authorization": f"Bearer {options['admin']}"})
user = administrator.post("/v1/users", json={name: options[name] for name in ("username", "password")})
check("a user is made", user.status_code == 201, user.status_code)
apps = {
    name: administrator.post("/v1/apps", json={"id": options[name], "name": name, "type": name, "settings": {"redirect_uris": [options["redirect"]], "sign_in_page": True}})
    for name in ("public", "confidential")
}
check("and two apps", [made.status_code for made in apps.values()] == [201, 201], [made.status_code for made in apps.values()])
secret = apps["confidential"].json()["client_secret"]

# Discovery: Authlib refuses what RFC 8414 and OpenID Connect do not allow, http addresses among it. One thing is otherwise on purpose: OpenID Connect
# wants RS256 for ID tokens, and this server signs with ES256 alone.
found = metadata(
    OpenIDProviderMetadata, openid_address(server, external=True), but={"id_token_signing_alg_values_supported": ["ES256", "RS256"]})
check("ID tokens are signed with ES256, as api.md says", found["id_token_signing_alg_values_supported"] == ["ES256"])
check("OpenID Connect's discovery is valid, and is about this server", found["issuer"] == server, found["issuer"])
check("so is OAuth's, and they agree", metadata(AuthorizationServerMetadata, oauth_address(server, external=True)) == found)
keys = KeySet.import_key_set(web.get(found["jwks_uri"]).json())

# Code and PKCE, by an app without a secret.
client = app(options["public"])
back, verifier, nonce, state = sign_in(client)
parameters = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(back).query))
check("the page sends the browser back to the app", back.startswith(options["redirect"] + "?"), back.partition("?")[0])
check("with the state, and the issuer (RFC 9207)", parameters.get("state") == state and parameters.get("iss") == server)
tokens = fetch(client, back, verifier)
check("the code brings tokens", {"access_token", "refresh_token", "id_token"} <= set(tokens) and tokens["token_type"] == "Bearer", sorted(tokens))
check("a third-party app gets less than it asks for: no full-access", tokens["scope"].split() == ["email", "offline_access", "openid", "profile"], tokens["scope"])
decoded = jwt.decode(tokens["id_token"], keys, algorithms=found["id_token_signing_alg_values_supported"])
claims = CodeIDToken(
    decoded.claims, decoded.header, options={"iss": {"essential": True, "value": server}, "aud": {"essential": True, "value": options["public"]}},
    params={"nonce": nonce, "client_id": options["public"], "access_token": tokens["access_token"]})
claims.validate()
check("Authlib takes the ID token: iss, aud, exp, nonce, at_hash", claims["nonce"] == nonce)
half = create_half_hash(tokens["access_token"], decoded.header["alg"])
check("whose at_hash is there, and right", (half.decode() if isinstance(half, bytes) else half) == claims.get("at_hash"))
info = client.get(found["userinfo_endpoint"]).json()
check("userinfo is about the same user", info["sub"] == claims["sub"] and info["preferred_username"] == options["username"])
check("a code is good once", error_of(fetch, client, back, verifier) == "invalid_grant")
check("and ends its tokens when it comes twice", web.get(found["userinfo_endpoint"], headers={"authorization": f"Bearer {tokens['access_token']}"}).status_code == 401)
back, verifier, _, _ = sign_in(client)
check("another verifier is refused", error_of(fetch, client, back, generate_token(48)) == "invalid_grant")
check("a request without PKCE is sent back", "error=invalid_request" in web.get(
    OAuth2Client(options["public"], redirect_uri=options["redirect"], scope="openid").create_authorization_url(found["authorization_endpoint"])[0]
).headers["location"])

# Refresh.
back, verifier, _, _ = sign_in(client)
old = fetch(client, back, verifier)
new = client.refresh_token(found["token_endpoint"], old["refresh_token"])
check("a refresh brings new tokens", new["refresh_token"] != old["refresh_token"] and new["access_token"] != old["access_token"])
check("asking for full-access again brings no more", new["scope"] == old["scope"], new["scope"])
check("a rotated refresh token is refused", error_of(client.refresh_token, found["token_endpoint"], old["refresh_token"]) == "invalid_grant")
check("and ends the family", error_of(client.refresh_token, found["token_endpoint"], new["refresh_token"]) == "invalid_grant")

# Revocation, by the public app.
back, verifier, _, _ = sign_in(client)
tokens = fetch(client, back, verifier)
answer = client.revoke_token(found["revocation_endpoint"], tokens["refresh_token"], token_type_hint="refresh_token")
check("a refresh token is taken back", answer.status_code == 200, answer.status_code)
check("and brings nothing more", error_of(client.refresh_token, found["token_endpoint"], tokens["refresh_token"]) == "invalid_grant")

# Introspection, by an app with a secret, in both ways of showing it.
for method in ["client_secret_basic", "client_secret_post"]:
    backend = app(options["confidential"], secret, token_endpoint_auth_method=method, revocation_endpoint_auth_method=method)
    back, verifier, _, _ = sign_in(backend)
    tokens = fetch(backend, back, verifier)

    def look(value):
        return backend.introspect_token(found["introspection_endpoint"], token=value).json()

    seen = look(tokens["access_token"])
    check(f"{method}: an access token is looked at", seen["active"] and seen["client_id"] == options["confidential"] and seen["sub"] == claims["sub"], sorted(seen))
    check(f"{method}: a refresh token is", look(tokens["refresh_token"])["active"])
    backend.revoke_token(found["revocation_endpoint"], tokens["access_token"], token_type_hint="access_token")
    check(f"{method}: once revoked, nothing but that is said", look(tokens["access_token"]) == {"active": False})
    check(f"{method}: the sign-in goes on", look(tokens["refresh_token"])["active"])
    wrong = app(options["confidential"], secret[:-4] + "AAAA", token_endpoint_auth_method=method)
    check(f"{method}: another secret is refused", error_of(wrong.refresh_token, found["token_endpoint"], tokens["refresh_token"]) == "invalid_client")

# DPoP: Authlib makes no proofs and takes no such tokens. With a proof of the test's own it gets one, and says that it cannot use it.
back, verifier, _, _ = sign_in(client)
bound = fetch(client, back, verifier, headers={"dpop": Key().proof("POST", found["token_endpoint"])})
check("a proof binds the tokens", bound["token_type"] == "DPoP", bound["token_type"])
try:
    client.get(found["userinfo_endpoint"])
    check("Authlib cannot send a bound token", False, "it can: test DPoP with it")
except UnsupportedTokenTypeError:
    check("Authlib cannot send a bound token", True)
tell(checks=checks)
