internal import NIOCore

/// Closes a connection so that the last response arrives.
enum ConnectionEnd {
    /// Closing a connection with unread data at once would make the system discard the response.
    private static let lingering = TimeAmount.seconds(2)

    static func linger(_ context: ChannelHandlerContext) {
        context.flush()
        context.close(mode: .output, promise: nil)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: lingering) { channel.close(promise: nil) }
    }
}
