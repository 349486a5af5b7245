import Foundation

/// Runs `body` with a new folder on the real disk, removed afterwards.
package func withTemporaryFolder<T>(_ body: (String) async throws -> T) async throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "mien-vault-\(UUID().uuidString)"
    ).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

package func mode(of path: String) throws -> Int {
    let value =
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    return value?.intValue ?? -1
}

package func contents(of path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
}

package func put(_ bytes: [UInt8], at path: String, mode: Int = 0o600) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
}
