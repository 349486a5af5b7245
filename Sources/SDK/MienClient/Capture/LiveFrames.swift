internal import MienAPI

/// Frames of a live session on their way: each gets its time and its link.
struct LiveFrames: Sendable {
    private var chain: FrameChain
    /// Of the steady clock, when the session began.
    private let began: Duration
    private let clock: @Sendable () -> Duration
    private var last: UInt32?

    /// - Parameter elapsed: how long the session has run already, as the server says.
    init(nonce: [UInt8], elapsed: Duration, clock: @escaping @Sendable () -> Duration) {
        chain = FrameChain(nonce: nonce)
        began = clock() - elapsed
        self.clock = clock
    }

    /// Since the session began.
    var now: Duration { clock() - began }

    mutating func append(_ frame: CaptureFrame) -> LinkedFrame {
        let (seconds, attoseconds) = (frame.time ?? now).components
        let time = UInt32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        // Two frames within a millisecond are still one after the other.
        let milliseconds = last.map { max(time, $0 + 1) } ?? time
        last = milliseconds
        return chain.append(frame.bytes, milliseconds: milliseconds)
    }
}
