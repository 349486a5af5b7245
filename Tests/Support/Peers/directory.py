"""A client of SCIM that others wrote (scim2-client), with the checks of scim2-tester. Prints a line for each check."""
import json
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

settings = json.loads(sys.argv[1])
client = Client(base_url=settings["server"], headers={"authorization": f"Bearer {settings['token']}"})
for result in check_server(SyncSCIMClient(client)):
    print(json.dumps({"status": result.status.name, "title": result.title, "reason": str(result.reason)[:500]}), flush=True)
