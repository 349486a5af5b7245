internal import Crypto

/// A frame of a live capture: number, time, and the link that binds it to all earlier frames.
///
/// Printing a value shows only the size of the picture, because it shows a person.
public struct LinkedFrame: Sendable, Hashable {
    public static let linkBytes = 32

    /// Counts from 1, without gaps.
    public let number: UInt32
    /// The time the frame was taken, since the session began.
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

/// The chain of a live capture's frames. It proves that the frames received are the frames taken,
/// complete, in order, and for this session.
///
///     h₀ = SHA-256("mien/v1/capture-chain" ‖ nonce)
///     hₙ = SHA-256(hₙ₋₁ ‖ n ‖ milliseconds ‖ picture)      n and milliseconds as 8 bytes, the highest first
///
/// It proves nothing about who holds the camera: a client that has the start token also has the
/// nonce.
public struct FrameChain: Sendable, Hashable {
    /// The reason a frame is not the next one.
    public enum Fault: Error, Sendable, Hashable {
        /// Another number is next: a frame is missing or was repeated.
        case outOfOrder(next: UInt32)
        /// The link does not match these bytes and the earlier frames.
        case altered
        /// The frame is not later than the previous one.
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

    /// Appends a picture.
    ///
    /// - Parameter milliseconds: greater than that of the previous picture; otherwise the server
    ///   ends the session.
    public mutating func append(_ picture: [UInt8], milliseconds: UInt32) -> LinkedFrame {
        let frame = LinkedFrame(
            number: next, milliseconds: milliseconds,
            link: following(number: next, milliseconds, picture), picture: picture)
        advance(to: frame)
        return frame
    }

    /// Accepts the next frame. A rejected frame changes nothing.
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
