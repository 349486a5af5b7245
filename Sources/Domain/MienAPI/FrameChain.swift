internal import Crypto

/// A frame of a live capture, in its place: number, time, and the link that binds it to all before.
///
/// It shows a person: printing shows its size only.
public struct LinkedFrame: Sendable, Hashable {
    public static let linkBytes = 32

    /// From 1, without gaps.
    public let number: UInt32
    /// When it was taken, since the session began.
    public let milliseconds: UInt32
    /// ``linkBytes`` bytes.
    public let link: [UInt8]
    /// JPEG or PNG.
    public let picture: [UInt8]

    public init(number: UInt32, milliseconds: UInt32, link: [UInt8], picture: [UInt8]) {
        (self.number, self.milliseconds, self.link, self.picture) = (
            number, milliseconds, link, picture
        )
    }
}

extension LinkedFrame: CustomStringConvertible, CustomReflectable {
    public var description: String {
        "frame \(number) at \(milliseconds) ms, \(picture.count) bytes"
    }
    public var customMirror: Mirror {
        Mirror(self, children: ["number": number, "milliseconds": milliseconds])
    }
}

/// The chain of a live capture's frames: what was sent is what was taken, all of it, in order, for
/// this session.
///
///     h₀ = SHA-256("mien/v1/capture-chain" ‖ nonce)
///     hₙ = SHA-256(hₙ₋₁ ‖ n ‖ milliseconds ‖ picture)      n and milliseconds as 8 bytes, the highest first
///
/// It proves nothing about who holds the camera: whoever has the start token has the nonce, too.
public struct FrameChain: Sendable, Hashable {
    /// Why a frame is not the next one.
    public enum Fault: Error, Sendable, Hashable {
        /// Another number is next: one is missing, or it was there before.
        case outOfOrder(next: UInt32)
        /// The link is not that of these bytes after those before.
        case altered
        /// Not later than the frame before.
        case notLater
    }

    public static let nonceBytes = 32

    /// The number of the next frame.
    public private(set) var next: UInt32 = 1
    private var link: [UInt8]
    private var lastMilliseconds: UInt32?

    public init(nonce: [UInt8]) {
        link = Array(SHA256.hash(data: Array("mien/v1/capture-chain".utf8) + nonce))
    }

    /// Puts a picture at the end.
    ///
    /// - Parameter milliseconds: larger than those of the picture before, or the server ends the
    ///   session.
    public mutating func append(_ picture: [UInt8], milliseconds: UInt32) -> LinkedFrame {
        let frame = LinkedFrame(
            number: next, milliseconds: milliseconds,
            link: following(number: next, milliseconds, picture), picture: picture)
        advance(to: frame)
        return frame
    }

    /// Takes the next frame; of one that is not, nothing.
    public mutating func accept(_ frame: LinkedFrame) throws(Fault) {
        guard frame.number == next else { throw .outOfOrder(next: next) }
        guard frame.link == following(number: next, frame.milliseconds, frame.picture) else {
            throw .altered
        }
        if let lastMilliseconds, frame.milliseconds <= lastMilliseconds { throw .notLater }
        advance(to: frame)
    }

    private mutating func advance(to frame: LinkedFrame) {
        (link, lastMilliseconds, next) = (frame.link, frame.milliseconds, next + 1)
    }

    private func following(number: UInt32, _ milliseconds: UInt32, _ picture: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: link)
        for value in [UInt64(number), UInt64(milliseconds)] {
            unsafe withUnsafeBytes(of: value.bigEndian) { unsafe hash.update(bufferPointer: $0) }
        }
        hash.update(data: picture)
        return Array(hash.finalize())
    }
}
