internal import MienCore

/// Offsets and sizes of the binary form, version 1: `docs/spec/face-template.md`.
enum FaceTemplateLayout {
    static let magic = Array("MIFT".utf8)
    static let version: UInt16 = 1
    static let versionOffset = 4, dimensionsOffset = 6, countOffset = 8, packIDLengthOffset = 9,
        headerReserveOffset = 10
    static let createdAtOffset = 16, packIDOffset = 24, slotsOffset = 88
    static let packIDSize = 64, headerReserve = 6, slotReserve = 3
    static let slots = FaceTemplate.entryRange.upperBound

    static func slotSize(dimensions: Int) -> Int { 16 + 4 * dimensions }
}

extension FaceTemplate {
    /// Returns the size in bytes of every template with this many dimensions: 88 + 8 × (16 + 4 ×
    /// `dimensions`); 4,312 for 128. It does not depend on the number of entries or on the length
    /// of the pack's name.
    public static func byteCount(dimensions: Int) -> Int {
        FaceTemplateLayout.slotsOffset + FaceTemplateLayout.slots
            * FaceTemplateLayout.slotSize(dimensions: dimensions)
    }

    /// The binary form, version 1: ``byteCount(dimensions:)`` bytes. The bytes are not protected.
    /// Seal them before they leave memory.
    public var bytes: [UInt8] {
        var writer = ByteWriter(capacity: Self.byteCount(dimensions: dimensions))
        writer.put(FaceTemplateLayout.magic)
        writer.put(integer: FaceTemplateLayout.version)
        writer.put(integer: UInt16(dimensions))
        writer.put(integer: UInt8(entries.count))
        writer.put(integer: UInt8(packID.text.utf8.count))
        writer.put(zeros: FaceTemplateLayout.headerReserve)
        writer.put(integer: createdAt.milliseconds)
        writer.put(padded: packID.text.utf8, to: FaceTemplateLayout.packIDSize)
        for entry in entries { writer.put(entry) }
        let unused = FaceTemplateLayout.slots - entries.count
        writer.put(zeros: unused * FaceTemplateLayout.slotSize(dimensions: dimensions))
        return writer.bytes
    }
}

extension ByteWriter {
    fileprivate mutating func put(_ entry: FaceTemplate.Entry) {
        put(integer: entry.quality)
        put(zeros: FaceTemplateLayout.slotReserve)
        put(float: entry.pose.yaw)
        put(float: entry.pose.pitch)
        put(float: entry.pose.roll)
        entry.descriptor.withValues { values in for i in values.indices { put(float: values[i]) } }
    }
}
