import MienCore

extension SimulatedWorld {
    /// Returns the answer that a server would give. Each effect answers in the file that declares it.
    mutating func perform(_ effect: StepEffect, at now: Instant) -> EffectAnswer {
        switch effect {
        case .resolveUser(let identifier): .user(identifier.use { user($0) }?.id)
        case .authenticatePassword(let effect): effect.simulated(in: &self)
        case .openCapture(let request): request.simulated(in: &self)
        case .readCapture(let capture): read(capture)
        case .openVerification(let request): request.simulated(in: &self)
        case .readVerification(let effect): effect.simulated(in: &self)
        case .registerFace(let effect): effect.simulated(in: &self)
        case .authenticateFace(let effect): effect.simulated(in: &self)
        case .challengeDeviceKey, .challengeOTP: challenge()
        case .registerDeviceKey(let effect): effect.simulated(in: &self)
        case .verifyDeviceKey(let effect): effect.simulated(in: &self)
        case .deleteDeviceKey(let effect): effect.simulated(in: &self)
        case .sendEmailCode(let effect): effect.simulated(in: &self, at: now)
        case .checkEmailCode(let effect): effect.simulated(in: &self, at: now)
        case .offerOTP(let effect): effect.simulated(in: &self, at: now)
        case .confirmOTP(let effect): effect.simulated(in: &self)
        case .authenticateOTP(let effect): effect.simulated(in: &self)
        case .verifyOTPSignature(let effect): effect.simulated(in: &self)
        case .requestApproval(let effect): effect.simulated(in: &self, at: now)
        case .readApproval(let effect): effect.simulated(in: &self)
        case .authenticateRecoveryCode(let effect): effect.simulated(in: &self)
        case .recoverAccount(let effect): effect.simulated(in: &self, at: now)
        case .setPassword(let effect): effect.simulated(in: &self)
        case .recordConsent(let effect): effect.simulated(in: &self)
        case .findConsent(let effect): effect.simulated(in: self)
        case .createUser(let user): user.simulated(in: &self)
        case .setAuthenticatorLock(let effect): effect.simulated(in: &self)
        case .callWebhook(let call): call.simulated(in: self)
        }
    }

    // MARK: Shared parts

    mutating func issue<Kind>(_ type: Identifier<Kind>.Type) -> Identifier<Kind> {
        issued += 1
        guard let id = Identifier<Kind>("\(Kind.prefix)_\(issued)") else {
            preconditionFailure("a prefix and a number form a valid identifier")
        }
        return id
    }

    func index(of id: UserID) -> Int? { users.firstIndex { $0.id == id } }

    func user(_ reference: UserReference) -> User? {
        switch reference {
        case .id(let id): users.first { $0.id == id }
        case .identifier(let name): name.use { user($0) }
        }
    }

    /// Authenticates through the lock gate: checks locks before and counts failures after.
    mutating func authenticate(
        _ reference: UserReference, _ type: AuthenticatorType, amr: String,
        _ isRight: (User) -> Bool
    ) -> EffectAnswer {
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

    /// Whether the user can sign in when the journey ends: not with a name or address that belongs
    /// to another user.
    func completes(_ id: UserID) -> Bool { users.first { $0.id == id }?.isDecoy != true }
}
