"""A web app in Python that signs its users in with Mien. It uses Flask and Authlib, and nothing of Mien.

    pip install flask authlib requests
    CLIENT_SECRET=app_… python3 app.py
"""
import html
import os
import secrets

from authlib.integrations.base_client import OAuthError
from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session, url_for

server = os.environ.get("MIEN_SERVER", "http://localhost:8080")
app = Flask(__name__)
app.secret_key = secrets.token_bytes(32)
mien = OAuth(app).register(
    "mien", client_id="python", client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=f"{server}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid", "code_challenge_method": "S256"})


def page(text, *links):
    lines = "".join(f'<p><a href="{address}">{label}</a></p>' for label, address in links)
    return ('<!doctype html><html lang="en"><title>An app in Python</title><link rel="icon" href="data:,">'
            f"<main><h1>An app in Python</h1><p>{html.escape(text)}</p>{lines}</main>")


@app.get("/")
def home():
    user = session.get("user")
    if not user:
        return page("Nobody is signed in.", ("Sign in", "/sign-in"), ("Add your face to your account", f"{server}/account?client_id=python"))
    how = "a face" if "face" in user["amr"] else ", ".join(user["amr"])
    return page(f"{user['sub']} is signed in with {how}.", ("Sign out", "/sign-out"))


@app.get("/sign-in")
def sign_in():
    return mien.authorize_redirect(url_for("back", _external=True))


@app.get("/back")
def back():
    try:
        # Checks state, nonce, PKCE, and the signature of the ID token.
        session["user"] = mien.authorize_access_token()["userinfo"]
    except OAuthError as error:
        return page(f"The sign-in was refused: {error.error}.", ("Try again", "/sign-in")), 403
    return redirect("/")


@app.get("/sign-out")
def sign_out():
    session.clear()
    return redirect("/")


if __name__ == "__main__":
    app.run("localhost", int(os.environ.get("PORT", "8001")))
