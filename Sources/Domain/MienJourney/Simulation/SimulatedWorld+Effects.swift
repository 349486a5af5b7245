import MienCore

extension SimulatedWorld {
    /// Returns the answer that a server would give.
    mutating func perform(_ work: JourneyEffect.Work, at now: Instant) -> EffectResult.Answer {
        switch work {
        case .resolveUser(let identifier): return .user(identifier.use { user($0) }?.id)
        case .authenticatePassword(let user, let password):
            return authenticate(user, .password, amr: "pwd") { user in
                password.use { $0 == user.password }
            }
        case .openCapture:
            return .captureOpened(issue(CaptureID.self), startToken: "start-token-\(issued)")
        case .readCapture(let capture): return readCapture(capture)
        case .openIdentityVerification:
            let id = issue(VerificationID.self)
            return .verificationOpened(
                VerificationSession(
                    id: id, startToken: "start-token-\(issued)",
                    baseEndpoint: "https://mien.example", endpoint: "https://mien.example/verify",
                    state: "state-\(issued)"))
        case .readIdentityVerification(let session, state: _): return readVerification(session)
        case .registerFace(let user, let capture, consentTextVersion: _):
            guard let index = index(of: user), let selfie = captures.removeValue(forKey: capture)
            else {
                return .refused(.captureMissing)
            }
            users[index].faces = [selfie.person]
            return .faceRegistered(user, capture: capture)
        case .authenticateFace(let user, let capture):
            let person = captures.removeValue(forKey: capture)?.person
            let answer = authenticate(user, .face, amr: "face") { user in
                person.map { user.faces.contains($0) } ?? false
            }
            guard case .authenticated(let user, let amr, by: _) = answer else { return answer }
            return .faceAuthenticated(user, capture: capture, amr: amr)
        case .createUser(let user): return create(user)
        case .sendEmailCode(let user, length: _, let lifetime):
            let id = issue(CodeID.self), known = self.user(user)
            codes[id] = SentCode(
                user: known.flatMap { getsCode($0) ? $0.id : nil },
                expiresAt: now + .seconds(lifetime))
            return .codeSent(id)
        case .checkEmailCode(let code, let user, let passcode):
            return check(code, user, passcode, at: now)
        case .registerDeviceKey(let user, let key):
            guard let index = index(of: user) else { return .refused(.unavailable) }
            challenges[key.challenge] = nil
            users[index].deviceKeys.append(key.publicKeyID)
            return .deviceKeyRegistered(user, publicKeyID: key.publicKeyID)
        case .challengeDeviceKey:
            let id = issue(ChallengeID.self)
            challenges[id] = "challenge-\(issued)"
            return .deviceChallenge(id, challenge: "challenge-\(issued)")
        case .verifyDeviceKey(let user, let proof):
            let challenge = challenges.removeValue(forKey: proof.challenge)
            return authenticate(user, .nativeBiometrics, amr: "hwk") { user in
                guard let challenge, user.deviceKeys.contains(proof.publicKeyID) else {
                    return false
                }
                return proof.signature.use { $0 == "signed:\(challenge)" }
            }
        case .deleteDeviceKey(let user, let key):
            guard let index = index(of: user) else { return .refused(.unavailable) }
            users[index].deviceKeys.removeAll { key == nil || $0 == key }
            return .done
        case .offerOTP(let user, _):
            guard index(of: user) != nil else { return .refused(.unavailable) }
            let id = issue(CodeID.self)
            return .otpOffered(
                id, registrationCode: Sensitive("registration-\(issued)"),
                expiresAt: now + .seconds(600))
        case .confirmOTP(let user, _, let passcode):
            // The simulated device redeems the offer immediately.
            guard let index = index(of: user) else { return .refused(.unavailable) }
            guard passcode.use({ $0 == tokenCode }) else { return .refused(.wrongCode) }
            users[index].hasToken = true
            return .otpRegistered(user)
        case .authenticateOTP(let user, let passcode):
            let code = tokenCode
            return authenticate(user, .otp, amr: "otp") { user in
                user.hasToken && passcode.use { $0 == code }
            }
        case .challengeOTP:
            let id = issue(ChallengeID.self)
            challenges[id] = "challenge-\(issued)"
            return .deviceChallenge(id, challenge: "challenge-\(issued)")
        case .verifyOTPSignature(let user, let signature):
            let isOpen = challenges.removeValue(forKey: signature.challenge) != nil,
                code = tokenCode
            return authenticate(user, .otp, amr: "otp") { user in
                isOpen && user.hasToken && signature.passcode.use { $0 == code }
            }
        case .authenticateRecoveryCode(let user, let code):
            let answer = authenticate(user, .recoveryCode, amr: "x_recovery_code") { user in
                code.use { user.recoveryCodes.contains($0) }
            }
            if case .authenticated(let id, amr: _, by: _) = answer, let index = index(of: id) {
                users[index].recoveryCodes.removeAll { known in code.use { $0 == known } }
            }
            return answer
        case .recoverAccount(let user, _):
            guard let index = index(of: user) else { return .refused(.unavailable) }
            guard users[index].hasEffectiveRecovery else {
                return .recovery(user, .held(until: now + Self.hold))
            }
            users[index].hasEffectiveRecovery = false
            return .recovery(user, .restored)
        case .lockAuthenticator(let user, let type): return lock(user, type, true)
        case .unlockAuthenticator(let user, let type): return lock(user, type, false)
        case .callWebhook(let call):
            guard let webhook = webhooks[call.url] else { return .refused(.webhookFailed) }
            return .webhookAnswered(status: webhook.status, body: webhook.body)
        case .recordConsent(let user, let text):
            guard let index = index(of: user) else { return .refused(.unavailable) }
            users[index].consents.append(text.version)
            return .done
        case .findConsent(let user, let version):
            return .consent(index(of: user).map { users[$0].consents.contains(version) } ?? false)
        }
    }

    private mutating func issue<Kind>(_ type: Identifier<Kind>.Type) -> Identifier<Kind> {
        issued += 1
        guard let id = Identifier<Kind>("\(Kind.prefix)_\(issued)") else {
            preconditionFailure("a prefix and a number form a valid identifier")
        }
        return id
    }

    private func index(of id: UserID) -> Int? { users.firstIndex { $0.id == id } }

    private func user(_ reference: UserReference) -> User? {
        switch reference {
        case .id(let id): users.first { $0.id == id }
        case .identifier(let name): name.use { user($0) }
        }
    }

    /// Authenticates through the lock gate: checks locks before and counts failures after.
    private mutating func authenticate(
        _ reference: UserReference, _ type: AuthenticatorType, amr: String,
        _ isRight: (User) -> Bool
    ) -> EffectResult.Answer {
        guard let user = user(reference), let index = index(of: user.id) else {
            return .refused(.invalidCredentials)
        }
        guard !user.locked.contains(type) else { return .refused(.locked) }
        guard isRight(user) else {
            users[index].failures[type, default: 0] += 1
            if users[index].failures[type] == lockAfter { users[index].locked.insert(type) }
            return .refused(.invalidCredentials)
        }
        users[index].failures[type] = 0
        return .authenticated(user.id, amr: [amr])
    }

    private mutating func readCapture(_ capture: CaptureID) -> EffectResult.Answer {
        guard let name = selfieNow, let selfie = selfies[name] else {
            return .refused(.captureUnfinished)
        }
        guard selfie.isLive else { return .refused(.captureRefused) }
        captures[capture] = selfie
        return .captured(capture, summary: [:])
    }

    private mutating func readVerification(_ session: VerificationID) -> EffectResult.Answer {
        guard let name = verificationNow, let verification = verifications[name] else {
            return .refused(.captureUnfinished)
        }
        var capture: CaptureID?
        if let selfie = verification.selfie.flatMap({ selfies[$0] }) {
            let id = issue(CaptureID.self)
            captures[id] = selfie
            capture = id
        }
        return .verified(
            VerificationVerdict(
                session: session, recommendation: verification.recommendation,
                establishes: verification.user.flatMap { user($0) }?.id,
                capture: capture, summary: verification.summary))
    }

    private mutating func create(_ new: NewUser) -> EffectResult.Answer {
        let names = [new.externalID, new.username].compactMap { name in
            name.map { $0.use { $0.lowercased() } }
        }
        // One of the server's password rules.
        if let password = new.password, password.use({ names.contains($0.lowercased()) }) {
            return .refused(.notAllowed)
        }
        let isTaken = users.contains { user in names.contains { user.names.contains($0) } }
        var id = issue(UserID.self)
        while index(of: id) != nil { id = issue(UserID.self) }
        users.append(
            User(
                id: id, names: (isTaken ? [] : names) + [id.text.lowercased()],
                claimedEmail: new.email.map { $0.use { $0 } }, isDecoy: isTaken,
                password: new.password.map { $0.use { $0 } }))
        return .userCreated(id)
    }

    /// Whether a sign-up receives its code: not if its name or address belongs to another user.
    private func getsCode(_ user: User) -> Bool {
        guard let claimed = user.claimedEmail else { return user.email != nil }
        return !user.isDecoy && self.user(claimed) == nil
    }

    /// Whether the user can sign in when the journey ends: not with a name or address that belongs
    /// to another user.
    func completes(_ id: UserID) -> Bool { users.first { $0.id == id }?.isDecoy != true }

    private mutating func check(
        _ code: CodeID, _ reference: UserReference, _ passcode: Sensitive<String>, at now: Instant
    ) -> EffectResult.Answer {
        guard let sent = codes[code] else { return .refused(.wrongCode) }
        guard now < sent.expiresAt else { return .refused(.expired) }
        let right = self.passcode
        let answer = authenticate(reference, .emailCode, amr: "otp") {
            $0.id == sent.user && passcode.use { $0 == right }
        }
        if case .authenticated(let id, amr: _, by: _) = answer {
            codes[code] = nil
            if let index = index(of: id), let claimed = users[index].claimedEmail {
                users[index].names.append(claimed.lowercased())
                (users[index].email, users[index].claimedEmail) = (claimed, nil)
            }
        }
        return answer
    }

    private mutating func lock(_ user: UserID, _ type: AuthenticatorType, _ isLocked: Bool)
        -> EffectResult.Answer
    {
        guard let index = index(of: user) else { return .refused(.unavailable) }
        if isLocked { users[index].locked.insert(type) } else { users[index].locked.remove(type) }
        users[index].failures[type] = 0
        return .done
    }
}
