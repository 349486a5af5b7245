"""What people do in a browser: sign in on the server's page, allow the product to know them, and sign out."""

import json

import browser
import pages

PASSWORD = "correct horse battery"


class Person:
    """Ada, with a browser."""

    def __init__(self):
        self.chromium = self.tab = None

    @property
    def page(self):
        if self.tab is None:
            self.chromium = browser.Chromium()
            self.tab = self.chromium.page()
        return self.tab

    def sign_in(self):
        """On the server's page, from the password to the permission, until the browser is back."""
        page = self.page
        page.wait("location.host === 'login.example.org'", 40)
        page.fill("[name=f_username]", "ada")
        page.fill("[name=f_password]", PASSWORD)
        page.keys("Enter")
        self.allow()

    def allow(self):
        page = self.page
        page.wait("location.host !== 'login.example.org' || !!__web.shown('button[value=allow]')", 40)
        if page.js("location.host === 'login.example.org'"):
            page.click("button[value=allow]")
        page.wait("location.host !== 'login.example.org'", 60)

    def has_to_sign_in(self):
        """The server asks for the password: nobody is signed in."""
        self.page.find("[name=f_password]", 40)

    def sign_out_of_the_account(self):
        """At the server, on the account page."""
        self.page.goto("https://login.example.org/account")
        self.page.press("Sign out")
        self.page.wait("!__web.named('Sign out')", 30)

    def sign_out_at_the_server(self):
        """Says yes to the question whether to sign out here as well."""
        page = self.page
        page.wait("location.host === 'login.example.org'", 30)
        page.press("Sign out")
        page.wait("location.host !== 'login.example.org' || __web.text().includes('You are signed out')", 30)

    def picture(self, name):
        """Keeps a picture of the page for a failure, and tells its address and text."""
        if self.tab is None:
            return ""
        folder = pages.REPOSITORY / ".build/connect/failures"
        folder.mkdir(parents=True, exist_ok=True)
        try:
            self.tab.screenshot(folder / f"{name}.png")
            return f"{folder / name}.png\n{self.tab.address}\n{self.tab.text()[:1500]}\n"
        except Exception as error:  # The failure itself matters more.
            return f"no picture: {error}\n"

    def close(self):
        if self.chromium:
            self.chromium.close()


# Apache


def ada_reads_the_wiki(person):
    page = person.page
    page.goto("https://wiki.example.org/")
    person.sign_in()
    page.see("Signed in as ada")
    page.goto("https://wiki.example.org/admin/")
    assert "administrators" not in page.text(), "a person without the group reads the page"


def ada_leaves_the_wiki_and_comes_back_as_an_administrator(person):
    page = person.page
    page.goto("https://wiki.example.org/")
    page.press("Sign out")
    # The site asks for a sign-in again, and nobody is signed in at the server.
    person.has_to_sign_in()
    page.goto("https://wiki.example.org/admin/")
    person.sign_in()
    page.see("For administrators")


# Django, with either package


def ada_signs_in_to_the_shop(person):
    page = person.page
    page.goto("https://shop.example.org/")
    page.press("Sign in")
    person.sign_in()
    page.see("Signed in as ada@example.org")


def ada_signs_out_of_the_shop(person):
    page = person.page
    page.press("Sign out")
    page.find("a[href*=authenticate]")
    page.press("Sign in")
    person.has_to_sign_in()


def ada_signs_out_of_the_shop_only(person):
    page = person.page
    page.press("Sign out")
    page.find("form[action*=login]")
    page.press("Sign in")
    # Still signed in at the server, and the permission was given.
    page.see("Signed in as ada@example.org")
    page.press("Sign out")
    page.find("form[action*=login]")
    person.sign_out_of_the_account()
    page.goto("https://shop.example.org/")
    page.press("Sign in")
    person.has_to_sign_in()


# Apps in Go, Java, Node, and PHP


def ada_signs_in_to_the_app(person):
    page = person.page
    page.goto("https://shop.example.org/")
    page.press("Sign in")
    person.sign_in()
    page.see("Signed in as ada")
    page.see("The API says: hello, ")


def ada_signs_out_of_the_app(person):
    page = person.page
    page.press("Sign out")
    # The sign-in has ended at the server, too, and it asked nothing.
    page.wait("location.host === 'shop.example.org' && __web.text().includes('Sign in')", 40)
    page.press("Sign in")
    person.has_to_sign_in()


def ada_opens_the_app(person):
    page = person.page
    page.goto("https://shop.example.org/")
    person.sign_in()
    page.see("Signed in as ada")
    page.see("The API says: hello, ")


def ada_leaves_the_app(person):
    person.page.press("Sign out")
    # Apache asks for a sign-in again, and nobody is signed in at the server.
    person.has_to_sign_in()


# pgAdmin


def ada_signs_in_to_pgadmin(person):
    page = person.page
    page.goto("https://pgadmin.example.org/")
    page.press("Login with Mien", 60)
    person.sign_in()
    page.see("Object Explorer", 90)
    page.see("ada")


def ada_signs_out_of_pgadmin(person):
    page = person.page
    page.goto("https://pgadmin.example.org/oauth2/logout")
    page.press("Login with Mien", 60)
    person.has_to_sign_in()


# JupyterHub


def ada_signs_in_to_the_notebooks(person):
    page = person.page
    page.goto("https://jupyter.example.org/")
    page.press("Sign in with Mien", 60)
    person.sign_in()
    page.find("a[href='/hub/admin']", 60)
    page.see("ada")


def ada_signs_out_of_the_notebooks(person):
    page = person.page
    page.press("Logout")
    person.sign_out_at_the_server()
    page.goto("https://jupyter.example.org/")
    page.press("Sign in with Mien", 60)
    person.has_to_sign_in()


# Prometheus


def ada_signs_in_to_prometheus(person):
    page = person.page
    page.goto("https://prometheus.example.org/")
    person.sign_in()
    page.see("Prometheus", 30)
    page.wait("fetch('/api/v1/status/buildinfo').then((one) => one.json()).then((one) => one.status === 'success')", 30)


def ada_signs_out_of_prometheus(person):
    page = person.page
    page.goto("https://prometheus.example.org/openid?logout=https%3A%2F%2Fprometheus.example.org%2F")
    person.has_to_sign_in()


# Synapse


def ada_signs_in_to_matrix(person):
    page = person.page
    page.goto("https://matrix.example.org/_matrix/client/v3/login/sso/redirect/oidc-mien"
              "?redirectUrl=https%3A%2F%2Fmatrix.example.org%2F_matrix%2Fstatic%2F%3Fclient")
    person.sign_in()
    page.press("Continue", 30)
    page.wait("new URLSearchParams(location.search).has('loginToken')", 30)
    person.matrix = page.js("""
        fetch('/_matrix/client/v3/login', { method: 'POST', body: JSON.stringify({
            type: 'm.login.token', token: new URLSearchParams(location.search).get('loginToken') }) }).then((one) => one.json())""")
    assert person.matrix["user_id"] == "@ada:matrix.example.org", person.matrix


def ada_signs_out_of_matrix(person):
    page, headers = person.page, json.dumps({"authorization": f"Bearer {person.matrix['access_token']}"})
    ask = f"fetch('/_matrix/client/v3/account/whoami', {{ headers: {headers} }}).then((one) => one.status)"
    assert page.js(ask) == 200
    page.js(f"fetch('/_matrix/client/v3/logout', {{ method: 'POST', headers: {headers} }}).then((one) => one.status)")
    assert page.js(ask) == 401
    person.sign_out_of_the_account()


# Superset


def ada_signs_in_to_superset(person):
    page = person.page
    page.goto("https://superset.example.org/login/")
    page.press("Sign in with Mien", 90)
    person.sign_in()
    page.wait("fetch('/api/v1/me/roles/').then((one) => one.json()).then((one) => one.result.username === 'ada' && 'Admin' in one.result.roles)", 60)


def ada_signs_out_of_superset(person):
    page = person.page
    # Its page is still loading.
    page.goto("about:blank")
    page.goto("https://superset.example.org/logout/")
    person.sign_out_at_the_server()
    page.goto("https://superset.example.org/login/")
    page.press("Sign in with Mien", 60)
    person.has_to_sign_in()


# Airflow


def ada_signs_in_to_airflow(person):
    page = person.page
    page.goto("https://airflow.example.org/")
    page.press("Sign In with mien", 90)
    person.sign_in()
    page.see("Dags", 60)


def ada_signs_out_of_airflow(person):
    page = person.page
    page.goto("https://airflow.example.org/auth/logout")
    page.press("Sign In with mien", 90)
    # Still signed in at the server.
    page.see("Dags", 60)
    person.sign_out_of_the_account()
    page.goto("https://airflow.example.org/auth/logout")
    page.press("Sign In with mien", 90)
    person.has_to_sign_in()


# Roundcube


def ada_reads_her_mail(person):
    page = person.page
    page.goto("https://mail.example.org/")
    page.click("#rcmloginoauth", 30)
    person.sign_in()
    page.find("#messagelist, #mailboxlist", 40)
    page.see("Inbox")


def ada_leaves_her_mail(person):
    page = person.page
    page.goto(page.js("document.querySelector('a.logout, a.button-logout').href"))
    page.find("#rcmloginoauth", 30)
    person.sign_out_of_the_account()
    page.goto("https://mail.example.org/")
    page.click("#rcmloginoauth", 30)
    person.has_to_sign_in()
