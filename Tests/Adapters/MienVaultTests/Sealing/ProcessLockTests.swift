import Foundation
import MienServerTesting
import MienVault
import Testing

/// Tests the lock within one process. `HostileTests+DataFolder` tests it between processes.
@Suite struct ProcessLockTests {
    @Test
    func
        `a second holder is rejected with the first one's process ID until the first releases the lock`()
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

    @Test func `a lock is released with its last reference`() async throws {
        try await withTemporaryFolder { folder throws in
            do { _ = try ProcessLock("\(folder)/server.lock") }
            try ProcessLock("\(folder)/server.lock").release()
        }
    }

    @Test func `a crashed holder's longer process ID is overwritten`() async throws {
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

    @Test func `a symbolic link in place of the lock file is rejected`() async throws {
        try await withTemporaryFolder { folder throws in
            try Data("precious".utf8).write(to: URL(filePath: "\(folder)/other"))
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/server.lock", withDestinationPath: "\(folder)/other")
            #expect(throws: FileSystemError.self) { try ProcessLock("\(folder)/server.lock") }
            #expect(try String(contentsOfFile: "\(folder)/other", encoding: .utf8) == "precious")
        }
    }
}
