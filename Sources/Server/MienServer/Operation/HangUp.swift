internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Tells waiting work that the client has closed its connection.
final class HangUpHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private var watchers: [ObjectIdentifier: @Sendable () -> Void] = [:]
    private var hasHungUp = false

    /// Calls `body` when the client hangs up, at once if it has.
    func watch(_ id: ObjectIdentifier, _ body: @escaping @Sendable () -> Void) {
        if hasHungUp { body() } else { watchers[id] = body }
    }

    func unwatch(_ id: ObjectIdentifier) { watchers[id] = nil }

    func channelInactive(context: ChannelHandlerContext) {
        hangUp()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client that closes only its own direction sends nothing more; like other servers, we
        // take that for the end.
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { hangUp() }
        context.fireUserInboundEventTriggered(event)
    }

    private func hangUp() {
        hasHungUp = true
        let all = watchers.values
        watchers = [:]
        for body in all { body() }
    }
}

/// Runs work that is dropped from its queue when the client hangs up.
///
/// Only the wait is canceled. Work that is under way, and whatever a handler does after it, goes on
/// as if the client were there: a client whose connection broke sends its request again and gets
/// the result.
enum HangUp {
    /// - Throws: what `body` throws; `CancellationError` when the client hung up first.
    static func cancels<Output: Sendable>(_ body: @escaping @Sendable () async throws -> Output)
        async throws -> Output
    {
        guard let channel = RequestOrigin.current.channel else { return try await body() }
        let task = Task { try await body() }, mark = Mark()
        channel.eventLoop.execute {
            guard
                let handler = try? channel.pipeline.syncOperations.handler(type: HangUpHandler.self)
            else {
                if !channel.isActive { task.cancel() }
                return
            }
            handler.watch(ObjectIdentifier(mark)) { task.cancel() }
        }
        defer {
            channel.eventLoop.execute {
                try? channel.pipeline.syncOperations.handler(type: HangUpHandler.self).unwatch(
                    ObjectIdentifier(mark))
            }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private final class Mark: Sendable {}
}
