// A web server in Swift that signs its users in with Mien, and keeps their tokens to itself:
// CLIENT_SECRET=app_… swift run -c release WebSignIn, then open http://localhost:8002/.
import Foundation
import HTTPTypes
import Hummingbird
import MienClient
import MienCore

let settings = ProcessInfo.processInfo.environment
let port = settings["PORT"] ?? "8002", address = "http://localhost:\(port)"
let options = MienOptions(
    serverPath: settings["MIEN_SERVER"] ?? "http://localhost:8080", applicationId: "swift",
    clientSecret: settings["CLIENT_SECRET"].map { Sensitive($0) })
/// The sign-ins of browsers, by the cookie that each gets when it begins one.
actor Visits {
    typealias Visit = (session: MienSession, page: SignInPage)
    private var all: [String: Visit] = [:]
    func begun(in browser: Request) -> Visit? { all[browser.cookies["visit"]?.value ?? ""] }
    func add(_ visit: Visit, as id: String) { all[id] = visit }
}
let visits = Visits(), router = Router()
func html(_ text: String, _ path: String, _ link: String) -> Response {
    let body = "<p>\(text)</p><p><a href='\(path)'>\(link)</a></p>"
    let page = "<!doctype html><html lang=en><title>Swift</title><main><h1>Swift</h1>\(body)"
    return Response(
        status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
}
router.get("/") { browser, _ in
    guard let session = await visits.begun(in: browser)?.session,
        await session.state == .signedIn
    else { return html("Nobody is signed in.", "/sign-in", "Sign in") }
    let user = try await session.userInfo().sub, methods = await session.authenticationMethods
    let how = methods.contains("face") ? "a face" : methods.joined(separator: ", ")
    return html("\(user) is signed in with \(how).", "/sign-out", "Sign out")
}
router.get("/sign-in") { _, _ in
    let session = try MienSession(options), id = UUID().uuidString
    try await session.configure()
    let page = try await session.signInPage(redirectURI: "\(address)/back")
    await visits.add((session, page), as: id)
    var response = Response.redirect(to: page.url)
    response.setCookie(Cookie(name: "visit", value: id, path: "/", sameSite: .lax))
    return response
}
router.get("/back") { browser, _ in
    // Checks the state, the server, PKCE, and the nonce.
    guard let (session, page) = await visits.begun(in: browser),
        (try? await session.signIn(on: page, redirect: "\(address)\(browser.uri)")) != nil
    else { return html("The sign-in was refused.", "/sign-in", "Try again") }
    return Response.redirect(to: "/")
}
router.get("/sign-out") { browser, _ in
    try await visits.begun(in: browser)?.session.signOut()
    return Response.redirect(to: "/")
}
let listener = BindAddress.hostname("localhost", port: Int(port) ?? 8002)
try await Application(router: router, configuration: .init(address: listener)).runService()
