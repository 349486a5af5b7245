internal import MienAPI

/// Adds the time and the link to each frame of a live session.
struct LiveFrames: Sendable {
    private var chain: FrameChain
    /// The clock's value when the session began.
    private let began: Duration
    private let clock: @Sendable () -> Duration
    private var last: UInt32?

    /// - Parameter elapsed: how long the session has run already, according to the server.
    init(nonce: [UInt8], elapsed: Duration, clock: @escaping @Sendable () -> Duration) {
        chain = FrameChain(nonce: nonce)
        began = clock() - elapsed
        self.clock = clock
    }

    /// The time since the session began.
    var now: Duration { clock() - began }

    mutating func append(_ frame: CaptureFrame) -> LinkedFrame {
        let (seconds, attoseconds) = (frame.time ?? now).components
        let time = UInt32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        // Two frames within one millisecond still get increasing times.
        let milliseconds = last.map { max(time, $0 + 1) } ?? time
        last = milliseconds
        return chain.append(frame.bytes, milliseconds: milliseconds)
    }
}
