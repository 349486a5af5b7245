internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// The addresses of a host, and the first of them that works: RFC 8305.
enum HostAddresses {
    /// The time after which the next address is tried as well.
    private static let headStart = Duration.milliseconds(250)
    /// The maximum number of addresses that are tried.
    private static let most = 8

    /// Returns the addresses of a host, of both families in turn.
    ///
    /// A name server that does not answer keeps a thread of NIO's pool for blocking calls waiting,
    /// but not the caller, who may give up before.
    static func resolve(_ host: String, port: Int) async throws -> [String] {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let promise = loop.makePromise(of: [String].self)
        NIOThreadPool.singleton.runIfActive(eventLoop: loop) { try look(up: host, port) }
            .cascade(to: promise)
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            promise.fail(CancellationError())
        }
    }

    private static func look(up host: String, _ port: Int) throws -> [String] {
        var hints = unsafe addrinfo(), found: UnsafeMutablePointer<addrinfo>?
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        guard unsafe getaddrinfo(host, "\(port)", &hints, &found) == 0 else {
            throw CocoaError(.featureUnsupported)
        }
        defer { unsafe freeaddrinfo(found) }
        var addresses: [[String]] = [], families: [Int32] = []
        var next = unsafe found
        while let info = unsafe next {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if unsafe getnameinfo(
                info.pointee.ai_addr, info.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0,
                NI_NUMERICHOST) == 0
            {
                let address = String(
                    decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                let family = unsafe info.pointee.ai_family
                if let place = families.firstIndex(of: family) {
                    addresses[place].append(address)
                } else {
                    families.append(family)
                    addresses.append([address])
                }
            }
            unsafe next = info.pointee.ai_next
        }
        return inTurn(addresses)
    }

    /// Takes one of each list in turn, without repetitions: a family that does not work delays the
    /// others by one address only.
    static func inTurn(_ lists: [[String]]) -> [String] {
        var result: [String] = [], known: Set<String> = []
        for place in 0..<(lists.map(\.count).max() ?? 0) {
            for list in lists where place < list.count && known.insert(list[place]).inserted {
                result.append(list[place])
            }
        }
        return result
    }

    private enum Event: Sendable { case connected(String), failed, waited }

    /// Returns the address that accepts a connection first. Each has a head start on the next one.
    ///
    /// - Parameter addresses: Those that may be called. Of many, only the first few are tried.
    /// - Returns: `nil` if none does, or there are fewer than two to choose from.
    static func reachable(_ addresses: [String], port: Int) async -> String? {
        guard addresses.count > 1 else { return nil }
        return await withTaskGroup(of: Event.self) { tasks in
            var rest = addresses.prefix(most), open = 0
            func begin() {
                guard let address = rest.popFirst() else { return }
                open += 1
                tasks.addTask {
                    await accepts(address, port) ? .connected(address) : .failed
                }
                tasks.addTask {
                    try? await Task.sleep(for: headStart)
                    return .waited
                }
            }
            begin()
            defer { tasks.cancelAll() }
            while let event = await tasks.next() {
                switch event {
                case .connected(let address): return address
                case .failed:
                    open -= 1
                    begin()
                    if open == 0 { return nil }
                case .waited: begin()
                }
            }
            return nil
        }
    }

    private static func accepts(_ address: String, _ port: Int) async -> Bool {
        guard let target = try? SocketAddress(ipAddress: address, port: port) else { return false }
        let opened = Mutex<(channel: (any Channel)?, isCancelled: Bool)>((nil, false))
        return await withTaskCancellationHandler {
            let channel = try? await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.seconds(5))
                .channelInitializer { channel in
                    let isCancelled = opened.withLock { opened in
                        opened.channel = channel
                        return opened.isCancelled
                    }
                    return isCancelled
                        ? channel.eventLoop.makeFailedFuture(CancellationError())
                        : channel.eventLoop.makeSucceededVoidFuture()
                }
                .connect(to: target).get()
            channel?.close(promise: nil)
            return channel != nil
        } onCancel: {
            opened.withLock { opened in
                opened.isCancelled = true
                opened.channel?.close(promise: nil)
            }
        }
    }
}
