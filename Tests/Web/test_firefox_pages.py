"""The pages in Firefox ESR: a face on the account page, and an app that signs its user in with it."""

from browser import Firefox
from scenes import PASSWORD, new, start_camera
from test_signin import Client, face_way, password, shop
from testing import test


@test("Firefox: a person adds a face on the account page, and an app signs the person in with it", 120, camera=True, always=True)
def firefox(world):
    world.running(Firefox)
    server = world.server()
    site, app_id = shop(server)
    client, user = Client(server, site, app_id), new("ada")
    server.user(user, PASSWORD)
    page = world.page(Firefox)
    page.goto(f"{server.address}/account?client_id={app_id}")
    password(page, user)
    page.press("Register your face")
    start_camera(page)
    page.wait("location.pathname === '/account'", 60)
    world.check(page, "the account")
    page.close()
    page = world.page(Firefox)
    page.goto(client.link())
    world.check(page, "the form")
    face_way(page, user)
    page.find(".main")
    world.check(page, "before the camera")
    start_camera(page)
    page.wait("location.pathname === '/back'", 60)
    assert "face" in client.claims()["amr"]
