"""Measures how long a user's sign-ins take while one address keeps the password queue full. Used by scripts/measure-fairness."""

import asyncio
import collections
import json
import os
import sys
import time
import urllib.parse

server, admin = urllib.parse.urlsplit(sys.argv[1]), urllib.parse.urlsplit(sys.argv[2])
attackers, seconds, pause = int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5])
PASSWORD = "a password nobody has"


class Connection:
    """A persistent HTTP connection from a chosen source address."""

    def __init__(self, source, peer=server):
        self.source, self.peer, self.streams = source, peer, None

    async def post(self, path, body, credential=None):
        if self.streams is None:
            self.streams = await asyncio.open_connection(self.peer.hostname, self.peer.port, local_addr=(self.source, 0))
        reader, writer = self.streams
        data = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nhost: {self.peer.netloc}\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n"
        if credential:
            head += f"authorization: Bearer {credential}\r\n"
        writer.write(head.encode() + b"\r\n" + data)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        text = await reader.readexactly(int(headers.get("content-length", 0)))
        return int(lines[0].split()[1]), json.loads(text or b"null")

    def close(self):
        if self.streams:
            self.streams[1].close()


async def sign_in(connection, name, password, device=None):
    start = {"client_id": "default_application"} | ({"device_token": device} if device else {})
    status, answer = await connection.post("/v1/journeys/password-login/start", start)
    if status != 200:
        return status, answer
    data = {"username": name, "password": password}
    return await connection.post("/v1/journeys/respond", {"state": answer["state"], "option": "password", "data": data})


async def attack(number, until, statuses):
    """Guesses passwords of nonexistent names, a new one each time, so that no limit per account applies."""
    connection, guess = Connection("127.0.0.2"), 0
    while time.perf_counter() < until:
        guess += 1
        try:
            status = (await sign_in(connection, f"nobody-{number}-{guess}", "not the password"))[0]
            statuses[status] += 1
            if status != 200:
                await asyncio.sleep(pause)
        except (OSError, asyncio.IncompleteReadError):
            statuses["hung up"] += 1
            connection.streams = None
    connection.close()


async def use(source, until, device):
    """Signs in repeatedly, one request at a time, like a user. Refused sign-ins count with their time and as failures."""
    times, failures = [], 0
    while time.perf_counter() < until:
        begun = time.perf_counter()
        connection = Connection(source)
        status, answer = await sign_in(connection, "ada", PASSWORD, device)
        connection.close()
        times.append(time.perf_counter() - begun)
        failures += status != 200 or not answer.get("token")
        await asyncio.sleep(0.2)
    return times, failures


async def measure(what, source, count, length, device=None):
    statuses = collections.Counter()
    begun = time.perf_counter()
    tasks = [asyncio.create_task(attack(number, begun + length, statuses)) for number in range(count)]
    await asyncio.sleep(1)
    times, failures = await use(source, begun + length, device)
    await asyncio.gather(*tasks)
    # Gives the server time to notice that the attackers have left.
    await asyncio.sleep(2)
    times.sort()
    p50, p95 = times[len(times) // 2], times[min(len(times) - 1, int(len(times) * 0.95))]
    answers = ", ".join(f"{status}: {number}" for status, number in sorted(statuses.items(), key=str)) or "none"
    print(f"| {what} | {p50:.2f} s | {p95:.2f} s | {times[-1]:.2f} s | {len(times)} ({failures} refused) | {answers} |", flush=True)


async def main():
    status, answer = await Connection("127.0.0.1", admin).post("/v1/users", {"username": "ada", "password": PASSWORD}, os.environ["MIEN_CREDENTIAL"])
    assert status == 201, answer
    print("| the user | p50 | p95 | longest | sign-ins | answers to the attacker, by status |")
    print("|---|--:|--:|--:|--:|---|")
    await measure("no attack", "127.0.0.3", 0, min(seconds, 10))
    await measure("new device, another address", "127.0.0.3", attackers, seconds)
    # An account keeps a limited number of devices, so one created earlier would already be forgotten.
    status, answer = await sign_in(Connection("127.0.0.3"), "ada", PASSWORD)
    assert status == 200, answer
    device = answer["device_token"]
    await measure("known device, another address", "127.0.0.3", attackers, seconds, device)
    await measure("known device, the attacker's address", "127.0.0.2", attackers, seconds, device)
    await measure("new device, the attacker's address", "127.0.0.2", attackers, seconds)


asyncio.run(main())
