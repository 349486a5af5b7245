internal import HTTPTypes
internal import Logging
internal import MienAPI
internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

/// Counts the open connections of each address. An address without connections takes no memory.
final class AddressConnections: Sendable {
    /// The decision about a new connection.
    enum Admission: Sendable, Hashable {
        case taken
        /// The address is at its limit and gets an error response.
        case refused
        /// The address is at its limit of error responses as well. The connection is closed without
        /// a response and is not counted.
        case dropped
    }

    private struct Count {
        var taken = 0, refused = 0
    }

    /// The maximum number of simultaneous error responses to one address. Each occupies a
    /// connection for a while, which other clients need.
    static let maxRefused = 8

    /// The maximum number of connections of one address.
    let maxPerAddress: Int
    private let open = Mutex<[String: Count]>([:])

    init(maxPerAddress: Int) { self.maxPerAddress = maxPerAddress }

    /// Counts a new connection, until ``remove(_:_:)``.
    func add(_ address: String) -> Admission {
        open.withLock { open in
            let count = open[address] ?? Count()
            if count.taken < maxPerAddress {
                open[address, default: Count()].taken += 1
                return .taken
            }
            guard count.refused < Self.maxRefused else { return .dropped }
            open[address, default: Count()].refused += 1
            return .refused
        }
    }

    /// - Parameter admission: The decision that ``add(_:)`` returned.
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

    /// The number of addresses with open connections.
    var addresses: Int { open.withLock { $0.count } }
}

/// Refuses a connection from an address that has too many, so that one client cannot take all
/// connections.
final class AddressGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let connections: AddressConnections
    /// The address that the connection is counted under, and the decision about it.
    private var counted: (address: String, admission: AddressConnections.Admission)?
    private var isRefused = false

    private let logger: Logger

    init(_ connections: AddressConnections, logger: Logger) {
        (self.connections, self.logger) = (connections, logger)
    }

    func channelActive(context: ChannelHandlerContext) {
        // A connection that has already ended no longer has an address.
        counted = context.channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }.map {
            ($0.key, connections.add($0.key))
        }
        isRefused = counted.map { $0.admission != .taken } ?? false
        if counted?.admission == .refused { refuse(context) }
        // Forward this before closing. Otherwise later handlers would see the connection open after
        // it has closed.
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
            "Your address has \(connections.maxPerAddress) connections open. Close one, or reuse them."
        )
        var (head, body) = ProblemMiddleware.closing(problem, logger)
        head.headerFields[.retryAfter] = "1"
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(
            wrapOutboundOut(.body(context.channel.allocator.buffer(bytes: body))), promise: nil)
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
        ConnectionEnd.linger(context)
    }
}
