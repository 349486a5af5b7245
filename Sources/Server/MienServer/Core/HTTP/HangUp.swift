internal import HTTPTypes
internal import MienModels
internal import NIOCore
internal import NIOHTTPTypes

/// Notifies waiting work when the client closes its connection.
final class HangUpHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private var watchers: [ObjectIdentifier: @Sendable () -> Void] = [:]
    private var hasHungUp = false

    /// Calls `body` when the client hangs up; immediately if it already has.
    func watch(_ id: ObjectIdentifier, _ body: @escaping @Sendable () -> Void) {
        if hasHungUp { body() } else { watchers[id] = body }
    }

    func unwatch(_ id: ObjectIdentifier) { watchers[id] = nil }

    func channelInactive(context: ChannelHandlerContext) {
        hangUp()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client that closes only its sending direction sends nothing more. Treat that as hanging
        // up, as other servers do.
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

/// Runs work that leaves its queue when the client hangs up.
///
/// Only the waiting is canceled. Work in progress continues, and so does the rest of the handler,
/// as if the client were still there: a client whose connection broke repeats its request and gets
/// the result.
enum HangUp {
    /// - Parameter body: Waits for a worker of a pool.
    /// - Throws: The error of `body`; ``ServerBusy`` if the pool is busy; `CancellationError` if the
    ///   client hung up first.
    static func cancels<Output: Sendable>(_ body: @escaping @Sendable () async throws -> Output)
        async throws -> Output
    {
        do {
            guard let channel = RequestOrigin.current.channel else { return try await body() }
            return try await cancels(Task { try await body() }, with: channel)
        } catch let error as InferenceError where error.code == .busy { throw ServerBusy() }
    }

    private static func cancels<Output: Sendable>(
        _ task: Task<Output, any Error>, with channel: any Channel
    ) async throws -> Output {
        let mark = Mark()
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
