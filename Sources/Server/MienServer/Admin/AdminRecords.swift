internal import Hummingbird
internal import MienAPI
internal import MienAccess
internal import MienCore
internal import MienServerCore
internal import MienStore

/// Finds the records that the addresses of the admin API name.
struct AdminRecords: Sendable {
    /// The number of items on one page of a list.
    static let pageSize = 100

    let store: Store

    func app(_ context: MienRequestContext) async throws -> AppRecord {
        let id = try AppID(context.parameters.require("app"), field: "app")
        guard let record = try await store.read({ try $0.apps.find(id) }) else {
            throw Problem(.notFound, "There is no such app.")
        }
        return record
    }

    func user(_ context: MienRequestContext) async throws -> AccountRecord {
        try await user(UserID(context.parameters.require("user"), field: "user"))
    }

    func user(_ id: UserID) async throws -> AccountRecord {
        guard let account = try await store.read({ try $0.accounts.find(id) }) else {
            throw Problem(.notFound, "There is no such user.")
        }
        return account
    }
}

extension MienRequestContext {
    /// The actor that the audit log records.
    var actor: String { administrator?.text ?? "system" }
}
