"""A mail relay based on aiosmtpd, which accepts or rejects mail as configured. Prints {"port"}, then each parsed mail.

{"certificate", "key": PEM files, "tls": "starttls" or "tls", "user", "password",
 "answers": {"RCPT ada@example.org": ["451 later", …], "DATA": …}: sent instead, one per command, until they are used up,
 "hidden": mechanisms of AUTH that are not offered, "token": the one that XOAUTH2 accepts,
 "lines": true for replies of several lines, "utf8": whether SMTPUTF8 is offered}
"""

import asyncio
import base64
import email
import email.policy
import ssl

from aiosmtpd.smtp import SMTP, AuthResult

from common import end_with_parent, settings, tell

options = settings()
answers = {command: list(texts) for command, texts in options.get("answers", {}).items()}


def scripted(command):
    texts = answers.get(command)
    return texts.pop(0) if texts else None


class Handler:
    async def handle_MAIL(self, server, session, envelope, address, mail_options):
        text = scripted("MAIL")
        if text:
            return text
        envelope.mail_from = address
        envelope.mail_options.extend(mail_options)
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        text = scripted("RCPT " + address)
        if text:
            tell(refused=text)
            return text
        envelope.rcpt_tos.append(address)
        return "250-a line\r\n250-and another\r\n250 OK" if options.get("lines") else "250 OK"

    async def handle_DATA(self, server, session, envelope):
        text = scripted("DATA")
        if text:
            tell(refused=text)
            return text
        message = email.message_from_bytes(envelope.original_content, policy=email.policy.SMTP)
        tell(
            sender=envelope.mail_from,
            recipients=envelope.rcpt_tos,
            options=envelope.mail_options,
            hello=session.host_name,
            encrypted=session.ssl is not None or server.transport.get_extra_info("ssl_object") is not None,
            user=(session.auth_data or b"").decode() if isinstance(session.auth_data, bytes) else None,
            raw=base64.b64encode(envelope.original_content).decode(),
            headers={key.lower(): str(value) for key, value in message.items()},
            text=message.get_content(),
            defects=[type(d).__name__ for d in message.defects] + [type(d).__name__ for v in message.values() for d in v.defects],
            longest=max(len(line) for line in envelope.original_content.split(b"\r\n")),
            ascii=all(byte < 128 for byte in envelope.original_content),
            bare=b"\n" in envelope.original_content.replace(b"\r\n", b"") or b"\r" in envelope.original_content.replace(b"\r\n", b""),
        )
        return "250-queued\r\n250 as 1" if options.get("lines") else "250 queued"


class TokenHandler(Handler):
    async def auth_XOAUTH2(self, server, args):
        words = base64.b64decode(args[1]).decode()
        if words == f"user={options['user']}\x01auth=Bearer {options['token']}\x01\x01":
            return AuthResult(success=True, auth_data=options["user"].encode())
        tell(refused="token", answer=base64.b64encode(await server.challenge_auth("{}") or b"").decode())
        return AuthResult(success=False, handled=False, message="535 5.7.8 no")


def authenticator(server, session, envelope, mechanism, data):
    text = scripted("AUTH")
    isRight = (data.login.decode(), data.password.decode()) == (options.get("user"), options.get("password"))
    if not text and isRight:
        return AuthResult(success=True, auth_data=data.login)
    tell(refused=text or "535")
    return AuthResult(success=False, handled=False, message=text or "535 5.7.8 Authentication credentials invalid")


async def main():
    context = None
    if "certificate" in options:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options["certificate"], options["key"])
    starttls = options.get("tls") == "starttls"

    def relay():
        return SMTP(
            TokenHandler() if "token" in options else Handler(),
            hostname="relay.test",
            enable_SMTPUTF8=options.get("utf8", True),
            tls_context=context if starttls else None,
            require_starttls=starttls,
            authenticator=authenticator if "user" in options else None,
            auth_required="user" in options,
            auth_exclude_mechanism=options.get("hidden", []),
            auth_require_tls=context is not None and starttls,
        )

    server = await asyncio.get_running_loop().create_server(relay, "127.0.0.1", 0, ssl=None if starttls else context)
    tell(port=server.sockets[0].getsockname()[1])
    await server.serve_forever()


end_with_parent()
asyncio.run(main())
