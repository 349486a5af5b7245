"""An app that uses Authlib to sign users in: discovery, code and PKCE, refresh, revocation, introspection.

Settings: {"server", "admin_server", "authority": a PEM file, "admin": a credential, "username", "password", "redirect", "public", "confidential"}. It creates the user
and the two apps first.
Prints {"check", "ok"} for each check, and {"checks": count} at the end.
"""

import html.parser
import ssl
import urllib.parse
import warnings

import httpx
from authlib.deprecate import AuthlibDeprecationWarning

# Authlib's next major version requires httpx2 instead of httpx.
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
    """Parses the first form of a page: its target and its prefilled fields."""

    def __init__(self, page):
        super().__init__()
        self.action, self.method, self.fields, self.ended = None, None, {}, False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if self.ended:
            return
        if tag == "form":
            self.action, self.method = attributes.get("action", ""), attributes.get("method", "get")
        elif tag == "input" and "name" in attributes:
            self.fields[attributes["name"]] = attributes.get("value") or ""

    def handle_endtag(self, tag):
        self.ended = self.ended or tag == "form"


def metadata(kind, address):
    """Returns a discovery document that Authlib accepts."""
    found = kind(web.get(address).json())
    found.validate()
    return found


def sign_in(client, **more):
    """Visits the page as a browser does. Returns the redirect target, the verifier, and the nonce."""
    verifier, nonce = generate_token(48), generate_token(16)
    address, state = client.create_authorization_url(found["authorization_endpoint"], code_verifier=verifier, nonce=nonce, **more)
    browser = httpx.Client(verify=trust, timeout=60)

    def send(address, **entered):
        page = browser.get(address, follow_redirects=True)
        form = Form(page.text)
        target = urllib.parse.urljoin(str(page.url), form.action)
        return browser.request(form.method, target, data={**form.fields, **entered})

    answer = send(address, f_username=options["username"], f_password=options["password"])
    if answer.headers["location"].startswith("/"):
        # The app belongs to somebody else, so the page asks first.
        answer = send(urllib.parse.urljoin(address, answer.headers["location"]), action="allow")
    return answer.headers["location"], verifier, nonce, state


def fetch(client, back, verifier, **more):
    return client.fetch_token(found["token_endpoint"], authorization_response=back, code_verifier=verifier, **more)


def app(name, secret=None, **more):
    return OAuth2Client(
        name, secret, redirect_uri=options["redirect"], scope="openid offline_access full-access profile email", code_challenge_method="S256",
        verify=trust, timeout=60, **more)


# Create a user, an app without a secret, and one with a secret.
administrator = httpx.Client(base_url=options["admin_server"], verify=trust, timeout=60, headers={"authorization": f"Bearer {options['admin']}"})
user = administrator.post("/v1/users", json={name: options[name] for name in ("username", "password")})
check("a user is created", user.status_code == 201, user.status_code)
apps = {
    name: administrator.post("/v1/apps", json={"id": options[name], "name": name, "type": name, "settings": {"redirect_uris": [options["redirect"]], "sign_in_page": True}})
    for name in ("public", "confidential")
}
check("and two apps", [made.status_code for made in apps.values()] == [201, 201], [made.status_code for made in apps.values()])
secret = apps["confidential"].json()["client_secret"]

# Discovery: Authlib rejects documents that violate RFC 8414 or OpenID Connect, for example with http URLs.
found = metadata(OpenIDProviderMetadata, openid_address(server, external=True))
check("ID tokens are signed with ES256 or RS256", found["id_token_signing_alg_values_supported"] == ["ES256", "RS256"])
check("the OpenID Connect discovery document is valid and describes this server", found["issuer"] == server, found["issuer"])
check("the OAuth metadata is valid and identical", metadata(AuthorizationServerMetadata, oauth_address(server, external=True)) == found)
keys = KeySet.import_key_set(web.get(found["jwks_uri"]).json())

# Authorization code with PKCE, by an app without a secret.
client = app(options["public"])
back, verifier, nonce, state = sign_in(client)
parameters = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(back).query))
check("the page sends the browser back to the app", back.startswith(options["redirect"] + "?"), back.partition("?")[0])
check("the redirect has the state and the issuer (RFC 9207)", parameters.get("state") == state and parameters.get("iss") == server)
tokens = fetch(client, back, verifier)
check("the code is exchanged for tokens", {"access_token", "refresh_token", "id_token"} <= set(tokens) and tokens["token_type"] == "Bearer", sorted(tokens))
check("a third-party app does not get the requested full-access scope", tokens["scope"].split() == ["email", "offline_access", "openid", "profile"], tokens["scope"])
decoded = jwt.decode(tokens["id_token"], keys, algorithms=found["id_token_signing_alg_values_supported"])
claims = CodeIDToken(
    decoded.claims, decoded.header, options={"iss": {"essential": True, "value": server}, "aud": {"essential": True, "value": options["public"]}},
    params={"nonce": nonce, "client_id": options["public"], "access_token": tokens["access_token"]})
claims.validate()
check("Authlib accepts the ID token: iss, aud, exp, nonce, at_hash", claims["nonce"] == nonce)
half = create_half_hash(tokens["access_token"], decoded.header["alg"])
check("the ID token has a correct at_hash", (half.decode() if isinstance(half, bytes) else half) == claims.get("at_hash"))
info = client.get(found["userinfo_endpoint"]).json()
check("userinfo returns the same user", info["sub"] == claims["sub"] and info["preferred_username"] == options["username"])
check("a code can be used once", error_of(fetch, client, back, verifier) == "invalid_grant")
check("a second use of the code revokes its tokens", web.get(found["userinfo_endpoint"], headers={"authorization": f"Bearer {tokens['access_token']}"}).status_code == 401)
back, verifier, _, _ = sign_in(client)
check("another verifier is rejected", error_of(fetch, client, back, generate_token(48)) == "invalid_grant")
check("a request without PKCE is redirected with an error", "error=invalid_request" in web.get(
    OAuth2Client(options["public"], redirect_uri=options["redirect"], scope="openid").create_authorization_url(found["authorization_endpoint"])[0]
).headers["location"])

# Refresh.
back, verifier, _, _ = sign_in(client)
old = fetch(client, back, verifier)
new = client.refresh_token(found["token_endpoint"], old["refresh_token"])
check("a refresh returns new tokens", new["refresh_token"] != old["refresh_token"] and new["access_token"] != old["access_token"])
check("requesting full-access again does not extend the scope", new["scope"] == old["scope"], new["scope"])
new = client.refresh_token(found["token_endpoint"], new["refresh_token"])
check("a rotated refresh token is rejected", error_of(client.refresh_token, found["token_endpoint"], old["refresh_token"]) == "invalid_grant")
check("reuse of a rotated refresh token revokes its family", error_of(client.refresh_token, found["token_endpoint"], new["refresh_token"]) == "invalid_grant")

# Revocation, by the public app.
back, verifier, _, _ = sign_in(client)
tokens = fetch(client, back, verifier)
answer = client.revoke_token(found["revocation_endpoint"], tokens["refresh_token"], token_type_hint="refresh_token")
check("a refresh token is revoked", answer.status_code == 200, answer.status_code)
check("a revoked refresh token returns no tokens", error_of(client.refresh_token, found["token_endpoint"], tokens["refresh_token"]) == "invalid_grant")

# Introspection, by an app with a secret, with both authentication methods.
for method in ["client_secret_basic", "client_secret_post"]:
    backend = app(options["confidential"], secret, token_endpoint_auth_method=method, revocation_endpoint_auth_method=method)
    back, verifier, _, _ = sign_in(backend)
    tokens = fetch(backend, back, verifier)

    def look(value):
        return backend.introspect_token(found["introspection_endpoint"], token=value).json()

    seen = look(tokens["access_token"])
    check(f"{method}: an access token is introspected", seen["active"] and seen["client_id"] == options["confidential"] and seen["sub"] == claims["sub"], sorted(seen))
    check(f"{method}: a refresh token is introspected", look(tokens["refresh_token"])["active"])
    backend.revoke_token(found["revocation_endpoint"], tokens["access_token"], token_type_hint="access_token")
    check(f"{method}: a revoked token is only reported as inactive", look(tokens["access_token"]) == {"active": False})
    check(f"{method}: the sign-in continues", look(tokens["refresh_token"])["active"])
    wrong = app(options["confidential"], secret[:-4] + "AAAA", token_endpoint_auth_method=method)
    check(f"{method}: another secret is rejected", error_of(wrong.refresh_token, found["token_endpoint"], tokens["refresh_token"]) == "invalid_client")

# DPoP: Authlib creates no proofs and does not support DPoP tokens. With the test's own proof it gets a token and reports that it cannot use it.
back, verifier, _, _ = sign_in(client)
bound = fetch(client, back, verifier, headers={"dpop": Key().proof("POST", found["token_endpoint"])})
check("a proof binds the tokens", bound["token_type"] == "DPoP", bound["token_type"])
try:
    client.get(found["userinfo_endpoint"])
    check("Authlib cannot send a bound token", False, "it can: test DPoP with it")
except UnsupportedTokenTypeError:
    check("Authlib cannot send a bound token", True)
tell(checks=checks)
