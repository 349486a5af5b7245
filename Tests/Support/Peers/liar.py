"""A misbehaving mail relay, by {"mode"}:

silent: accepts the connection and sends nothing      stops: stops responding after EHLO
chatty: an endless response                           nonsense: a response that is not SMTP
drops: accepts the mail, then closes the connection   late: accepts the mail and does not respond to QUIT
injects: sends a later response in the same packet as "220" to STARTTLS
injects-apart: the same in a separate packet, before the handshake can begin
asks: does not read the words of AUTH, and asks for them; prints {"words": those of the answer}
Prints {"port"}, {"heard": first word} for each line it understands, {"mail": true} for each mail it accepts.
"""

import socket
import threading
import time

from common import end_with_parent, settings, tell

mode = settings()["mode"]


def converse(connection):
    lines = connection.makefile("rb")

    def say(text):
        connection.sendall(text.encode() + b"\r\n")

    tell(connected=True)
    if mode == "silent":
        time.sleep(3600)
    if mode == "nonsense":
        say("HTTP/1.1 400 Bad Request")
    if mode == "chatty":
        try:
            while True:
                say("220-" + "x" * 200)
        except OSError:
            tell(cut=True)
            return
    say("220 relay.test")
    while True:
        line = lines.readline()
        if not line:
            tell(closed=True)
            return
        word = line.split()[0].decode("ascii", "replace").upper()
        tell(heard=word)
        if word == "EHLO":
            if mode == "stops":
                time.sleep(3600)
            say("250-relay.test\r\n250 STARTTLS")
        elif word == "STARTTLS":
            if mode == "injects":
                say("220 go on\r\n250 injected")
            else:
                say("220 go on")
                say("250 injected")
            data = connection.recv(1)
            tell(then="handshake" if data == b"\x16" else "closed" if data == b"" else "text")
            return
        elif word == "AUTH" and mode == "asks":
            say("334 ")
            tell(words=lines.readline().strip().decode())
            say("235 2.7.0 right")
        elif word == "DATA":
            say("354 go on")
            while lines.readline() not in (b".\r\n", b""):
                pass
            say("250 queued")
            tell(mail=True)
            if mode == "drops":
                connection.close()
                return
        elif word == "QUIT":
            if mode == "late":
                time.sleep(3600)
            say("221 bye")
            return
        else:
            say("250 OK")


def serve(connection):
    try:
        converse(connection)
    except OSError:
        tell(closed=True)
    finally:
        connection.close()


end_with_parent()
server = socket.create_server(("127.0.0.1", 0))
tell(port=server.getsockname()[1])
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
