import MienClient
import MienCore
import Testing

/// The changes of the account page, and what it removes.
extension StepUpPagesTests {
    /// A change of the account page: how it begins, and how it shows that it is allowed.
    enum Change: CaseIterable {
        case passkey, password, codes, face, data, deletion

        func begin(_ person: Person) async throws -> PageBrowser.Page {
            let browser = person.browser
            func post(_ address: String) async throws -> PageBrowser.Page {
                let page = try await browser.open("/account")
                return try await browser.post(address, ["csrf": page.hidden("csrf") ?? ""])
            }
            return switch self {
            case .passkey: try await browser.get("/account/passkey")
            case .password: try await browser.get("/account/password")
            case .data: try await browser.get("/account/data")
            case .codes: try await post("/account/recovery-codes")
            case .face: try await post("/account/face")
            case .deletion: try await post("/account/remove/account/me")
            }
        }

        func isDone(_ page: PageBrowser.Page) -> Bool {
            switch self {
            case .passkey: page.text.contains("\"passkey\":{")
            case .password: page.text.contains("name=\"new\"")
            case .data: page.headers["content-disposition"] != nil
            case .codes: page.text.contains("class=\"codes\"")
            case .face: page.location?.hasPrefix("/signin/") == true
            case .deletion: page.text.contains("Your account is deleted")
            }
        }

        /// Whether the change needs the strongest sign-in that the account allows. Any recent one
        /// will do for the download.
        var isStrong: Bool { self != .data }

        /// The page to which a step-up returns.
        var beginning: String {
            switch self {
            case .passkey: "/account/passkey"
            case .password: "/account/password"
            case .data: "/account/data"
            case .codes: "/account?done=account_done_confirmed#s-codes"
            case .face: "/account?done=account_done_confirmed#s-faces"
            case .deletion: "/account/remove/account/me"
            }
        }
    }

    /// Makes every change, and asks whether each takes at most one step-up; where nothing in a
    /// browser is enough, whether the page says so and changes nothing.
    static func makeEveryChange(_ person: inout Person, _ index: Int) async throws {
        let server = person.server
        for (turn, change) in Change.allCases.enumerated() {
            let what = "\(person.things.map(\.rawValue).sorted()) \(change)"
            if change == .deletion { try await removeEverything(of: &person, index) }
            // The sign-in becomes too old, so that everything has to be proved again.
            if turn > 0 {
                server.time.advance(.seconds(301))
                // A sign-in ends with what it used, such as a set of codes that was replaced.
                try await person.staySignedIn()
            }
            var page = try await change.begin(person)
            if !person.canAdd, change.isStrong {
                #expect(!change.isDone(page), "\(what)")
                #expect(page.text.contains("The app on your device"), "\(what): \(page.text)")
                #expect(!page.text.contains("href=\"/signin/"), "\(what): a way that leads nowhere")
                continue
            }
            if !change.isDone(page) {
                let link = try #require(
                    page.text.firstMatch(of: /href="(\/signin\/[^"]*)"/)?.output.1,
                    "\(what): \(page)")
                page = try await person.confirm(
                    try await person.browser.get(String(link)), turn: turn + index)
                #expect(page.location == change.beginning, "\(what)")
                page = try await change.begin(person)
            }
            #expect(change.isDone(page), "\(what): \(page.status) \(page.text)")
            if change == .codes {
                person.codes = page.text.matches(of: /<li>([^<]+)<\/li>/).map {
                    String($0.output.1)
                }
                #expect(person.codes.count == 10, "\(what)")
            }
        }
        let isThere = try await server.admin.findUser(person.name) != nil
        #expect(isThere == !person.canAdd, "\(person.things)")
        // The key of the device can go without the device.
        if isThere { try await remove("biometric", .device, of: &person) }
    }

    // MARK: Removals

    /// Removes all that the account page offers, except for the last way to sign in, the key of a
    /// device, and the account.
    static func removeEverything(of person: inout Person, _ index: Int) async throws {
        if person.hasPassword {
            let other = PageBrowser(person.server.address)
            _ = try await other.signIn("/signin", name: person.name)
            try await remove("others", nil, of: &person)
            #expect(try await other.get("/account").location?.hasPrefix("/signin/") == true)
        }
        for thing in Thing.allCases where thing != .device && person.things.contains(thing) {
            guard person.hasPassword || person.things.subtracting([.device]).count > 1 else {
                break
            }
            // A withdrawn consent takes the face with it.
            let isConsent = thing == .face && !index.isMultiple(of: 2)
            try await remove(isConsent ? "consent" : thing.rawValue, thing, of: &person)
        }
        try await person.staySignedIn()
    }

    /// Removes something, and asks whether that takes at most one step-up.
    static func remove(_ kind: String, _ thing: Thing?, of person: inout Person)
        async throws
    {
        let browser = person.browser
        let what = "\(person.things.map(\.rawValue).sorted()) without \(kind)"
        try await person.staySignedIn()
        person.server.time.advance(.seconds(301))
        let pattern = try Regex(
            "href=\"(/account/remove/\(kind)/[^\"]*)\"", as: (Substring, Substring).self)
        let list = try await browser.open("/account")
        let address = String(
            try #require(list.text.firstMatch(of: pattern)?.output.1, "\(what): \(list.text)"))
        func begin() async throws -> PageBrowser.Page {
            let page = try await browser.open("/account")
            return try await browser.post(address, ["csrf": page.hidden("csrf") ?? ""])
        }
        var page = try await begin()
        if page.location == nil {
            let link = try #require(
                page.text.firstMatch(of: /href="(\/signin\/[^"]*)"/)?.output.1,
                "\(what): \(page.text)")
            page = try await person.confirm(try await browser.get(String(link)), turn: 0)
            #expect(page.location == address, "\(what)")
            page = try await begin()
        }
        #expect(
            page.location?.contains("done=account_done_\(kind)") == true,
            "\(what): \(page.status) \(page.text)")
        if let thing { person.forget(thing) }
    }
}
