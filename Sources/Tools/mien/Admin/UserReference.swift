import MienAPI
import MienClient
import MienCore

extension MienAdmin {
    /// The user whom somebody means: by id, else by user name, e-mail address or external id. An id
    /// goes first: nobody can take the place of another by being called so.
    func user(meant text: String) async throws -> (id: UserID, user: UserAnswer) {
        if let id = UserID(text) {
            do { return (id, try await user(id)) } catch let error as MienError
                where error.problem?.code == .notFound
            {}
        }
        guard let user = try await findUser(text) else {
            throw Failure(
                .badInput, "user.unknown",
                "no user has the id, user name, e-mail address or external id “\(text)”")
        }
        return (try Self.id(user.id), user)
    }

    /// The authenticator of `user` that somebody means: by id or, if there is but one of that type,
    /// by type.
    func authenticator(meant text: String, of user: UserID) async throws -> (
        id: AuthenticatorID, authenticator: AuthenticatorAnswer
    ) {
        let all = try await authenticators(of: user)
        let found =
            all.filter { $0.id == text }.first.map { [$0] } ?? all.filter { $0.type == text }
        guard let first = found.first else {
            let there =
                all.isEmpty
                ? "there are none"
                : "there are " + all.map { "\($0.id) (\($0.type))" }.joined(separator: ", ")
            throw Failure(
                .badInput, "authenticator.unknown",
                "the user has no authenticator “\(text)”: \(there)")
        }
        guard found.count == 1 else {
            let ids = found.map { "\($0.id) (\($0.appID ?? "any app"))" }.joined(separator: ", ")
            throw Failure(
                .badInput, "authenticator.ambiguous",
                "the user has several authenticators of type \(text), name one by its id: \(ids)")
        }
        return (try Self.id(first.id), first)
    }

    private static func id<Kind>(_ text: String) throws -> Identifier<Kind> {
        guard let id = Identifier<Kind>(text) else {
            throw Failure(.notSetUp, "server.failed", "the server answers with an id that is none")
        }
        return id
    }
}
