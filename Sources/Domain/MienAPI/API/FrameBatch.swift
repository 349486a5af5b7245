/// Consecutive frames of a live capture as a request body.
///
/// Each frame is: number (4 bytes), milliseconds (4 bytes), link (32 bytes), length of the picture
/// (4 bytes), the picture. Numbers are big-endian. The next frame follows directly.
public enum FrameBatch {
    public static let contentType = "application/vnd.mien.frames"
    /// The maximum number of frames in a batch.
    public static let maxFrames = 16
    public static let headBytes = 12 + LinkedFrame.linkBytes

    /// The fault of a batch, and its position.
    public struct Malformed: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String
    }

    public static func encode(_ frames: [LinkedFrame]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frames.reduce(0) { $0 + headBytes + $1.picture.count })
        for frame in frames {
            put(frame.number, to: &bytes)
            put(frame.milliseconds, to: &bytes)
            bytes += frame.link
            put(UInt32(clamping: frame.picture.count), to: &bytes)
            bytes += frame.picture
        }
        return bytes
    }

    /// - Returns: 1...``maxFrames`` frames, each with a picture.
    public static func decode(_ bytes: [UInt8]) throws(Malformed) -> [LinkedFrame] {
        var frames: [LinkedFrame] = [], at = 0
        while at < bytes.count {
            let position = "frame \(frames.count + 1) of the batch"
            guard frames.count < maxFrames else {
                throw Malformed(description: "a batch contains at most \(maxFrames) frames")
            }
            guard bytes.count - at >= headBytes else {
                throw Malformed(
                    description:
                        "\(position): the header (number, time, link, and length; \(headBytes) bytes) is cut off"
                )
            }
            let length = Int(number(bytes, at + headBytes - 4)), start = at + headBytes
            guard length > 0 else {
                throw Malformed(description: "\(position): the picture is missing")
            }
            guard bytes.count - start >= length else {
                throw Malformed(
                    description:
                        "\(position): the header announces a picture of \(length) bytes, but only \(bytes.count - start) follow"
                )
            }
            frames.append(
                LinkedFrame(
                    number: number(bytes, at), milliseconds: number(bytes, at + 4),
                    link: Array(bytes[(at + 8)..<(at + 8 + LinkedFrame.linkBytes)]),
                    picture: Array(bytes[start..<(start + length)])))
            at = start + length
        }
        guard !frames.isEmpty else {
            throw Malformed(
                description: "the body is empty; a batch contains 1 to \(maxFrames) frames")
        }
        return frames
    }

    private static func put(_ value: UInt32, to bytes: inout [UInt8]) {
        for shift: UInt32 in [24, 16, 8, 0] {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    private static func number(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        bytes[at..<(at + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
