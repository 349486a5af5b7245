/// The parts of a replay hash under which a store can find the trails that a session may replay,
/// without comparing it with all of them.
///
/// A hash is cut into 13 bands of 19 or 20 bits. Two hashes that differ in at most
/// ``ReplayHash/near`` = 24 bits differ in at most one bit in some band: with two in each, they would
/// differ in 26. So a trail is stored under the bands of its hashes, and a session asks for its own
/// bands and for those that differ in one bit. Every trail that the session replays is among the
/// answers. Most others are not, and those that are get compared in full.
public enum ReplayBands {
    public static let count = 13
    /// Bits of the numbers of bands within a value.
    private static let bandShift: UInt32 = 20

    /// The bands of a hash, one value for each. Values of different bands differ.
    public static func values(of hash: ReplayHash) -> [UInt32] {
        // Neighboring frequencies go to different bands, because the low ones are alike in all
        // faces.
        var values = (0..<UInt32(count)).map { $0 << bandShift }
        for bit in 0..<ReplayHash.bits where hash.words[bit / 64] >> UInt64(bit % 64) & 1 == 1 {
            values[bit % count] |= 1 << UInt32(bit / count)
        }
        return values
    }

    /// The bands of all hashes that differ from `hash` in at most one bit of each band.
    public static func nearValues(of hash: ReplayHash) -> [UInt32] {
        values(of: hash).enumerated().flatMap { band, value in
            [value] + (0..<bits(of: band)).map { value ^ (1 << UInt32($0)) }
        }
    }

    private static func bits(of band: Int) -> Int { (ReplayHash.bits - band + count - 1) / count }
}

extension ReplayTrail {
    /// The values under which the trail is stored. Empty for one that is too short to be recognized.
    public var bands: Set<UInt32> {
        guard hashes.count >= Self.minIndices else { return [] }
        return Set(
            stride(from: 0, to: hashes.count, by: Self.sampledEvery).flatMap {
                ReplayBands.values(of: hashes[$0])
            })
    }

    /// The values that a session asks for. Each trail that ``isReplayed(by:)`` recognizes is stored
    /// under at least one of them.
    public static func bands(nearAnyOf frames: [ReplayHash]) -> Set<UInt32> {
        Set(
            stride(from: 0, to: frames.count, by: sampledStep(of: frames)).flatMap {
                ReplayBands.nearValues(of: frames[$0])
            })
    }
}
