internal import HTTPTypes
internal import MienAPI
internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

/// How many connections each address has open. An address without any takes no memory.
final class AddressConnections: Sendable {
    /// One address may have as many.
    let most: Int
    private let open = Mutex<[String: Int]>([:])

    init(most: Int) { self.most = most }

    /// - Returns: `false` when the address has as many as it may; then nothing was counted.
    func add(_ address: String) -> Bool {
        open.withLock { open in
            let count = open[address, default: 0]
            guard count < most else { return false }
            open[address] = count + 1
            return true
        }
    }

    func remove(_ address: String) {
        open.withLock { open in
            let count = open[address, default: 0]
            open[address] = count > 1 ? count - 1 : nil
        }
    }
}

/// Refuses a connection of an address that has too many, so that one client cannot take all there are.
final class AddressGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let connections: AddressConnections
    /// Counted under it.
    private var address: String?
    private var isRefused = false

    init(_ connections: AddressConnections) { self.connections = connections }

    func channelActive(context: ChannelHandlerContext) {
        // None for a connection that has ended already.
        if let address = context.channel.remoteAddress?.ipAddress.flatMap({ ClientAddress($0) })?.key {
            if connections.add(address) { self.address = address } else { refuse(context) }
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let address { connections.remove(address) }
        address = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isRefused { context.fireChannelRead(data) }
    }

    private func refuse(_ context: ChannelHandlerContext) {
        isRefused = true
        let problem = Problem(.tooManyRequests, "your address has \(connections.most) connections open; close one, or use those")
        let body = JSONBody.bytes(of: problem)
        let head = HTTPResponse(
            status: .init(code: problem.status),
            headerFields: [
                .contentType: "application/problem+json", .contentLength: String(body.count), .cacheControl: "no-store", .connection: "close",
                .contentTypeOptions: "nosniff", .requestID: RequestIdentity.made(), .retryAfter: "1",
            ])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(context.channel.allocator.buffer(bytes: body))), promise: nil)
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
        ConnectionEnd.linger(context)
    }
}
