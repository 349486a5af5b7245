internal import MienCore

/// A record that recognizes a session when it is replayed: hashes of frames spread over its length.
///
/// Stored sealed, for days. It contains no picture, no template, and no identity.
public struct ReplayTrail: Sendable, Hashable {
    /// Maximum number of hashes kept. In a longer session, every second hash is dropped whenever
    /// the limit is reached, so that the rest stay evenly spaced.
    public static let maxHashes = 32

    public private(set) var hashes: [ReplayHash] = []
    private var every = 1, seen = 0

    public init() {}

    public mutating func see(_ hash: ReplayHash) {
        defer { seen += 1 }
        guard seen.isMultiple(of: every) else { return }
        if hashes.count == Self.maxHashes {
            hashes = stride(from: 0, to: hashes.count, by: 2).map { hashes[$0] }
            every *= 2
            guard seen.isMultiple(of: every) else { return }
        }
        hashes.append(hash)
    }

    /// Returns how many hashes of the trail are near one of `frames`.
    public func matches(in frames: [ReplayHash]) -> Int {
        hashes.count { mine in frames.contains { mine.isNear($0) } }
    }

    /// Whether `frames` replay this session: at least five of its hashes, and at least a third of
    /// them, must be near one.
    public func isReplayed(by frames: [ReplayHash]) -> Bool {
        guard hashes.count >= Self.minIndices else { return false }
        let needed = max(Self.minIndices, (hashes.count + 2) / 3)
        // Compare a few hashes of both first. They rule out most sessions, because neighboring
        // frames are alike.
        let step = Self.sampledStep(of: frames)
        let isNear = stride(from: 0, to: hashes.count, by: Self.sampledEvery).contains { index in
            stride(from: 0, to: frames.count, by: step).contains {
                hashes[index].isNear(frames[$0])
            }
        }
        guard isNear else { return false }
        return matches(in: frames) >= needed
    }

    public static let minIndices = 5

    /// The step between those of a trail's hashes that are compared first.
    static let sampledEvery = 4

    /// The step between those of a session's frames that are compared first.
    static func sampledStep(of frames: [ReplayHash]) -> Int {
        max(1, frames.count / (4 * maxHashes))
    }
}

extension ReplayTrail: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹replay trail of \(hashes.count)›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ReplayTrail {
    /// All hashes in order, 32 bytes each.
    public var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 32 * hashes.count)
        for hash in hashes { for i in 0..<4 { writer.put(integer: hash.words[i]) } }
        return writer.bytes
    }

    /// Fails unless `bytes` holds 1...``maxHashes`` hashes.
    public init?(bytes: [UInt8]) {
        guard bytes.count.isMultiple(of: ReplayHash.bits / 8),
            (1...Self.maxHashes).contains(bytes.count * 8 / ReplayHash.bits)
        else { return nil }
        var reader = ByteReader(bytes), words: [UInt64] = []
        while let word = reader.integer(UInt64.self) { words.append(word) }
        hashes = stride(from: 0, to: words.count, by: 4).map {
            ReplayHash(words: SIMD4(words[$0], words[$0 + 1], words[$0 + 2], words[$0 + 3]))
        }
    }
}

extension LivenessCheckResult.Check {
    /// Made by the program that keeps the trails, such as a server.
    public static let replay = Self(rawValue: "replay")
}

extension SessionRefusal {
    /// The pictures were shown in an earlier session.
    public static let replayed = SessionRefusal(
        "replayed", "these pictures were shown in an earlier session")
}
