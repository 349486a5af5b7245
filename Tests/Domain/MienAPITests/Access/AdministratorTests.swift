import MienAPI
import MienCore
import Testing

@Suite("Administrators, as values")
struct AdministratorValueTests {
    private static let start = Instant(milliseconds: 1_800_000_000_000)
    private static let ada = AdminID("adm_ada")!, grace = AdminID("adm_grace")!

    // MARK: Sessions

    @Test("a session lives for 30 minutes after a request, and for 12 hours at most")
    func session() {
        var session = AdministratorSession(
            admin: Self.ada, method: .passkey, signedInAt: Self.start)
        var now = Self.start + .seconds(30 * 60) - .milliseconds(1)
        #expect(session.isLive(at: now))
        #expect(!session.isLive(at: Self.start + .seconds(30 * 60)))
        while now < Self.start + .seconds(12 * 3600) - .seconds(29 * 60) {
            let isNoted = session.use(at: now)
            #expect(isNoted && session.usedAt == now)
            now = now + .seconds(29 * 60)
        }
        let isNoted = session.use(at: now)
        #expect(isNoted)
        #expect(session.expiresAt == Self.start + .seconds(12 * 3600))
        #expect(!session.isLive(at: Self.start + .seconds(12 * 3600)))
    }

    @Test("the use of a session is noted at most every 30 seconds, and not once it has ended")
    func use() {
        var session = AdministratorSession(
            admin: Self.ada, method: .password, signedInAt: Self.start)
        let early = session.use(at: Self.start + .seconds(29))
        #expect(!early && session.usedAt == Self.start)
        let noted = session.use(at: Self.start + .seconds(30))
        #expect(noted)
        let late = session.use(at: Self.start + .seconds(3600))
        #expect(!late)
    }

    @Test("a session is fresh for ten minutes after the sign-in, whatever its use")
    func fresh() {
        let session = AdministratorSession(
            admin: Self.ada, method: .password, signedInAt: Self.start,
            usedAt: Self.start + .seconds(599))
        #expect(session.isFresh(at: Self.start + .seconds(599)))
        #expect(!session.isFresh(at: Self.start + .seconds(600)))
    }

    // MARK: Methods

    /// Every number of passkeys that matters, with and without a password.
    private static let all = [0, 1, 2, AdministratorMethods.maxPasskeys].flatMap { count in
        [false, true].map { AdministratorMethods(passkeys: count, hasPassword: $0) }
    }

    @Test("no change leaves an administrator who could sign in without a way to")
    func neverLockedOut() {
        for methods in Self.all where methods.isUsable {
            for change in AdministratorMethods.Change.allCases {
                for method in AdministratorSession.Method.allCases
                where methods.refusal(of: change, signedInWith: method) == nil {
                    var after = methods
                    switch change {
                    case .addPasskey: after.passkeys += 1
                    case .removePasskey: after.passkeys -= 1
                    case .addPassword: after.hasPassword = true
                    case .removePassword: after.hasPassword = false
                    }
                    #expect(after.isUsable, "\(methods) \(change)")
                    #expect(after.passkeys <= AdministratorMethods.maxPasskeys)
                }
            }
        }
    }

    @Test("beside a passkey, a sign-in with a password changes neither passkeys nor the password")
    func noDowngrade() {
        for methods in Self.all where methods.passkeys > 0 {
            #expect(
                methods.refusal(of: .removePasskey, signedInWith: .password)
                    == (methods.passkeys > 1 || methods.hasPassword ? .needsPasskey : .last))
            #expect(methods.refusal(of: .addPasskey, signedInWith: .password) == .needsPasskey)
            #expect(methods.refusal(of: .addPassword, signedInWith: .password) == .needsPasskey)
            #expect(methods.refusal(of: .addPassword, signedInWith: .passkey) == nil)
        }
        let nothing = AdministratorMethods(passkeys: 0, hasPassword: false)
        #expect(nothing.refusal(of: .removePasskey, signedInWith: .passkey) == .missing)
        #expect(nothing.refusal(of: .removePassword, signedInWith: .passkey) == .missing)
    }

    // MARK: Offers

    private static func offer(_ kind: AdministratorOffer.Kind, by author: AdminID?)
        -> AdministratorOffer
    {
        AdministratorOffer(
            id: AdministratorOfferID("inv_1")!, kind: kind, subject: grace, name: "Grace",
            role: .owner, author: author, createdAt: start)
    }

    @Test("a code is open until it expires, while its author is an owner")
    func offers() {
        for (kind, seconds) in [(AdministratorOffer.Kind.setup, 86_400), (.invitation, 259_200)] {
            let end = Self.start + .seconds(seconds)
            let own = Self.offer(kind, by: nil), made = Self.offer(kind, by: Self.ada)
            #expect(own.isOpen(at: end - .milliseconds(1), authorRole: nil))
            #expect(!own.isOpen(at: end, authorRole: nil))
            for role in AdminRole.allCases {
                #expect(made.isOpen(at: Self.start, authorRole: role) == (role == .owner))
                #expect(!made.isOpen(at: end, authorRole: role))
            }
            #expect(!made.isOpen(at: Self.start, authorRole: nil), "the author is gone")
        }
    }

    // MARK: Names

    @Test("names are compared without case, width, and repeated spaces")
    func names() {
        let ada = AdministratorName("Ada Lovelace")
        #expect(ada?.normal == "ada lovelace")
        for same in [
            "ADA LOVELACE", "  ada   lovelace ", "Ａｄａ\u{3000}Lovelace", "A\u{200B}da Lovelace",
        ] {
            #expect(AdministratorName(same) == ada, "\(same)")
        }
        #expect(AdministratorName("Οδυσσεύς Weiß") == AdministratorName("ΟΔΥΣΣΕΎΣ WEISS"))
        #expect(AdministratorName("Ada-Lovelace") != ada)
        for bad in ["", "   ", "a\nb", "a\u{202E}b", String(repeating: "a", count: 101)] {
            #expect(AdministratorName(bad) == nil, "\(bad.debugDescription)")
        }
    }
}
