import Foundation
import MienVault
import Testing

/// The same lock between processes: `HostileTests+DataFolder`.
@Suite struct ProcessLockTests {
    @Test
    func
        `a second holder is refused and learns the first one's process id, until the first releases it`()
        async throws
    {
        try await withTemporaryFolder { folder throws in
            let path = "\(folder)/server.lock", id = ProcessInfo.processInfo.processIdentifier
            let first = try ProcessLock(path)
            #expect(throws: ProcessLock.Held(holder: id)) { try ProcessLock(path) }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "\(id)\n")
            #expect(
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                    == 0o600)
            first.release()
            first.release()
            #expect(try String(contentsOfFile: path, encoding: .utf8).isEmpty)
            let second = try ProcessLock(path)
            #expect(throws: ProcessLock.Held(holder: id)) { try ProcessLock(path) }
            second.release()
        }
    }

    @Test func `a lock that is let go of is released`() async throws {
        try await withTemporaryFolder { folder throws in
            do { _ = try ProcessLock("\(folder)/server.lock") }
            try ProcessLock("\(folder)/server.lock").release()
        }
    }

    @Test func `a crashed holder's longer process id is overwritten`() async throws {
        try await withTemporaryFolder { folder throws in
            let path = "\(folder)/server.lock"
            try Data("99999999999999999999\n".utf8).write(to: URL(filePath: path))
            let lock = try ProcessLock(path)
            #expect(throws: ProcessLock.Held(holder: ProcessInfo.processInfo.processIdentifier)) {
                try ProcessLock(path)
            }
            lock.release()
        }
    }

    @Test func `a symbolic link in place of the lock file is refused`() async throws {
        try await withTemporaryFolder { folder throws in
            try Data("precious".utf8).write(to: URL(filePath: "\(folder)/other"))
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/server.lock", withDestinationPath: "\(folder)/other")
            #expect(throws: FileSystemError.self) { try ProcessLock("\(folder)/server.lock") }
            #expect(try String(contentsOfFile: "\(folder)/other", encoding: .utf8) == "precious")
        }
    }
}
