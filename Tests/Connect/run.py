"""Connects products to a server as the pages of docs/connect say: their blocks run, and people sign in and out in a browser.

Each page runs in processes, mounts, and a network of its own, on a copy of this machine. See scripts/test-connect.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Web")]

import machine  # noqa: E402
import pages  # noqa: E402
import people  # noqa: E402

ENVIRONMENTS = pages.REPOSITORY / ".build/connect/python"


class Count:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def pass_(self, name, seconds):
        self.passed += 1
        print(f"✔ {name} ({seconds:.0f} s)", flush=True)

    def fail(self, name, said):
        self.failed += 1
        print(f"✘ {name}\n{said}", flush=True)

    def skip(self, name, why):
        self.skipped += 1
        print(f"– {name}: {why}", flush=True)


def environments(name):
    """The page's places of Python environments, and where they are."""
    word = pages.given(name).get("python")
    return {f"/opt/{word}": ENVIRONMENTS / word} if word else {}


def perform(name, folder):
    """Follows a page. Raises AssertionError, with its line, at the first thing that is not as it says."""
    import server  # It reads the environment.
    words = pages.given(name)
    copy = machine.Machine(folder, os.environ["MIEN_CONNECT_LAYER"], environments(name))
    ports = {host: port for host, _, port in (one.partition(":") for one in words.get("proxy", "").split(",") if one)}
    copy.name(["login.example.org", *ports, *filter(None, words.get("hosts", "").split(","))])
    mien = server.Server(samples=False, PORT="8080", ADMIN_LISTEN="127.0.0.1:8081", HOST="127.0.0.1", PUBLIC_URL="https://login.example.org",
                         TRUST_PROXY="true")
    person = None
    try:
        copy.write("/usr/local/bin/mien", f"#!/bin/sh\nexec {pages.REPOSITORY}/scripts/run {mien.command[0]} \"$@\"\n")
        (copy.root / "usr/local/bin/mien").chmod(0o755)
        copy.variables |= {"MIEN_ADMIN_CREDENTIAL": mien.credential, "MIEN_HOME": os.environ.get("MIEN_HOME", "/root/.local/share/mien")}
        copy.front({"login.example.org": "8080", **ports})
        person = people.Person()
        secret = None
        # What every page begins with, too.
        steps = [(one, *part) for one in ["README", *filter(None, [words.get("before")]), name] for part in pages.parts(one)]
        for page, line, mark, word, text in steps:
            if secret:
                text = text.replace("THE_SECRET", secret)
            try:
                if mark == "run":
                    printed = copy.run(text)
                    found = re.search(r"^secret +(\S+)$", printed, re.M)
                    secret = found[1] if found else secret
                elif mark == "serve":
                    copy.serve(text, word or None)
                elif mark == "python":
                    installed(word, text)
                elif mark in ("file", "append"):
                    copy.write(word, text, append=mark == "append")
                elif mark == "person":
                    getattr(people, word.replace(" ", "_"))(person)
            except Exception as error:
                said = error if isinstance(error, AssertionError) else traceback.format_exc()
                raise AssertionError(f"docs/connect/{page}.md:{line}: {said}\n{person.picture(name)}{copy.logs()}\n{refusals(mien)}{looked(copy)}") from None
    finally:
        if person:
            person.close()
        mien.stop()


def looked(copy):
    """What commands of MIEN_CONNECT_AFTER print in the copy."""
    script = os.environ.get("MIEN_CONNECT_AFTER")
    return "\n" + copy.run(f"({script}) 2>&1 || true") if script else ""


def refusals(mien):
    """What the server logged about requests that it refused."""
    lines = [line for line in mien.log.split("\n") if "route=" in line and "status=2" not in line]
    return "the server:\n" + "\n".join(line[:400] for line in lines[-12:])


def installed(environment, text):
    """Checks that the page's commands install what the environment has, under its name."""
    assert f"/opt/{environment}/bin/pip install" in text, f"the block does not install into /opt/{environment}"
    listed = (pages.REPOSITORY / f"scripts/connect/{environment}.txt").read_text()
    for word in text.split("pip install", 1)[1].split():
        package = re.match(r"[\w.-]+", word.strip("'\""))[0].lower()
        assert re.search(rf"^{re.escape(package)}==", listed, re.M), f"scripts/connect/{environment}.txt has no {package}"


def attempt(name):
    """The result of a page: empty, or what went wrong."""
    folder = tempfile.mkdtemp(prefix="mien-connect-")
    done = subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--net", sys.executable, __file__, "--page", name,
         folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    # The mounts in it ended with their namespace.
    os.rmdir(folder)
    return done.stdout or f"status {done.returncode}" if done.returncode else ""


def checked(names, count):
    """Checks the pages as texts. Returns those that run."""
    for name in names:
        try:
            list(pages.parts(name))
        except pages.Unmarked as error:
            count.fail(name, str(error))
        if pages.given(name) is None and "Nobody ran this" not in pages.text(name):
            count.fail(name, f"docs/connect/{name}.md has no comment “given”, and does not say that nobody ran it")
    for product in json.loads((pages.REPOSITORY / "Web/Portal/products.json").read_text()):
        # The portal's help refers to a page for each, whose command has the address that the portal shows.
        command = f"--for {product['id']}" + (f" --url {product['url']}" if product["url"] else "")
        if product["id"] not in pages.names() or command not in pages.text(product["id"]):
            count.fail(product["id"], f"docs/connect/{product['id']}.md does not have the command {command}")
    return [name for name in names if pages.given(name) is not None]


def follow(names, count):
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("MIEN_CONNECT_WORKERS", "2"))) as pool:
        list(pool.map(lambda name: follow_one(name, count), names))


def follow_one(name, count):
    missing = [str(path) for path in environments(name).values() if not (path / "requirements").exists()]
    if missing:
        return count.skip(name, f"{missing[0]} could not be installed")
    start = time.monotonic()
    said = attempt(name)
    return count.fail(name, said) if said else count.pass_(name, time.monotonic() - start)


def main(words):
    count = Count()
    runnable = checked([name for name in pages.names() if not words or name in words], count)
    if runnable and not count.failed:
        machine.prepare()
        folder = tempfile.mkdtemp(prefix="mien-connect-")
        os.environ["MIEN_CONNECT_LAYER"] = machine.lend(folder)
        follow(runnable, count)
        machine.run("umount", folder)
        os.rmdir(folder)
    print(f"{count.passed} passed, {count.failed} failed, {count.skipped} skipped")
    sys.exit(1 if count.failed else 0)


if sys.argv[1:2] == ["--fetch"]:
    machine.fetch()
elif sys.argv[1:2] == ["--page"]:
    worker = os.fork()
    if worker:
        # The first process of its namespace: it also waits for what services leave behind.
        while (ended := os.wait())[0] != worker:
            pass
        sys.exit(os.waitstatus_to_exitcode(ended[1]))
    machine.run("ip", "link", "set", "lo", "up")
    machine.run("mount", "-t", "proc", "proc", "/proc")
    try:
        perform(sys.argv[2], pathlib.Path(sys.argv[3]))
    except AssertionError as failure:
        print(failure)
        sys.exit(1)
else:
    main(sys.argv[1:])
