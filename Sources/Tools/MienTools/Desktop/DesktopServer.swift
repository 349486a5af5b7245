internal import CMienSystem
internal import Foundation
internal import MienCore
package import MienFace

/// The socket could not be opened.
package struct DesktopSocketError: Error, Sendable {
    package let reason: String
}

/// Answers `pam_mien` on a local socket.
package final class DesktopServer<Reader: LiveFaceReader>: Sendable {
    /// Connections at once; of one user other than root.
    private static var maxConnections: Int { 16 }
    private static var maxOfOneUser: Int { 4 }

    private let listener: Int32
    private let idle: Duration?
    private let service: DesktopService<Reader>
    private let log: @Sendable (String) -> Void
    /// The users of the open connections.
    private let peers = Locked<[UInt32]>([])

    /// Listens on the socket that systemd passed, otherwise at `path`.
    ///
    /// - Parameters:
    ///   - idle: The time without a connection after which ``run()`` returns; `nil` for never. Used
    ///     only with systemd's socket, because systemd then starts the service again.
    ///   - log: Gets one line per answer, with nothing personal in it.
    /// - Throws: ``DesktopSocketError``.
    package init(
        at path: String, idle: Duration?, service: DesktopService<Reader>,
        log: @escaping @Sendable (String) -> Void
    ) throws(DesktopSocketError) {
        let inherited = mien_socket_inherited()
        listener = inherited >= 0 ? inherited : unsafe mien_socket_listen(path)
        guard listener >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw DesktopSocketError(
                reason:
                    "\(path): \(reason). The folder must exist and belong to root, and no other service may listen there."
            )
        }
        (self.idle, self.service, self.log) = (inherited >= 0 ? idle : nil, service, log)
    }

    /// Serves until nobody connected for `idle`, or the task is canceled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await connection in connections() {
                guard admit(connection.peer) else {
                    connection.close()
                    continue
                }
                group.addTask { [self] in
                    await answer(connection)
                    connection.close()
                    leave(connection.peer)
                }
            }
            group.cancelAll()
        }
    }

    /// Accepts on a thread of its own, because waiting blocks. It ends with the process, and the
    /// listener with it.
    private func connections() -> AsyncStream<DesktopConnection> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DesktopConnection.self, bufferingPolicy: .bufferingOldest(Self.maxConnections))
        let (listener, peers) = (listener, peers)
        let patience = idle.map { Int32(clamping: Int64($0 / .milliseconds(1))) } ?? -1
        WorkerThread.required(name: "mien.desktop") {
            while true {
                var peer: UInt32 = 0
                let socket = unsafe mien_socket_accept(listener, patience, &peer)
                if socket == -2 { break }
                if socket == -1 {
                    if patience >= 0, peers.withLock(\.isEmpty) { break }
                    continue
                }
                if case .enqueued = continuation.yield(
                    DesktopConnection(socket: socket, peer: peer))
                {
                    continue
                }
                mien_socket_close(socket)
            }
            continuation.finish()
        }.detach()
        return stream
    }

    private func admit(_ peer: UInt32) -> Bool {
        peers.withLock { peers in
            guard peers.count < Self.maxConnections,
                peer == 0 || peers.count(where: { $0 == peer }) < Self.maxOfOneUser
            else { return false }
            peers.append(peer)
            return true
        }
    }

    private func leave(_ peer: UInt32) {
        peers.withLock { peers in
            if let index = peers.firstIndex(of: peer) { peers.remove(at: index) }
        }
    }

    private func answer(_ connection: DesktopConnection) async {
        let answer: DesktopAnswer
        if let request = await connection.line().flatMap(DesktopRequest.init(line:)) {
            answer = await self.answer(request, connection)
            log("\(request.verb.rawValue): \(answer.line)")
        } else {
            answer = .unavailable(.malformed)
            log("request: \(answer.line)")
        }
        connection.send(answer.line)
    }

    private func answer(_ request: DesktopRequest, _ connection: DesktopConnection) async
        -> DesktopAnswer
    {
        guard connection.mayAsk(about: request.user, request.verb) else {
            return .unavailable(.notPermitted)
        }
        switch request.verb {
        case .ready: return await service.readiness(of: request.user)
        case .authenticated: return await service.unlock(request.user)
        case .check:
            return await service.check(
                request.user, while: { connection.isOpen },
                show: { connection.send("show \($0)") })
        }
    }
}
