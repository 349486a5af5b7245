#!/usr/bin/env python3
"""A live capture in Python, without libraries: a reference for clients in any language.

    live_capture.py --vectors docs/live-capture.vectors.json
    START_TOKEN=cap_… live_capture.py http://127.0.0.1:8080 FRAMES --fps 10

The first form checks this program against the published vectors. The second plays the pictures in
the folder FRAMES (JPEG or PNG, in the order of their names) as a camera would, and prints what the
server answers, one JSON object per line. Your own client takes the pictures from a camera, and
shows the guidance to its user. Exit 0: the capture passed; 1: it did not; 2: an error.

The start token comes with the journey's step selfieAcquisition. It is read from the environment,
because other users of the machine can read arguments. docs/api.md describes the exchange.
"""
import argparse
import base64
import hashlib
import json
import os
import pathlib
import struct
import sys
import time
import urllib.error
import urllib.request

LABEL = b"mien/v1/capture-chain"
CONTENT_TYPE = "application/vnd.mien.frames"
MAX_FRAMES = 16  # in one request


def decode(text):
    """The bytes of base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def first_link(nonce):
    """The link before the first frame."""
    return hashlib.sha256(LABEL + nonce).digest()


def next_link(link, number, milliseconds, picture):
    """The link of a frame, which binds it to all frames before it."""
    return hashlib.sha256(link + struct.pack(">QQ", number, milliseconds) + picture).digest()


def encode(number, milliseconds, link, picture):
    """A frame as a part of a request's body."""
    return struct.pack(">II", number, milliseconds) + link + struct.pack(">I", len(picture)) + picture


class Refused(Exception):
    """The server answered with a problem document."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem.get('code')}: {problem.get('detail')}")
        self.status, self.code = status, problem.get("code")


class Capture:
    """One capture session."""

    def __init__(self, server, token):
        self.server, self.token = server.rstrip("/"), token
        self.answer = self.send("start", "application/json", b"")
        # The server counts from now, at the latest: the response has been under way for a while.
        self.began = time.monotonic() - self.answer["elapsed"] / 1000
        self.number, self.link = 0, first_link(decode(self.answer["nonce"]))

    def send(self, path, content_type, body):
        headers = {"authorization": f"Bearer {self.token}", "content-type": content_type}
        request = urllib.request.Request(f"{self.server}/v1/capture/{path}", body, headers)
        for attempt in range(10):
            try:
                with urllib.request.urlopen(request, timeout=30) as response:
                    return json.load(response)
            except urllib.error.HTTPError as error:
                # A busy server has taken nothing: send the same again. Others are final.
                if error.code not in (429, 503) or attempt == 9:
                    raise Refused(error.code, json.load(error)) from None
                time.sleep(min(5, int(error.headers.get("retry-after") or 1)))

    @property
    def elapsed(self):
        """Milliseconds since the session began."""
        return int((time.monotonic() - self.began) * 1000)

    def push(self, pictures):
        """Sends pictures with the times at which they were taken, in milliseconds."""
        body = b""
        for milliseconds, picture in pictures:
            self.number += 1
            self.link = next_link(self.link, self.number, milliseconds, picture)
            body += encode(self.number, milliseconds, self.link, picture)
        self.answer = self.send("frames", CONTENT_TYPE, body)
        return self.answer


def play(capture, frames, period):
    """Plays the frames with their rhythm until the session ends or no frame is left."""
    start, at = capture.elapsed + 1, 0
    while capture.answer["status"] == "open" and at < len(frames):
        wait = start + at * period - capture.elapsed
        if wait > 0:
            time.sleep(wait / 1000)
        due = min(len(frames), (capture.elapsed - start) // period + 1, at + MAX_FRAMES)
        batch = [(start + i * period, frames[i].read_bytes()) for i in range(at, max(due, at + 1))]
        at += len(batch)
        print(json.dumps(capture.push(batch)), flush=True)
    return 0 if capture.answer["status"] == "passed" else 1


def check(path):
    """Compares every value of the vectors with what this program computes."""
    vectors = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    link, body = first_link(decode(vectors["nonce"])), b""
    assert link == decode(vectors["first_link"]), "the link before the first frame differs"
    for frame in vectors["frames"]:
        picture = decode(frame["picture"])
        link = next_link(link, frame["number"], frame["milliseconds"], picture)
        assert link == decode(frame["link"]), f"the link of frame {frame['number']} differs"
        body += encode(frame["number"], frame["milliseconds"], link, picture)
    assert body == decode(vectors["body"]), "the request's body differs"
    print(f"{len(vectors['frames'])} frames: all links and the body are as published")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("server", nargs="?", help="the server's address")
    parser.add_argument("frames", nargs="?", type=pathlib.Path, help="a folder of pictures")
    parser.add_argument("--fps", type=int, default=10, help="frames per second (10)")
    parser.add_argument("--vectors", help="check against this file instead")
    options = parser.parse_args()
    if options.vectors:
        return check(options.vectors)
    token = os.environ.get("START_TOKEN")
    if not (options.server and options.frames and token and options.fps > 0):
        parser.error("name the server and the folder of frames, and set START_TOKEN")
    frames = sorted(p for p in options.frames.iterdir() if p.suffix in (".jpg", ".png"))
    return play(Capture(options.server, token), frames, 1000 // options.fps)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Refused, urllib.error.URLError, OSError, AssertionError) as problem:
        sys.exit(print(f"live_capture.py: {problem}", file=sys.stderr) or 2)
