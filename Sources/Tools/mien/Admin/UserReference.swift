import MienAPI
import MienClient
import MienCore
import MienTools

extension MienAdmin {
    /// Finds a user by ID, or else by user name, email address, or external ID. IDs come first, so
    /// that nobody can be mistaken for another user by choosing that user's ID as a name.
    func user(meant text: String) async throws -> (id: UserID, user: UserAnswer) {
        if let id = UserID(text) {
            do { return (id, try await user(id)) } catch let error as MienError
                where error.problem?.code == .notFound
            {}
        }
        guard let user = try await findUser(text) else {
            throw Failure(
                .badInput, "user.unknown",
                "no user has the ID, user name, email address, or external ID “\(text.inSentence)”")
        }
        return (try Self.id(user.id), user)
    }

    /// Finds an authenticator of `user` by ID or, if there is only one of that type, by type.
    func authenticator(meant text: String, of user: UserID) async throws -> (
        id: AuthenticatorID, authenticator: AuthenticatorAnswer
    ) {
        let all = try await authenticators(of: user)
        let found =
            all.filter { $0.id == text }.first.map { [$0] }
            ?? all.filter { $0.type.rawValue == text }
        guard let first = found.first else {
            let there =
                all.isEmpty
                ? "the user has none"
                : "the user has " + all.map { "\($0.id) (\($0.type))" }.joined(separator: ", ")
            throw Failure(
                .badInput, "authenticator.unknown",
                "the user has no authenticator “\(text.inSentence)”: \(there)")
        }
        guard found.count == 1 else {
            let ids = found.map { "\($0.id) (\($0.appID ?? "any app"))" }.joined(separator: ", ")
            throw Failure(
                .badInput, "authenticator.ambiguous",
                "the user has several authenticators of type \(text.inSentence). Name one by its ID: \(ids)"
            )
        }
        return (try Self.id(first.id), first)
    }

    private static func id<Kind>(_ text: String) throws -> Identifier<Kind> {
        guard let id = Identifier<Kind>(text) else {
            throw Failure(.notSetUp, "server.failed", "the server returned a malformed ID")
        }
        return id
    }
}
