import MienCore

/// Shared parts of simulated effects. Each effect answers in the file that declares it.
extension SimulatedWorld {
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
    ) -> EffectReply<Authentication> {
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
