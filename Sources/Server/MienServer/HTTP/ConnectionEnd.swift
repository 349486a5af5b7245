internal import NIOCore

/// Ends a connection so that the last answer arrives.
enum ConnectionEnd {
    /// Closing at once, with something unread, would make the system throw the answer away.
    private static let lingering = TimeAmount.seconds(2)

    static func linger(_ context: ChannelHandlerContext) {
        context.flush()
        context.close(mode: .output, promise: nil)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: lingering) { channel.close(promise: nil) }
    }
}
