internal import MienAPI
internal import MienAttestation
internal import MienCore
internal import MienKeys
internal import MienStore

/// The passkeys of administrators: WebAuthn credentials for the origin of the portal, apart from
/// those of users.
///
/// Sign-ins name nobody: the browser offers the passkeys that it finds, so the server tells nothing
/// about names.
struct AdministratorPasskeys: Sendable {
    let store: Store
    let gate: AdministratorGate
    let challenges: ChallengeService
    let signatures: SignatureQueue
    let portal: @Sendable () -> String
    let clock: ServerClock

    /// - Throws: ``Problem`` `.conflict` if browsers have no passkeys for the portal's address.
    private func ceremony() throws(Problem) -> PasskeyCeremony {
        guard let own = RelyingPartySettings.origin(portal()),
            !RelyingPartySettings.isAddress(own.host)
        else {
            throw Problem(
                .conflict,
                "Passkeys need a host name, but the portal's URL has an IP address. Set admin.url, or use a password with an authenticator app."
            )
        }
        return PasskeyCeremony(
            relyingParty: RelyingParty(id: own.host, origins: [own.text]), challenges: challenges,
            signatures: signatures)
    }

    var areOffered: Bool { (try? ceremony()) != nil }

    // MARK: Registering

    /// Returns the options for `navigator.credentials.create`.
    ///
    /// - Parameter binding: The purpose of the challenge; pass the same to ``verify(_:for:)``.
    func registrationOptions(
        for admin: AdminID, named name: String, besides known: [Passkey], binding: String
    ) async throws -> JSONValue {
        let others = known.map { passkey -> JSONValue in
            ["type": "public-key", "id": .string(Base64URL.encode(passkey.id))]
        }
        // The credential must be found without a name.
        return try await ceremony().registrationOptions(
            handle: Array(admin.text.utf8), name: name, known: others, residentKey: "required",
            attestation: "none", for: .administratorPasskey, binding: binding)
    }

    /// Verifies a new credential and uses up its challenge.
    ///
    /// - Throws: ``Problem`` `.invalidRequest` that names the invalid part.
    func verify(_ value: JSONValue, for binding: String) async throws -> Passkey {
        let ceremony = try ceremony()
        return Passkey(
            try await ceremony.register(
                try BrowserCredential(value), for: .administratorPasskey, binding: binding,
                share: .stranger(), at: clock.now))
    }

    // MARK: Signing in

    /// Returns the options for `navigator.credentials.get`.
    func signInOptions() async throws -> JSONValue {
        try await ceremony().signInOptions(for: .administratorSignIn)
    }

    /// - Throws: ``Problem`` `.invalidCredentials`, the same for every refusal.
    func signIn(_ value: JSONValue, _ cookies: PortalCookies) async throws -> BrowserSignIn {
        let ceremony = try ceremony(), credential = try BrowserCredential(value),
            response = try credential.assertion()
        let hash = store.keys.hash(ofCredential: credential.id)
        let method = try await store.read { try $0.adminMethods.find(credentialHash: hash) }
        guard let challenge = credential.challenge,
            try await challenges.take(
                String(decoding: challenge, as: UTF8.self), for: .administratorSignIn)
        else { throw try await refuse(method?.admin, "challenge", isJudged: false) }
        guard let method, let passkey = method.content.use({ Passkey($0) }) else {
            try await gate.pretend()
            throw try await refuse(nil, "unknown", isJudged: false)
        }
        let browsers = cookies.browserHashes(store.keys)
        guard let pass = try await gate.begin(method.admin, .passkey, browsers: browsers) else {
            throw try await refuse(method.admin, "locked", isJudged: false)
        }
        // No name was sent, so the response must name the administrator: WebAuthn §7.2 step 6.
        guard response.userHandle != nil else {
            throw try await refuse(method.admin, "user-handle", isJudged: true)
        }
        let result: WebAuthnAuthentication
        do {
            result = try await ceremony.verify(
                response, with: passkey, handle: Array(method.admin.text.utf8),
                challenge: challenge, share: .stranger())
        } catch let error as AttestationError {
            throw try await refuse(method.admin, error.code.rawValue, isJudged: true)
        } catch {
            try await gate.abandon(pass)
            throw error
        }
        guard let received = try? AuthenticatorData(response.authenticatorData).counter else {
            throw Problem.signInRefused
        }
        return try await begin(method, pass, received, isBackedUp: result.isBackedUp, cookies)
    }

    /// Compares the counter with the stored one, stores it, and begins the session.
    private func begin(
        _ method: AdminMethodRecord, _ pass: AdministratorGate.Pass, _ received: UInt32,
        isBackedUp: Bool, _ cookies: PortalCookies
    ) async throws -> BrowserSignIn {
        let now = clock.now, hash = method.credentialHash
        let signIn = BrowserSignIn(
            method.admin, .passkey, known: pass.browser, cookies, store.keys, at: now)
        let isBegun = try await store.write { tables in
            guard let hash, var stored = try tables.adminMethods.find(credentialHash: hash),
                stored.id == method.id, var passkey = stored.content.use({ Passkey($0) })
            else { return false }
            let counter = SignatureCounter(stored: passkey.counter, received: received)
            if case .possibleClone = counter {
                try tables.audit.append(
                    AuditEvent(
                        "administrator.possible-clone", actor: method.admin.text,
                        detail: ["passkey": .string(method.id.text)]), at: now)
                return false
            }
            (passkey.counter, passkey.isBackedUp) = (counter.stored, isBackedUp)
            stored.content = Sensitive(passkey.content)
            guard try tables.adminMethods.update(stored, usedAt: now) else { return false }
            try AdministratorGate.succeed(
                pass, browser: signIn.browserHash, in: tables, at: now)
            try signIn.store(in: tables, at: now)
            return true
        }
        guard isBegun else { throw Problem.signInRefused }
        return signIn
    }

    private func refuse(_ admin: AdminID?, _ reason: String, isJudged: Bool) async throws -> Problem
    {
        let now = clock.now
        let event = AuditEvent(
            "administrator.sign-in-refused", actor: admin?.text ?? "system",
            detail: ["method": "passkey", "reason": .string(reason)])
        try await store.write {
            try isJudged ? $0.audit.append(event, at: now) : $0.audit.count(event, at: now)
        }
        return .signInRefused
    }
}
