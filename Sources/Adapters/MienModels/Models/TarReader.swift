internal import MienCore

/// Reads a tar archive sequentially. Accepts only regular files and folders.
///
/// Supports POSIX ustar, with extended headers (`path`, `size`), and GNU's long names. Rejects
/// links, devices, sparse files, and names that lead out of the archive. Does not examine bytes
/// after the archive's end.
struct TarReader {
    enum Fault: Error, Equatable {
        /// The archive ends in the middle of an entry.
        case truncated
        /// The header is invalid: the data is not an archive, or is damaged.
        case header
        /// The entry is a link, a device, a sparse file, …
        case kind
        /// The name is absolute, leads upward, is not UTF-8, or contains control characters.
        case name
        /// The files are too large in total, or there are too many entries.
        case limit
    }

    struct Entry: Equatable {
        /// The components of the entry's name; empty for the archive's root.
        let path: [String]
        let isFolder: Bool
        /// The size in bytes; 0 for a folder.
        let size: Int
    }

    static let entryLimit = 10_000
    private static let blockSize = 512, metadataLimit = 1 << 16

    private let take: (_ atMost: Int) throws -> [UInt8]
    private var allowed: Int
    private var entries = 0
    /// The unread content and padding before the next header.
    private var left = 0, padding = 0

    /// - Parameters:
    ///   - limit: the maximum total size of all files in bytes.
    ///   - take: returns the next bytes, between one and the requested number; none at the end.
    init(limit: Int, take: @escaping (_ atMost: Int) throws -> [UInt8]) {
        (allowed, self.take) = (limit, take)
    }

    /// Returns the next file or folder; `nil` at the end. Skips unread content of the previous
    /// entry.
    mutating func next() throws -> Entry? {
        var longName: String?, longSize: Int?
        while true {
            try contents { _ in }
            let header = try exactly(Self.blockSize)
            if header.allSatisfy({ $0 == 0 }) { return nil }
            guard Self.isSummed(header), let declared = Self.number(header[124..<136]) else {
                throw Fault.header
            }
            entries += 1
            guard entries <= Self.entryLimit else { throw Fault.limit }
            switch header[156] {
            case UInt8(ascii: "L"):
                longName =
                    String(validating: try metadata(declared).prefix { $0 != 0 }, as: UTF8.self)
                    ?? "\0"
            case UInt8(ascii: "x"):
                let records = try Self.records(try metadata(declared))
                guard !records.keys.contains(where: { $0.hasPrefix("GNU.sparse") }) else {
                    throw Fault.kind
                }
                longName = records["path"] ?? longName
                longSize =
                    try records["size"].map { text throws(Fault) in
                        if let size = Int(text), size >= 0 { size } else { throw .header }
                    } ?? longSize
            case UInt8(ascii: "g"): _ = try metadata(declared)
            case 0, UInt8(ascii: "0"), UInt8(ascii: "5"), UInt8(ascii: "7"):
                return try entry(header, longName ?? Self.name(header), size: longSize ?? declared)
            default: throw Fault.kind
            }
        }
    }

    /// Passes the content of the file that ``next()`` returned to `body`, in parts.
    mutating func contents(_ body: ([UInt8]) throws -> Void) throws {
        while left > 0 {
            let part = try take(left)
            guard !part.isEmpty else { throw Fault.truncated }
            left -= part.count
            try body(part)
        }
        _ = try exactly(padding)
        padding = 0
    }

    private mutating func entry(_ header: [UInt8], _ name: String?, size: Int) throws(Fault)
        -> Entry
    {
        guard let name, !name.hasPrefix("/"), name.isPrintable else { throw .name }
        let path = name.split(separator: "/").map(String.init).filter { $0 != "." }
        guard !path.contains("..") else { throw .name }
        let isFolder = header[156] == UInt8(ascii: "5") || name.hasSuffix("/") || path.isEmpty
        guard !isFolder else { return Entry(path: path, isFolder: true, size: 0) }
        guard size <= allowed else { throw .limit }
        allowed -= size
        open(size)
        return Entry(path: path, isFolder: false, size: size)
    }

    private mutating func metadata(_ size: Int) throws -> [UInt8] {
        guard size <= Self.metadataLimit else { throw Fault.limit }
        open(size)
        var bytes: [UInt8] = []
        try contents { bytes += $0 }
        return bytes
    }

    private mutating func open(_ size: Int) {
        left = size
        padding = (Self.blockSize - size % Self.blockSize) % Self.blockSize
    }

    private func exactly(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let part = try take(count - bytes.count)
            guard !part.isEmpty else { throw Fault.truncated }
            bytes += part
        }
        return bytes
    }

    /// Returns whether the checksum matches. It is the sum of the header's bytes, with its own
    /// field counted as spaces.
    private static func isSummed(_ header: [UInt8]) -> Bool {
        let sum = header.indices.reduce(0) {
            $0 + ((148..<156).contains($1) ? 32 : Int(header[$1]))
        }
        return number(header[148..<156]) == sum
    }

    /// Reads octal digits between spaces, up to a zero byte. GNU's binary form exists only for
    /// sizes of 8 GB and more.
    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        let digits = field.prefix { $0 != 0 }.filter { $0 != 32 }
        guard digits.allSatisfy({ (48...55).contains($0) }), digits.count <= 12 else { return nil }
        return digits.reduce(0) { $0 * 8 + Int($1 - 48) }
    }

    /// Reads a name, which may be split in two parts; only the POSIX format does so.
    private static func name(_ header: [UInt8]) -> String? {
        func text(_ range: Range<Int>) -> String? {
            String(validating: header[range].prefix { $0 != 0 }, as: UTF8.self)
        }
        guard let name = text(0..<100), let prefix = text(345..<500) else { return nil }
        let isPOSIX = header[257..<263].elementsEqual(Array("ustar".utf8) + [0])
        return isPOSIX && !prefix.isEmpty ? prefix + "/" + name : name
    }

    /// Parses lines of “<length> <key>=<value>\n”, where the length includes the whole line.
    private static func records(_ bytes: [UInt8]) throws(Fault) -> [String: String] {
        var records: [String: String] = [:], rest = bytes[...]
        while let first = rest.first, first != 0 {
            guard let blank = rest.firstIndex(of: 32),
                let count = Int(String(decoding: rest[..<blank], as: UTF8.self)),
                count > blank - rest.startIndex + 1, count <= rest.count
            else { throw .header }
            let line = rest[(blank + 1)..<(rest.startIndex + count - 1)]
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")),
                let key = String(validating: line[..<equals], as: UTF8.self)
            else {
                throw .header
            }
            // A value that is not UTF-8 is not a valid name either. It is rejected where it is
            // used.
            records[key] = String(validating: line[(equals + 1)...], as: UTF8.self) ?? "\0"
            rest = rest.dropFirst(count)
        }
        return records
    }
}
