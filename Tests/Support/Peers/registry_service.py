"""A service that knows one invented person, written with Tornado. Prints {"port"}, then each request: path, body, and the result of docs/webhooks.md's signature check.

{"page": docs/webhooks.md, "secret"}
/check  judges; the others behave as they are named, and /as/NAME as the last POST /become/NAME said:
slow  drip  huge  endless  text  list  wrong  deep  redirect  drop  status-500  status-403  status-302
"""

import asyncio
import json
import pathlib
import re
import time

import tornado.httpserver
import tornado.iostream
import tornado.netutil
import tornado.web
from common import end_with_parent, settings, tell

options = settings()
page = {}
# The code from the page that readers copy.
exec(re.search(r"```python\n(.*?)```", pathlib.Path(options["page"]).read_text(), re.S).group(1), page)
KNOWN = {"given": "JOHN", "family": "SMITH", "born": "1975-02-28", "line": "222333 PEACHTREE PLACE", "code": "30318"}
state = {"as": "check"}


def judge(asked):
    """Compares as a service would: case does not matter."""
    who, where = asked["subject"], asked["subject"]["home"]
    given = {"given": who["given"], "family": who["family"], "born": who["born"], "line": where["line"], "code": where["code"]}
    same = {name: KNOWN[name].casefold() == value.casefold() for name, value in given.items()}
    if not same["family"]:
        return {"result": {"status": "NOT_FOUND"}}
    return {
        "result": {"status": "DONE", "alerts": ["DECEASED"] if who["given"] == "LAZARUS" else []},
        "fields": {"given": "match" if same["given"] else "no", "line": 100 if same["line"] else 12, "born": same["born"], "code": int(same["code"])},
    }


class Service(tornado.web.RequestHandler):
    async def get(self, path):
        tell(path=path, method="GET")
        self.write({})

    async def post(self, path):
        text = self.request.body
        if path.startswith("become/"):
            state["as"] = path.removeprefix("become/")
            return self.write({})
        if path == "check":
            path = state["as"]
        headers = {name.lower(): value for name, value in self.request.headers.get_all()}
        valid = page["is_from_mien"](options["secret"].encode(), headers.get("mien-signature", ""), text, time.time())
        tell(path=path, method="POST", headers=headers, body=json.loads(text), valid=valid)
        if not valid:
            self.set_status(401)
            return self.write({"error": "wrong signature"})
        await self.act(path, json.loads(text))

    async def act(self, path, asked):
        if path == "check":
            self.write(judge(asked))
        elif path.startswith("after-"):
            await asyncio.sleep(float(path.removeprefix("after-")))
            self.write(judge(asked))
        elif path == "slow":
            await asyncio.sleep(3600)
        elif path == "drip":
            self.set_header("content-type", "application/json")
            await self.pour(b" ", 0.1, 36_000)
        elif path == "huge":
            self.write({"result": {"status": "DONE"}, "more": "x" * 70_000})
        elif path == "endless":
            tell(chunks=await self.pour(b"x" * 0x2000, 0, 10_000))
        elif path == "text":
            self.write("<h1>It works, JOHN SMITH!</h1>")
        elif path == "list":
            self.write("[1, 2]")
        elif path == "wrong":
            self.write({**judge(asked), "result": {"status": "SMITH"}})
        elif path == "deep":
            self.write("[" * 5000 + "]" * 5000)
        elif path == "redirect":
            self.redirect("/elsewhere", status=307)
        elif path == "drop":
            self.request.connection.stream.close()
        else:
            self.set_status(int(path.removeprefix("status-")))
            self.write({"error": "JOHN SMITH caused an error"})

    async def pour(self, chunk, pause, most):
        count = 0
        try:
            while count < most:
                self.write(chunk)
                await self.flush()
                count += 1
                await asyncio.sleep(pause)
        except tornado.iostream.StreamClosedError:
            pass
        return count


async def main():
    sockets = tornado.netutil.bind_sockets(0, "127.0.0.1")
    tornado.httpserver.HTTPServer(tornado.web.Application([(r"/(.*)", Service)], log_function=lambda _: None)).add_sockets(sockets)
    tell(port=sockets[0].getsockname()[1])
    await asyncio.Event().wait()


end_with_parent()
asyncio.run(main())
