"""The main path in Firefox ESR."""

from browser import Firefox
from scenes import PASSWORD, new
from test_element import login, passes, registration, shop
from testing import test


@test("Firefox: a person registers a face and signs in with it, with random movements", 150, camera=True)
def firefox(world):
    world.running(Firefox)
    server = world.server()
    site, name = shop(server, "liveness_active")
    user = new("ada")
    server.user(user, PASSWORD)
    run, page = passes(world, site, server, lambda: registration(server, name, user), kind=Firefox)
    world.check(page, "the end")
    assert run.respond("client_input")["journey_step_id"] == "success"
    run, page = passes(world, site, server, lambda: login(server, name, user), kind=Firefox)
    assert run.respond("client_input")["journey_step_id"] == "success"
