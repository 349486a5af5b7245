/// One of the parts into which the faces of an app are divided, so that several servers search them.
///
/// A part is a range of authenticators' IDs. Their first character after the prefix is random, so
/// parts are equally large, every server and every version divides in the same way, and the database
/// reads a part in the order of an index that it has anyway.
public struct GalleryPart: Sendable, Hashable, Comparable {
    /// The number of parts of an app. It never changes, because rows name parts.
    public static let count = 64

    /// 0..<``count``.
    public let number: Int

    /// - Returns: `nil` unless `number` is in 0..<``count``.
    public init?(_ number: Int) {
        guard (0..<Self.count).contains(number) else { return nil }
        self.number = number
    }

    private init(known number: Int) { self.number = number }

    /// The part that has an authenticator.
    public init(of id: AuthenticatorID) {
        // The number of bounds before the ID: IDs consist of ASCII, whose order is that of bytes.
        var low = 0, high = Self.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if Self.bounds[middle] < id.text { low = middle } else { high = middle }
        }
        number = low
    }

    /// All parts, by number.
    public static let all = (0..<count).map { GalleryPart(known: $0) }

    public static func < (a: Self, b: Self) -> Bool { a.number < b.number }

    /// The IDs of neighboring parts.
    public struct Span: Sendable, Hashable {
        /// IDs are greater than this text.
        public let after: String
        /// IDs are at most this text.
        public let through: String
    }

    /// The IDs of this part.
    public var span: Span { Self.span(number, number) }

    /// Joins parts that are neighbors.
    public static func spans(of parts: some Sequence<GalleryPart>) -> [Span] {
        var runs: [(first: Int, last: Int)] = []
        for part in Set(parts).sorted() {
            if let run = runs.last, run.last + 1 == part.number {
                runs[runs.count - 1].last = part.number
            } else {
                runs.append((part.number, part.number))
            }
        }
        return runs.map { span($0.first, $0.last) }
    }

    private static func span(_ first: Int, _ last: Int) -> Span {
        // No ID contains a tilde, which comes after all characters of IDs.
        Span(after: bounds[first], through: last + 1 < count ? bounds[last + 1] : "~")
    }

    /// The greatest text before each part.
    private static let bounds: [String] =
        [""]
        + "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".map {
            "\(AuthenticatorKind.prefix)_\($0)"
        }
}

extension GalleryPart {
    /// Returns the server that holds this part of an app: the one with the highest hash of all
    /// (rendezvous hashing). When a server comes or goes, only the parts that it gets or had move.
    ///
    /// - Returns: `nil` if there are no servers.
    public func holder(app: AppID, among servers: some Sequence<String>) -> String? {
        servers.max {
            let a = weight(app, $0), b = weight(app, $1)
            return a == b ? $0 < $1 : a < b
        }
    }

    private func weight(_ app: AppID, _ server: String) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        // FNV-1a, then the finalizer of SplitMix64, because FNV hardly spreads the last bytes.
        for byte in "\(server) \(app.text) \(number)".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
        return hash ^ (hash >> 31)
    }
}
