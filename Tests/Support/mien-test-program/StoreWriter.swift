import Foundation
import MienAPI
import MienCore
import MienStore
import MienVault

/// `mien-test-program store-writer FILE`: creates accounts, four at a time, each with an entry in the audit log.
/// Prints an account's ID when the store has acknowledged it. Continues until it is killed.
func writeUntilKilled(_ path: String) async throws {
    let store = try await Store(
        SQLiteDriver(path: path), keys: StoreKeys(MasterKey(bytes: Array(1...32))))
    await withTaskGroup { group in
        for _ in 0..<4 {
            group.addTask {
                do {
                    for number in 0... {
                        var generator = SystemRandomNumberGenerator()
                        let id = UserID.random(using: &generator),
                            now = Instant(milliseconds: Int64(number))
                        let account = AccountRecord.new(
                            id, AccountProfile(username: id.text), keys: store.keys, at: now)
                        let name = try LoginName(id.text, kind: .username)
                        try await store.write(number % 2 == 0 ? .always : .process) { tables in
                            try tables.accounts.insert(account, names: [name])
                            try tables.audit.append(
                                AuditEvent("user.created", actor: "system", account: id), at: now)
                        }
                        // A single write, so that no line is cut.
                        FileHandle.standardOutput.write(Data("\(id.text)\n".utf8))
                    }
                } catch {
                    FileHandle.standardError.write(Data("\(error)\n".utf8))
                    exit(1)
                }
            }
        }
    }
}
