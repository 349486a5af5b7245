/// Divides a file of people into its records while it is read. Memory is bounded by one record.
///
/// A record is a line of JSON, or a row of CSV (RFC 4180), whose quoted cells may have line ends.
/// Empty lines are skipped, and so is a byte-order mark of UTF-8.
public struct PeopleRecords: Sendable {
    public enum Format: Sendable, Hashable, CaseIterable {
        case jsonLines, csv

        /// The media type of a request with such records.
        public var mediaType: String {
            switch self {
            case .jsonLines: "application/jsonl"
            case .csv: "text/csv"
            }
        }

        public init?(mediaType: some StringProtocol) {
            guard let found = Self.allCases.first(where: { $0.mediaType == mediaType }) else {
                return nil
            }
            self = found
        }
    }

    public struct Record: Sendable, Hashable {
        /// The line on which it begins, counted from 1.
        public let line: Int
        /// Without its line end; `nil` for a record that is too long.
        public let bytes: [UInt8]?

        public init(line: Int, bytes: [UInt8]?) { (self.line, self.bytes) = (line, bytes) }
    }

    /// The maximum size of a record in bytes.
    public static let maxBytes = 64 * 1024
    /// The maximum number of records in one request.
    public static let maxRecords = 1000
    /// The maximum size of one request in bytes.
    public static let maxRequestBytes = 4 * 1024 * 1024

    public let format: Format
    private var bytes: [UInt8] = []
    private var line = 1, firstLine = 1
    private var isQuoted = false, isTooLong = false, isAtStart = true

    /// The number of records that are still read.
    private var left: Int

    /// - Parameter limit: The maximum number of records. Records after the limit are skipped.
    public init(_ format: Format, atMost limit: Int = .max) {
        (self.format, left) = (format, limit)
    }

    public mutating func read(_ more: [UInt8]) -> [Record] {
        var records: [Record] = []
        for byte in more {
            guard left > 0 else { break }
            if byte == UInt8(ascii: "\"") && format == .csv { isQuoted.toggle() }
            if byte == UInt8(ascii: "\n") {
                line += 1
                if !isQuoted {
                    if let record = take() { records.append(record) }
                    continue
                }
            }
            guard !isTooLong else { continue }
            bytes.append(byte)
            if bytes.count > Self.maxBytes + 3 { (bytes, isTooLong) = ([], true) }
        }
        return records
    }

    public mutating func finish() -> [Record] { take().map { [$0] } ?? [] }

    private mutating func take() -> Record? {
        defer { (bytes, isTooLong, isQuoted, firstLine) = ([], false, false, line) }
        guard left > 0 else { return nil }
        guard !isTooLong else {
            left -= 1
            return Record(line: firstLine, bytes: nil)
        }
        if isAtStart, bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes.removeFirst(3) }
        isAtStart = false
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard bytes.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) else {
            return nil
        }
        left -= 1
        return Record(line: firstLine, bytes: bytes.count > Self.maxBytes ? nil : bytes)
    }
}
