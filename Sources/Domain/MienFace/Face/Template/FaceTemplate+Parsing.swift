internal import MienCore

extension FaceTemplate {
    /// Reads the binary form, version 1. Accepts exactly the output of ``bytes``:
    /// `FaceTemplate(bytes: b).bytes == b`.
    ///
    /// - Throws: ``FaceTemplateFormatError`` for anything else, with the offset of the first error.
    public init(bytes: some Collection<UInt8>) throws(FaceTemplateFormatError) {
        guard bytes.count <= Self.byteCount(dimensions: FaceDescriptor.dimensionRange.upperBound)
        else {
            throw FaceTemplateFormatError(
                .trailingBytes,
                at: Self.byteCount(dimensions: FaceDescriptor.dimensionRange.upperBound))
        }
        var parser = FaceTemplateParser(Array(bytes))
        self = try parser.template()
    }
}

/// Parses the bytes in one pass, front to back. Each step checks the field it reads.
private struct FaceTemplateParser {
    private typealias Layout = FaceTemplateLayout
    private typealias Failure = FaceTemplateFormatError

    private var reader: ByteReader
    private let size: Int

    init(_ bytes: [UInt8]) { (reader, size) = (ByteReader(bytes), bytes.count) }

    mutating func template() throws(FaceTemplateFormatError) -> FaceTemplate {
        try expectMagicAndVersion()
        let dimensions = try dimensions()
        let count = try count()
        let packIDLength = try require(reader.integer(UInt8.self))
        try expectZeros(Layout.headerReserve)
        let createdAt = try createdAt()
        let packID = try packID(length: Int(packIDLength))
        try expectSize(FaceTemplate.byteCount(dimensions: dimensions))
        var entries: [FaceTemplate.Entry] = []
        for _ in 0..<count { entries.append(try entry(dimensions: dimensions)) }
        try expectZeros((Layout.slots - count) * Layout.slotSize(dimensions: dimensions))
        do { return try FaceTemplate(entries: entries, packID: packID, createdAt: createdAt) } catch
        {
            throw Failure(.noMeanDirection, at: Layout.slotsOffset)  // the rest was checked above
        }
    }

    private mutating func expectMagicAndVersion() throws(FaceTemplateFormatError) {
        let magic = try require(reader.take(Layout.magic.count))
        guard magic.elementsEqual(Layout.magic) else { throw Failure(.magic, at: 0) }
        let version = try require(reader.integer(UInt16.self))
        guard version == Layout.version else { throw Failure(.version, at: Layout.versionOffset) }
    }

    private mutating func dimensions() throws(FaceTemplateFormatError) -> Int {
        let dimensions = Int(try require(reader.integer(UInt16.self)))
        guard FaceDescriptor.dimensionRange.contains(dimensions) else {
            throw Failure(.dimensions, at: Layout.dimensionsOffset)
        }
        return dimensions
    }

    private mutating func count() throws(FaceTemplateFormatError) -> Int {
        let count = Int(try require(reader.integer(UInt8.self)))
        guard FaceTemplate.entryRange.contains(count) else {
            throw Failure(.count, at: Layout.countOffset)
        }
        return count
    }

    private mutating func createdAt() throws(FaceTemplateFormatError) -> Instant {
        let milliseconds = try require(reader.int64())
        guard milliseconds >= 0 else { throw Failure(.createdAt, at: Layout.createdAtOffset) }
        return Instant(milliseconds: milliseconds)
    }

    private mutating func packID(length: Int) throws(FaceTemplateFormatError) -> PackID {
        guard PackID.lengthRange.contains(length) else {
            throw Failure(.packID, at: Layout.packIDLengthOffset)
        }
        let text = try require(reader.take(length))
        try expectZeros(Layout.packIDSize - length)
        do { return try PackID(String(decoding: text, as: UTF8.self)) } catch {
            throw Failure(.packID, at: Layout.packIDOffset)
        }
    }

    private mutating func entry(dimensions: Int) throws(FaceTemplateFormatError)
        -> FaceTemplate.Entry
    {
        let start = reader.offset
        let quality = try require(reader.integer(UInt8.self))
        guard FaceTemplate.Entry.qualityRange.contains(quality) else {
            throw Failure(.quality, at: start)
        }
        try expectZeros(Layout.slotReserve)
        let pose = try pose()
        let descriptor = try descriptor(dimensions: dimensions)
        do {
            return try FaceTemplate.Entry(descriptor: descriptor, quality: quality, pose: pose)
        } catch {
            throw Failure(.pose, at: start + 1 + Layout.slotReserve)
        }
    }

    private mutating func pose() throws(FaceTemplateFormatError) -> HeadPose {
        let start = reader.offset
        var angles: [Float] = []
        for _ in 0..<3 { angles.append(try require(reader.float())) }
        let pose = HeadPose(yaw: angles[0], pitch: angles[1], roll: angles[2])
        guard pose.isValid else { throw Failure(.pose, at: start) }
        return pose
    }

    private mutating func descriptor(dimensions: Int) throws(FaceTemplateFormatError)
        -> FaceDescriptor
    {
        let start = reader.offset
        var values: [Float] = []
        values.reserveCapacity(dimensions)
        for _ in 0..<dimensions {
            let (offset, value) = (reader.offset, try require(reader.float()))
            guard value.isFinite else { throw Failure(.notFinite, at: offset) }
            values.append(value)
        }
        do { return try FaceDescriptor(stored: values) } catch { throw Failure(.norm, at: start) }
    }

    private mutating func expectZeros(_ count: Int) throws(FaceTemplateFormatError) {
        let start = reader.offset
        let zeros = try require(reader.take(count))
        if let bad = zeros.firstIndex(where: { $0 != 0 }) {
            throw Failure(.reserved, at: start + bad - zeros.startIndex)
        }
    }

    private func expectSize(_ expected: Int) throws(FaceTemplateFormatError) {
        if size < expected { throw Failure(.truncated, at: size) }
        if size > expected { throw Failure(.trailingBytes, at: expected) }
    }

    private func require<T>(_ value: T?) throws(FaceTemplateFormatError) -> T {
        guard let value else { throw Failure(.truncated, at: size) }
        return value
    }
}
