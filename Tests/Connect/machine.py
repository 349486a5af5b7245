"""A copy of this machine that forgets its changes: an overlay over / with Debian's packages, a certificate authority, and Apache in front."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from pages import REPOSITORY

WORK = REPOSITORY / ".build/connect"
LAYER, ARCHIVES = WORK / "layer", WORK / "archives"
BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
# Debian's system services start by their scripts here, because nothing but the test runs.
SYSTEMCTL = """#!/bin/sh
verb=$1; shift
[ "$1" = --now ] && shift
case $verb in
    enable|daemon-reload) exit 0 ;;
    start|stop|restart|reload) for unit; do service "${unit%.service}" "$verb" || exit 1; done ;;
    *) echo "systemctl $verb is not part of this test" >&2; exit 2 ;;
esac
"""
AUTHORITY = """
mkdir -p /usr/local/share/ca-certificates /etc/letsencrypt/live
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=Test" -keyout /etc/letsencrypt/ca.key \\
    -out /usr/local/share/ca-certificates/example.org.crt -addext keyUsage=critical,keyCertSign
update-ca-certificates
"""
# Where certbot would put it.
CERTIFICATE = """
mkdir -p /etc/letsencrypt/live/{host} && cd /etc/letsencrypt/live/{host}
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN={host}" -keyout privkey.pem -out request.pem 2>&1
printf 'subjectAltName=DNS:{host}\\nextendedKeyUsage=serverAuth\\nkeyUsage=critical,digitalSignature' >names
openssl x509 -req -in request.pem -days 2 -CA /usr/local/share/ca-certificates/example.org.crt -CAkey /etc/letsencrypt/ca.key -extfile names -out fullchain.pem 2>&1
"""
FRONT = """
<VirtualHost *:443>
    ServerName {host}
    SSLEngine on
    SSLCertificateFile /etc/letsencrypt/live/{host}/fullchain.pem
    SSLCertificateKeyFile /etc/letsencrypt/live/{host}/privkey.pem
    ProxyPreserveHost on
    RequestHeader set X-Forwarded-Proto https
    RequestHeader set X-Forwarded-Port 443
    ProxyPass / http://127.0.0.1:{port}/ upgrade=websocket
    ProxyTimeout 120
</VirtualHost>
"""


class Broken(Exception):
    """A command of the test itself failed."""


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, **options)
    if done.returncode:
        raise Broken(f"{' '.join(map(str, command))}: {done.stdout[-2000:]}")
    return done.stdout


def packages():
    """Debian's packages of the group “connect”."""
    lines = (REPOSITORY / "scripts/debian-packages.txt").read_text().split("\n")
    return [line.split()[1] for line in lines if line.startswith("connect ")]


def mount(root, upper, work, lower):
    for path in (root, upper, work):
        path.mkdir(parents=True, exist_ok=True)
    run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir={lower},upperdir={upper},workdir={work}", root)


def enter(root, script, environment=None):
    return ["chroot", str(root), "env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8",
            "DEBIAN_FRONTEND=noninteractive", *(f"{key}={value}" for key, value in (environment or {}).items()),
            "bash", "-euo", "pipefail", "-c", f"cd /root; {script}"]


def fetch():
    """Fetches the packages that this machine lacks. Needs the network the first time."""
    (ARCHIVES / "partial").mkdir(parents=True, exist_ok=True)
    missing = WORK / "fetched"
    if not missing.exists() or missing.read_text() != state():
        run("apt-get", "-o", f"Dir::Cache::archives={ARCHIVES}", "--yes", "--no-install-recommends", "--download-only", "install", *packages())
        missing.write_text(state())


def state():
    """Identifies the layer's contents: the packages of this machine, and those that it adds."""
    parts = [pathlib.Path("/var/lib/dpkg/status").read_text(), *packages(), SYSTEMCTL, AUTHORITY]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def lend(folder):
    """Copies the layer into memory: it is a part of /, so an overlay over / cannot use it where it is."""
    run("mount", "-t", "tmpfs", "tmpfs", folder)
    run("cp", "--archive", LAYER / "upper", f"{folder}/layer")
    return f"{folder}/layer"


def prepare():
    """Installs the packages over this machine, in a layer that every page begins with."""
    stamp = LAYER / "stamp"
    if stamp.exists() and stamp.read_text() == state():
        return
    shutil.rmtree(LAYER, ignore_errors=True)
    root, upper = LAYER / "root", LAYER / "upper"
    mount(root, upper, LAYER / "work", "/")
    try:
        bind(root)
        (root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        (root / "usr/sbin/policy-rc.d").chmod(0o755)
        archives = root / "var/cache/apt/archives"
        archives.mkdir(parents=True, exist_ok=True)
        for path in ARCHIVES.glob("*.deb"):
            shutil.copy(path, archives)
        run(*enter(root, f"apt-get --yes --no-install-recommends --no-download install {' '.join(packages())}"))
        for path in archives.glob("*.deb"):
            path.unlink()
        for path in ("usr/share/doc", "usr/share/man", "var/lib/apt/lists", "var/cache/apt"):
            shutil.rmtree(upper / path, ignore_errors=True)
        (root / "usr/sbin/policy-rc.d").unlink()
        (root / "usr/local/bin/systemctl").write_text(SYSTEMCTL)
        (root / "usr/local/bin/systemctl").chmod(0o755)
        run(*enter(root, AUTHORITY))
        run(*enter(root, "a2enmod ssl proxy proxy_http proxy_wstunnel headers; a2dissite 000-default; rm -f /etc/apache2/conf-enabled/roundcube.conf"))
    finally:
        for path in ("dev", "proc", ""):
            subprocess.run(["umount", "-l", root / path], stderr=subprocess.DEVNULL, check=False)
    stamp.write_text(state())


def bind(root):
    run("mount", "-t", "proc", "proc", root / "proc")
    run("mount", "--rbind", "/dev", root / "dev")


class Machine:
    """What a page changes. It ends with the namespace of mounts."""

    def __init__(self, folder, layer, environments):
        self.root, self.folder = folder / "root", folder
        run("mount", "-t", "tmpfs", "tmpfs", folder)
        mount(self.root, folder / "upper", folder / "work", f"{layer}:/")
        bind(self.root)
        run("mount", "-t", "tmpfs", "tmpfs", self.root / "run")
        run("mount", "-t", "tmpfs", "tmpfs", self.root / "tmp", "-o", "mode=1777")
        run(*enter(self.root, "mkdir -m 1777 /run/lock; for user in postgres prometheus; do install -d -o $user -g $user /run/${user/postgres/postgresql}; done"))
        # There is no log of the system.
        self.write("/etc/dovecot/conf.d/99-log.conf", "log_path = /var/log/dovecot.log\nauth_verbose = yes\n")
        # The repository, as it is here.
        (self.root / str(REPOSITORY)[1:]).mkdir(parents=True, exist_ok=True)
        run("mount", "--bind", REPOSITORY, self.root / str(REPOSITORY)[1:])
        for place, environment in environments.items():
            target = self.root / place.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(environment)
        self.variables = {"SSL_CERT_FILE": BUNDLE, "REQUESTS_CA_BUNDLE": BUNDLE, "CURL_CA_BUNDLE": BUNDLE,
                          # A node that is not Debian's does not look there.
                          "NODE_PATH": "/usr/share/nodejs", "NODE_EXTRA_CA_CERTS": BUNDLE}
        self.served = []

    def name(self, hosts):
        """Lets names lead to this machine, in the copy and in the browser beside it."""
        lines = f"127.0.0.1 localhost {' '.join(hosts)}\n"
        (self.root / "etc/hosts").write_text(lines)
        run("mount", "--bind", self.root / "etc/hosts", "/etc/hosts")
        self.run("".join(CERTIFICATE.format(host=host) for host in hosts))

    def front(self, ports):
        """Starts Apache, which passes each host on to a port."""
        site = self.root / "etc/apache2/sites-enabled/front.conf"
        site.write_text("".join(FRONT.format(host=host, port=port) for host, port in ports.items()))
        self.run("service apache2 start")

    def run(self, script, seconds=150):
        """The output of commands, each of which must succeed."""
        # A file, because a service that starts keeps a pipe open.
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as out:
            process = subprocess.Popen(enter(self.root, script, self.variables), stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            try:
                status = process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                status = f"none after {seconds} s"
            out.seek(0)
            printed = out.read()
        assert status == 0, f"status {status}: {printed[-3000:]}"
        return printed

    def serve(self, script, port, seconds=120):
        """Starts a program that stays, and waits until it listens."""
        log = self.folder / f"served{len(self.served)}.log"
        with open(log, "w", encoding="utf-8") as file:
            process = subprocess.Popen(enter(self.root, script, self.variables), stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        self.served.append((process, log))
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            assert process.poll() is None, f"the program ended: {log.read_text()[-3000:]}"
            if port is None or self.listens(port):
                return
            time.sleep(0.2)
        raise AssertionError(f"nothing listens on port {port} after {seconds} s: {log.read_text()[-3000:]}")

    @staticmethod
    def listens(port):
        tables = [pathlib.Path(f"/proc/net/{name}").read_text() for name in ("tcp", "tcp6")]
        return any(re.search(rf":{int(port):04X} \w+:0000 0A ", table) for table in tables)

    def write(self, path, text, append=False):
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, "a" if append else "w", encoding="utf-8") as out:
            out.write(text)

    def logs(self):
        """The ends of what the programs said, for a failure."""
        said = [path.read_text(errors="replace")[-2500:] for _, path in self.served]
        for path in ("var/log/apache2/error.log", "var/log/mail.log", "var/log/dovecot.log", "var/log/roundcube/errors.log"):
            file = self.root / path
            if file.exists() and file.stat().st_size:
                said.append(f"{path}:\n{file.read_text(errors='replace')[-2500:]}")
        return "\n".join(said)
