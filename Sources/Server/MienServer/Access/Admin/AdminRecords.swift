internal import Hummingbird
package import MienAPI
package import MienCore
package import MienStore

/// Finds the records that the addresses of the admin API name.
package struct AdminRecords: Sendable {
    /// The number of items on one page of a list.
    package static let pageSize = 100

    let store: Store

    package func app(_ context: MienRequestContext) async throws -> AppRecord {
        let id = try AppID(context.parameters.require("app"), field: "app")
        guard let record = try await store.read({ try $0.apps.find(id) }) else {
            throw Problem.noSuchApp
        }
        return record
    }

    package func user(_ context: MienRequestContext) async throws -> AccountRecord {
        try await user(UserID(context.parameters.require("user"), field: "user"))
    }

    package func user(_ id: UserID) async throws -> AccountRecord {
        guard let account = try await store.read({ try $0.accounts.find(id) }) else {
            throw Problem.noSuchUser
        }
        return account
    }
}

extension MienRequestContext {
    /// The actor that the audit log records.
    package var actor: String { administrator?.text ?? "system" }
}

extension Problem {
    package static let noSuchApp = Problem(.notFound, "There is no such app.")
    package static let noSuchUser = Problem(.notFound, "There is no such user.")
    /// The user was deleted, or is no longer active, while the request was processed.
    package static let userIsGone = Problem(.notFound, "The user no longer exists.")
}
