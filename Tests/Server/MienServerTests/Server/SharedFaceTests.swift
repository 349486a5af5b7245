import Foundation
import MienAPI
import MienClient
import MienCore
import MienModels
import MienTesting
import Testing

@testable import MienServer
@testable import MienStore

/// Apps that share faces, with real photos and real networks.
@Suite("Shared faces", .enabled(if: Installed.isThere, Installed.reason))
struct SharedFaceTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func run(
        _ settings: [String: String] = [:], sharing apps: [String] = ["shop", "bank"],
        maxAge: Int? = nil, _ body: @Sendable (FaceOffice) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch, settings: settings) { server in
            try await body(try await FaceOffice(server, sharing: apps, maxAge: maxAge))
        }
    }

    // MARK: One face, several apps

    @Test(
        "a face that is registered in one app signs in to the others of its group, and nowhere else",
        arguments: [PackLibrary.basicID, PackLibrary.betterID])
    func signsIn(pack: PackID) async throws {
        guard (try? PackLibrary(folder: Installed.home.packs).pack(pack)) != nil else {
            try Test.cancel("\(pack.text) is not installed: run scripts/setup")
        }
        try await run(["MIEN_FACE_PACK": pack.text]) { office in
            let ada = try await office.server.makeUser(), text = try await office.register("ada")
            #expect(text.contains("These apps share your face"))
            #expect(text.contains("App bank") && text.contains("App shop"))
            #expect(!text.contains("App games"))
            for app in ["shop", "bank"] {
                let token = try #require(try await office.logIn("ada", "obama2", in: app))
                let claims = try token.use { try TokenClient.claims($0) }
                #expect(claims["aud"] == .string(app) && claims["amr"] == ["face"])
                #expect(try await office.logIn("ada", "biden", in: app) == nil)
            }
            #expect(try await office.logIn("ada", "obama2", in: "games") == nil)
            let consents = try await office.server.admin.consents(of: ada)
            let shared = try #require(
                consents.first { $0.purpose == .known(.faceSharing) }, "\(consents)")
            #expect(shared.appID == office.group.text && shared.textVersion == "shared-1")
            #expect(shared.appIDs == ["bank", "shop"])
            #expect(consents.contains { $0.purpose == .known(.face) && $0.appID == "shop" })
            #expect(try await office.server.admin.faceGroup(office.group).people == 1)
        }
    }

    @Test("without a group, a face belongs to its app, and the consent names nothing else")
    func alone() async throws {
        try await run { office in
            try await office.server.makeUser()
            #expect(try await !office.register("ada", in: "games").contains("share"))
            #expect(try await office.logIn("ada", "obama2", in: "games") != nil)
            for app in ["shop", "bank"] {
                #expect(try await office.logIn("ada", "obama2", in: app) == nil)
            }
        }
    }

    @Test(
        "a capture that asks for the consent names the apps, and records the version that it showed"
    )
    func captureConsent() async throws {
        try await run { office in
            let ada = try await office.server.makeUser()
            let journey = try await office.capturing("ada", in: "bank")
            let session = try await journey.captureSession()
            let consent = try #require(try await session.start().consent)
            #expect(consent.text.hasPrefix("We store numbers. These apps share your face"))
            #expect(consent.textVersion == "shop-2")
            // An app comes while the person reads. It was not named.
            try await office.set(["shop", "bank", "games"])
            try await office.capture(journey, session, "obama")
            let consents = try await office.server.admin.consents(of: ada)
            #expect(
                consents.first { $0.purpose == .known(.faceSharing) }?.textVersion == "shared-1")
            #expect(try await office.logIn("ada", "obama2", in: "shop") != nil)
            #expect(try await office.logIn("ada", "obama2", in: "games") == nil)
        }
    }

    @Test("a face whose consent comes from a form of the app's own stays with the app")
    func ownForm() async throws {
        try await run { office in
            let ada = try await office.server.makeUser()
            let journey = try await office.capturing(
                "ada", in: "bank", consent: #""given": "true""#)
            try await office.capture(journey, journey.captureSession(), "obama")
            #expect(try await office.logIn("ada", "obama2", in: "bank") != nil)
            #expect(try await office.logIn("ada", "obama2", in: "shop") == nil)
            #expect(
                try await office.server.admin.consents(of: ada).map(\.purpose) == [.known(.face)])
        }
    }

    @Test(
        "faces from before stay with their apps until the person agrees; the new one replaces them")
    func joining() async throws {
        try await run(sharing: ["games"]) { office in
            let ada = try await office.server.makeUser()
            try await office.register("ada", in: "bank")
            try await office.set(["shop", "bank"])
            #expect(try await office.logIn("ada", "obama2", in: "bank") != nil)
            #expect(try await office.logIn("ada", "obama2", in: "shop") == nil)
            // A password alone must not add a face that opens an app with two factors.
            #expect(try await office.tryRegister("ada", "obama3", in: "shop") == false)
            // Of two consents, the later one counts.
            office.server.time.advance(.seconds(1))
            #expect(try await office.replace("ada", "obama2", with: "obama3", in: "bank"))
            for app in ["shop", "bank"] {
                #expect(try await office.logIn("ada", "obama2", in: app) != nil, "\(app)")
            }
            let faces = try await office.faces(of: ada)
            #expect(faces.map(\.appID) == [office.group.text], "one face, that of the group")
        }
    }

    // MARK: Changes of the group

    @Test(
        "an app that comes gets nobody who did not agree to it; who agrees opens it, and the others go on"
    )
    func coming() async throws {
        try await run { office in
            try await office.server.makeUser()
            try await office.server.makeUser("bob")
            try await office.register("ada")
            try await office.set(["shop", "bank", "games"])
            #expect(try await office.logIn("ada", "obama2", in: "games") == nil)
            #expect(try await office.logIn("ada", "obama2", in: "bank") != nil)
            #expect(try await office.register("bob", "biden", in: "games").contains("App games"))
            for app in ["shop", "bank", "games"] {
                #expect(try await office.logIn("bob", "biden", in: app) != nil, "\(app)")
            }
        }
    }

    @Test(
        "an app that leaves loses the faces and its sign-ins; those that only it used are erased; it gets nothing back"
    )
    func leaving() async throws {
        try await run { office in
            let ada = try await office.server.makeUser(),
                bob = try await office.server.makeUser("bob")
            try await office.register("ada")
            try await office.register("bob", "biden")
            let shop = try await office.tokens("ada", "obama2", in: "shop"),
                bank = try await office.tokens("ada", "obama2", in: "bank")
            let late = try #require(try await office.logIn("ada", "obama2", in: "shop"))
            let waiting = try await office.client("shop").start("face-login")
            try await waiting.respond("face", ["user_identifier": "ada"])
            try await office.set(["bank"])

            #expect(try await office.faces(of: bob).isEmpty, "only the shop used it")
            #expect(try await office.faces(of: ada).count == 1)
            #expect(
                try await office.client(of: "shop").refresh(shop["refresh_token"]).status == 400)
            #expect(
                try await office.client(of: "bank").refresh(bank["refresh_token"]).status == 200)
            #expect(try await office.exchange(late, in: "shop").error == "invalid_grant")
            await #expect(throws: MienError.self) { try await waiting.respond(.clientInput) }
            #expect(try await office.logIn("ada", "obama2", in: "shop") == nil)
            #expect(try await office.logIn("ada", "obama2", in: "bank") != nil)

            try await office.set(["shop", "bank"])
            #expect(try await office.logIn("ada", "obama2", in: "shop") == nil, "a new app")
            let events = try await office.server.admin.audit(user: bob).items
            let removed = try #require(events.first { $0.event == "face.removed" })
            #expect(removed.detail["reason"] == "face-group" && removed.appID == "shop")
            let changes = try await office.server.admin.audit(event: "face-group.changed").items
            #expect(changes.contains { $0.detail["faces_erased"] == 1 })
        }
    }

    @Test("a deleted app leaves; a deleted group erases its faces and leaves those of the apps")
    func deleting() async throws {
        try await run { office in
            let ada = try await office.server.makeUser(),
                bob = try await office.server.makeUser("bob")
            try await office.register("bob", "biden", in: "games")
            try await office.register("ada")
            _ = try await office.logIn("ada", "obama2", in: "bank")
            try await office.server.admin.deleteApp(AppID("shop")!)
            #expect(try await office.server.admin.faceGroup(office.group).appIDs == ["bank"])
            #expect(try await office.logIn("ada", "obama2", in: "bank") != nil)
            let bank = try await office.tokens("ada", "obama2", in: "bank")
            try await office.server.admin.deleteFaceGroup(office.group)
            #expect(try await office.faces(of: ada).isEmpty)
            #expect(
                try await office.client(of: "bank").refresh(bank["refresh_token"]).status == 400)
            #expect(try await office.logIn("ada", "obama2", in: "bank") == nil)
            #expect(try await office.logIn("bob", "biden", in: "games") != nil)
            #expect(
                try await office.server.admin.consents(of: ada)
                    .allSatisfy { $0.purpose != .known(.faceSharing) || $0.withdrawnAt != nil })
            #expect(try await office.faces(of: bob).count == 1)
            #expect(try await office.server.admin.verifyAudit().isWhole)
        }
    }

    // MARK: The person's own will

    @Test(
        "withdrawing the consent to one app, or to the group, erases the face for all, also while it is being compared",
        arguments: ["bank", "shop", "group"])
    func withdrawing(from place: String) async throws {
        try await run { office in
            let ada = try await office.server.makeUser()
            try await office.register("ada")
            let tokens = try await office.tokens("ada", "obama2", in: "bank")
            let login = try await office.client("bank").start("face-login")
            let step = try await login.respond("face", ["user_identifier": "ada"])
            let session = try await login.captureSession()
            #expect(step.startToken != nil)
            _ = try await session.submitFrame(Installed.photo("obama2"))
            try await office.server.admin.withdrawConsent(
                of: ada, to: place == "group" ? office.group.space : AppID(place)!)
            try await login.respond(.clientInput)
            #expect(await login.outcome() == nil, "no success")
            #expect(try await office.faces(of: ada).isEmpty)
            #expect(
                try await office.client(of: "bank").refresh(tokens["refresh_token"]).status == 400)
            for app in ["shop", "bank"] {
                #expect(try await office.logIn("ada", "obama2", in: app) == nil)
            }
            #expect(
                try await office.server.admin.consents(of: ada).first {
                    $0.purpose == .known(.faceSharing)
                }?.withdrawnAt != nil)
        }
    }

    @Test("users see which apps share their face, remove it for all, and export who used it")
    func ownPages() async throws {
        try await run { office in
            let ada = try await office.server.makeUser()
            try await office.register("ada")
            _ = try await office.logIn("ada", "obama2", in: "bank")
            let sections = try await office.server.server.parts.store.read { tables in
                try tables.accounts.find(ada).map { try tables.export.sections(of: $0) }
            }
            let uses = sections?["face_uses"]?.arrayValue?.compactMap { $0["app_id"]?.stringValue }
            #expect(uses == ["bank", "shop"])

            let browser = PageBrowser(office.server.address)
            _ = try await browser.signIn("/signin?client_id=shop")
            let page = try await browser.open("/account?client_id=shop")
            #expect(page.text.contains("App bank") && page.text.contains("App shop"))
            let face = try #require(try await office.faces(of: ada).first)
            let address = "/account/remove/face/\(face.id)?client_id=shop"
            let question = try await browser.open(address)
            #expect(question.text.contains("for all of them"), "\(question.text)")
            _ = try await browser.post(address, ["csrf": question.hidden("csrf") ?? ""])
            #expect(try await office.faces(of: ada).isEmpty)
            #expect(try await office.logIn("ada", "obama2", in: "bank") == nil)
        }
    }

    // MARK: Guesses

    @Test("wrong faces in one app lock the face in all, under the strictest settings")
    func locks() async throws {
        try await run { office in
            try await office.server.makeUser()
            try await office.register("ada")
            _ = try await office.server.admin.updateApp(
                AppID("bank")!,
                AppRequest(
                    name: "App bank",
                    settings: [
                        "sign_in_page": true, "redirect_uris": [.string(PageApp.redirect)],
                        "locks": [
                            "face": [
                                "failed_attempts": 2, "lockout_seconds": 60, "disable_after": 50,
                            ]
                        ],
                    ]))
            for _ in 1...2 { #expect(try await office.logIn("ada", "biden", in: "shop") == nil) }
            #expect(try await office.logIn("ada", "obama2", in: "bank") == nil)
            #expect(try await office.logIn("ada", "obama2", in: "shop") == nil)
            office.server.time.advance(.seconds(3600))
            #expect(try await office.logIn("ada", "obama2", in: "shop") != nil)
        }
    }

    @Test("a search for duplicates sees the shared faces of those who agreed to its app")
    func duplicates() async throws {
        try await run(sharing: ["bank", "games"]) { office in
            for name in ["ada", "eve", "mel"] { try await office.server.makeUser(name) }
            try await office.register("ada", "obama", in: "bank")
            _ = try await office.server.admin.updateApp(
                AppID("shop")!,
                AppRequest(
                    name: "App shop",
                    settings: [
                        "sign_in_page": true, "redirect_uris": [.string(PageApp.redirect)],
                        "duplicate_faces": ["min_score": 48],
                    ]))
            try await office.set(["bank", "games", "shop"])
            let store = office.server.server.parts.store
            func cases() async throws -> Int {
                try await eventually {
                    try await store.read { try $0.duplicateSearches.count() } == 0
                }
                return try await office.server.admin.duplicateCases().items.count
            }
            try await office.register("eve", "obama2", in: "shop")
            #expect(try await cases() == 0, "ada did not agree to the shop")
            try await office.register("mel", "obama3", in: "shop")
            #expect(try await cases() == 1)
            let open = try #require(try await office.server.admin.duplicateCases().items.first)
            let names = try await [
                office.server.userID("eve").text, office.server.userID("mel").text,
            ]
            #expect(Set([open.user, open.otherUser]) == Set(names) && open.appID == "shop")
            #expect(try await office.server.admin.duplicateCase(open.id).accounts.count == 2)
            try await office.set(["bank", "games"])
            #expect(try await office.server.admin.duplicateCases().items.isEmpty)
        }
    }

    // MARK: Single sign-on

    @Test(
        "a browser that showed its face a moment ago is signed in to another app of the group, which learns how and when"
    )
    func singleSignOn() async throws {
        try await run(maxAge: 120) { office in
            try await office.server.makeUser()
            try await office.register("ada")
            let browser = PageBrowser(office.server.address)
            let seen = office.server.time.now.seconds
            _ = try await office.tokens(in: browser, app: "shop", photo: "obama2")
            office.server.time.advance(.seconds(60))
            let bank = try await office.tokens(in: browser, app: "bank", photo: nil)
            let claims = try TokenClient.claims(bank["id_token"])
            #expect(claims["amr"] == ["face"] && claims["acr"] == "1")
            #expect(claims["auth_time"]?.numberValue == Double(seen))

            func isAsked(_ app: String, _ more: [String: String?] = [:]) async throws -> Bool {
                let app = try #require(office.apps[app])
                let page = try await browser.open("/oauth2/authorize?\(app.query(more))")
                return page.location?.hasPrefix(PageApp.redirect) != true
            }
            #expect(try await !isAsked("bank"))
            #expect(try await isAsked("games"), "outside the group")
            #expect(try await isAsked("bank", ["max_age": "30"]))
            // An app that asks for more than the one that saw the face.
            let base: [String: JSONValue] = [
                "sign_in_page": true, "redirect_uris": [.string(PageApp.redirect)],
            ]
            func set(_ more: [String: JSONValue]) async throws {
                _ = try await office.server.admin.updateApp(
                    AppID("bank")!,
                    AppRequest(
                        name: "App bank", settings: .object(base.merging(more) { $1 })))
            }
            try await set(["face_threshold": 60])
            #expect(try await isAsked("bank"))
            try await set(["liveness": ["mode": "liveness_active"]])
            #expect(try await isAsked("bank"))
            try await set([:])
            #expect(try await !isAsked("bank"))
            // An app that asked for less than the server, which the other one does not.
            func setShop(_ more: [String: JSONValue]) async throws {
                _ = try await office.server.admin.updateApp(
                    #require(AppID("shop")),
                    AppRequest(
                        name: "App shop", settings: .object(base.merging(more) { $1 })))
            }
            try await setShop(["face_threshold": 24])
            #expect(try await isAsked("bank"))
            try await setShop([:])
            #expect(try await !isAsked("bank"))
            office.server.time.advance(.seconds(61))
            #expect(try await isAsked("bank"), "the moment is over")
            #expect(try await !isAsked("shop"), "its own session goes on")
        }
    }

    @Test("a code that an app got before it left, or before the consent ended, opens nothing")
    func heldCodes() async throws {
        try await run { office in
            let ada = try await office.server.makeUser()
            try await office.register("ada")
            let browser = PageBrowser(office.server.address)
            _ = try await office.tokens(in: browser, app: "shop", photo: "obama2")
            let held = try await office.code(in: browser, app: "bank", photo: nil)
            let app = try #require(office.apps["bank"])
            try await office.set(["shop"])
            #expect(try await app.redeem(held).error == "invalid_grant")
            // The browser's session with the face leads to the app no longer.
            let page = try await browser.open("/oauth2/authorize?\(app.query())")
            #expect(page.location == nil && page.status == 200)
            let shop = try #require(office.apps["shop"])
            let own = try await office.code(in: browser, app: "shop", photo: nil)
            try await office.server.admin.withdrawConsent(of: ada, to: AppID("shop")!)
            #expect(try await shop.redeem(own).error == "invalid_grant")
        }
    }

    @Test("an app of others that shares faces registers none, and still asks for permission")
    func thirdParty() async throws {
        try await run { office in
            for name in ["ada", "eve"] { try await office.server.makeUser(name) }
            try await office.register("ada")
            let settings: JSONValue = [
                "sign_in_page": true, "redirect_uris": [.string(PageApp.redirect)],
            ]
            _ = try await office.server.admin.updateApp(
                AppID("bank")!,
                AppRequest(name: "App bank", isFirstParty: false, settings: settings))
            #expect(try await !office.tryRegister("eve", "biden", in: "bank"))
            let eve = try await office.server.userID("eve")
            #expect(try await office.faces(of: eve).isEmpty)

            let browser = PageBrowser(office.server.address)
            _ = try await office.tokens(in: browser, app: "shop", photo: "obama2")
            let bank = try #require(office.apps["bank"])
            let page = try await browser.open("/oauth2/authorize?\(bank.query())")
            #expect(page.location == nil && page.text.contains("App bank"))
            let silent = try await browser.open(
                "/oauth2/authorize?\(bank.query(["prompt": "none"]))")
            #expect(silent.parameters["error"] == "consent_required")
            let allowed = try await browser.submit(page, ["action": "allow"])
            #expect(allowed.parameters["code"] != nil, "\(allowed.location ?? allowed.text)")
        }
    }

    @Test("with max_age 0, each app looks for itself")
    func noMoment() async throws {
        try await run(maxAge: 0) { office in
            try await office.server.makeUser()
            try await office.register("ada")
            let browser = PageBrowser(office.server.address)
            _ = try await office.tokens(in: browser, app: "shop", photo: "obama2")
            let bank = try #require(office.apps["bank"])
            let page = try await browser.open("/oauth2/authorize?\(bank.query())")
            #expect(page.location == nil)
            _ = try await office.tokens(in: browser, app: "bank", photo: "obama2")
        }
    }

    // MARK: Administration

    @Test("groups that cannot be are refused, with what is allowed")
    func refused() async throws {
        try await run { office in
            let admin = office.server.admin
            func field(_ wanted: FaceGroupRequest) async -> String? {
                let error = await #expect(throws: MienError.self) {
                    try await admin.createFaceGroup(wanted)
                }
                return error?.fields.first?.field
            }
            #expect(await field(FaceGroupRequest(name: "", appIDs: ["games"])) == "name")
            #expect(await field(FaceGroupRequest(name: "a", appIDs: [])) == "app_ids")
            for ids in [["games", "games"], ["nothing"], ["games", "shop"], ["no app"]] {
                #expect(await field(FaceGroupRequest(name: "a", appIDs: ids)) == "app_ids")
            }
            for age in [-1, 43_201] {
                let wanted = FaceGroupRequest(name: "a", appIDs: ["games"], maxAge: age)
                #expect(await field(wanted) == "max_age")
            }
            let early = FaceGroupRequest(name: "a", appIDs: ["games"], version: 1)
            #expect(await field(early) == "version")
            let taken = await #expect(throws: MienError.self) {
                try await admin.createApp(AppRequest(id: "fgr_x", name: "App"))
            }
            #expect(taken?.fields.first?.field == "id")
            try await office.set(["shop", "bank", "games"])
            let stale = await #expect(throws: MienError.self) {
                try await admin.updateFaceGroup(
                    office.group, FaceGroupRequest(name: "a", appIDs: ["shop"], version: 1))
            }
            #expect(stale?.problem?.code == .conflict)
            let known = try await admin.faceGroups().items
            #expect(known.map(\.appIDs) == [["bank", "games", "shop"]])
            #expect(known.map(\.maxAge) == [300] && known.map(\.version) == [2])
            let events = try await admin.audit().items.filter { $0.event.hasPrefix("face-group.") }
            #expect(events.map(\.event).sorted() == ["face-group.changed", "face-group.created"])
        }
    }
}
