internal import MienAPI
package import MienStore

/// The sign-ins of administrators: methods, sessions, setup codes, and invitations.
package struct AdministratorSignIns: Sendable {
    let store: Store
    let clock: ServerClock
    let passwords: PasswordSignIn
    let passkeys: AdministratorPasskeys
    let offers: AdministratorOffers
    let own: OwnMethods
    package let cookies: AdminCookies
    /// Limits the sign-ins and codes that one address may try.
    let guesses: RateLimiter

    /// - Parameters:
    ///   - portal: The URL of the portal, known once the server listens.
    ///   - guessesPerMinute: By one address.
    package init(
        store: Store, passwords: PasswordService, challenges: ChallengeService,
        signatures: SignatureQueue, cookies: AdminCookies, portal: @escaping @Sendable () -> String,
        guessesPerMinute: Int, clock: ServerClock
    ) {
        (self.store, self.clock, self.cookies) = (store, clock, cookies)
        let gate = AdministratorGate(store: store, clock: clock)
        let methods = NewMethods(keys: store.keys, passwords: passwords)
        self.passwords = PasswordSignIn(
            store: store, gate: gate, passwords: passwords, clock: clock)
        passkeys = AdministratorPasskeys(
            store: store, gate: gate, challenges: challenges, signatures: signatures,
            portal: portal, clock: clock)
        offers = AdministratorOffers(
            store: store, passkeys: passkeys, methods: methods, portal: portal, clock: clock)
        own = OwnMethods(
            store: store, passkeys: passkeys, methods: methods, portal: portal, clock: clock)
        guesses = RateLimiter(
            "admin-sign-ins", .init(burst: guessesPerMinute, perMinute: guessesPerMinute),
            store: store)
    }
}
