import Foundation
import MienCore

/// Stands between a server and PostgreSQL, and cuts a connection at a chosen moment.
final class CuttingProxy: Sendable {
    enum Cut: Sendable, CaseIterable {
        /// PostgreSQL does not get the commit.
        case beforeCommit
        /// PostgreSQL commits, and the answer is lost.
        case afterCommit
        /// Like `afterCommit`, but PostgreSQL still waits for the rest of the request when asked.
        case afterHalfOfCommit
    }

    /// The folder of the proxy's socket.
    let folder: URL
    private let target: String
    private let listener: Int32
    private let next = Locked<Cut?>(nil)

    /// The number of connections that were cut.
    private let cuts = Locked(0)
    var count: Int { cuts.withLock { $0 } }

    /// - Parameter cluster: the folder of PostgreSQL's socket.
    init(to cluster: URL) throws {
        folder = URL(filePath: "/tmp/mien-cut-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        target = cluster.appending(path: ".s.PGSQL.5432").path
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let bound = Self.address(folder.appending(path: ".s.PGSQL.5432").path) {
            bind(listener, $0, $1)
        }
        guard bound == 0, listen(listener, 64) == 0 else { throw CocoaError(.fileWriteUnknown) }
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 { return }
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    /// Cuts the next connection that commits.
    func cutNext(_ cut: Cut) { next.withLock { $0 = cut } }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(at: folder)
    }

    private func serve(_ client: Int32) {
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected = Self.address(target) { connect(server, $0, $1) } == 0
        defer {
            close(client)
            close(server)
        }
        guard isConnected else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let commit = Array("COMMIT".utf8)
        while true {
            var both = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&both, 2, -1) > 0 else { return }
            for (from, to) in [(0, 1), (1, 0)] where both[from].revents != 0 {
                let count = read(both[from].fd, &buffer, buffer.count)
                if count <= 0 { return }
                let bytes = Array(buffer[..<count])
                if from == 0, bytes.count < 64, Self.contains(bytes, commit),
                    let cut = next.withLock({ next in
                        defer { next = nil }
                        return next
                    })
                {
                    cuts.withLock { $0 += 1 }
                    switch cut {
                    case .beforeCommit: return
                    case .afterHalfOfCommit:
                        _ = write(server, bytes, count - 2)
                        // PostgreSQL goes on waiting for the rest.
                        shutdown(client, Int32(SHUT_RDWR))
                        Thread.sleep(forTimeInterval: 3)
                        return
                    case .afterCommit:
                        _ = write(server, bytes, count)
                        shutdown(client, Int32(SHUT_RDWR))
                        // Let it commit before it notices.
                        _ = read(server, &buffer, buffer.count)
                        return
                    }
                }
                var sent = 0
                while sent < count {
                    let done = bytes.withUnsafeBytes {
                        write(both[to].fd, $0.baseAddress! + sent, count - sent)
                    }
                    if done <= 0 { return }
                    sent += done
                }
            }
        }
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }

    private static func address<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
