/// The inputs and the function of an OCRA response (RFC 6287 §6).
///
///     OCRA-1:HOTP-SHA256-8:C-QN08-PSHA1-S064-T1M
///            │    │      │ │ │    │     │    └ time: steps of 1…59 seconds (S) or minutes (M), or 1…48 hours (H)
///            │    │      │ │ │    │     └ session data: bytes, three digits
///            │    │      │ │ │    └ hash of a PIN
///            │    │      │ │ └ question: numeric (N), alphanumeric (A) or hexadecimal (H), up to 4…64 characters
///            │    │      │ └ counter
///            │    │      └ digits: 4…10, or 0 for the whole HMAC
///            │    └ hash function
///            └ the only function there is
public struct OCRASuite: Sendable, Hashable {
    public enum QuestionFormat: String, Sendable, Hashable, Codable, CaseIterable {
        case numeric = "N"
        case alphanumeric = "A"
        case hexadecimal = "H"
    }

    public enum TimeUnit: String, Sendable, Hashable, CaseIterable {
        case seconds = "S"
        case minutes = "M"
        case hours = "H"

        /// The standard also lists 0H, a step of zero length, by which no time can be divided.
        public var counts: ClosedRange<Int> { self == .hours ? 1...48 : 1...59 }

        public var seconds: Int {
            switch self {
            case .seconds: 1
            case .minutes: 60
            case .hours: 3600
            }
        }
    }

    public struct TimeStep: Sendable, Hashable {
        public let count: Int
        public let unit: TimeUnit

        public var seconds: Int { count * unit.seconds }
    }

    public static let digitCounts = 4...10
    public static let questionLengths = 4...64
    public static let sessionLengths = 1...999

    /// The suite as it was written. It is part of the computation, so another spelling of the same
    /// suite gives other codes.
    public let text: String
    public let hash: OTPHash
    /// `nil` for the whole HMAC in hexadecimal.
    public let digits: Int?
    public let hasCounter: Bool
    public let questionFormat: QuestionFormat
    /// The maximum length of each party's question. There may be two.
    public let questionLength: Int
    public let pinHash: OTPHash?
    public let sessionLength: Int?
    public let timeStep: TimeStep?
}

extension OCRASuite: CustomStringConvertible {
    public var description: String { text }
}
