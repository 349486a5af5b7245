internal import HTTPTypes
internal import MienAPI
internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

/// How many connections each address has open. An address without any takes no memory.
final class AddressConnections: Sendable {
    /// What becomes of a new connection.
    enum Admission: Sendable, Hashable {
        case taken
        /// The address has as many as it may, and is told so.
        case refused
        /// It is being told so on as many connections as may be. This one ends without a word, and
        /// is not counted.
        case dropped
    }

    private struct Count {
        var taken = 0, refused = 0
    }

    /// One address is told as often at once: being told takes a connection for a while, and others
    /// want one, too.
    static let maxRefused = 8

    /// One address may have as many.
    let most: Int
    private let open = Mutex<[String: Count]>([:])

    init(most: Int) { self.most = most }

    /// Counts a new connection, until ``remove(_:_:)``.
    func add(_ address: String) -> Admission {
        open.withLock { open in
            let count = open[address] ?? Count()
            if count.taken < most {
                open[address, default: Count()].taken += 1
                return .taken
            }
            guard count.refused < Self.maxRefused else { return .dropped }
            open[address, default: Count()].refused += 1
            return .refused
        }
    }

    /// - Parameter admission: what ``add(_:)`` said of it.
    func remove(_ address: String, _ admission: Admission) {
        open.withLock { open in
            guard var count = open[address] else { return }
            switch admission {
            case .taken: count.taken -= 1
            case .refused: count.refused -= 1
            case .dropped: return
            }
            open[address] = count.taken > 0 || count.refused > 0 ? count : nil
        }
    }

    /// Addresses that have any.
    var addresses: Int { open.withLock { $0.count } }
}

/// Refuses a connection of an address that has too many, so that one client cannot take all there
/// are.
final class AddressGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let connections: AddressConnections
    /// Counted under it, as this.
    private var counted: (address: String, admission: AddressConnections.Admission)?
    private var isRefused = false

    init(_ connections: AddressConnections) { self.connections = connections }

    func channelActive(context: ChannelHandlerContext) {
        // None for a connection that has ended already.
        counted = context.channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }.map {
            ($0.key, connections.add($0.key))
        }
        isRefused = counted.map { $0.admission != .taken } ?? false
        if counted?.admission == .refused { refuse(context) }
        // Before any end: others would take a beginning after it for a connection that is there.
        context.fireChannelActive()
        if counted?.admission == .dropped { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let counted { connections.remove(counted.address, counted.admission) }
        counted = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isRefused { context.fireChannelRead(data) }
    }

    private func refuse(_ context: ChannelHandlerContext) {
        let problem = Problem(
            .tooManyRequests,
            "your address has \(connections.most) connections open; close one, or use those")
        let body = JSONBody.bytes(of: problem)
        let head = HTTPResponse(
            status: .init(code: problem.status),
            headerFields: [
                .contentType: "application/problem+json", .contentLength: String(body.count),
                .cacheControl: "no-store", .connection: "close",
                .contentTypeOptions: "nosniff", .requestID: RequestIdentity.made(),
                .retryAfter: "1",
            ])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(
            wrapOutboundOut(.body(context.channel.allocator.buffer(bytes: body))), promise: nil)
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
        ConnectionEnd.linger(context)
    }
}
