internal import MienCore
internal import MienFace

/// The sealed content for one person: name, template, and perhaps the template that it replaced. For
/// the bytes, see `docs/spec/sealed-record.md`, "Content of a face record".
struct FaceRecord {
    /// The version of a record without a former template, and of one with it.
    static let version: UInt16 = 1, versionWithFormer: UInt16 = 2
    static let nameLengthOffset = 2, nameOffset = 4, templateOffset = 260
    static let formerSizeOffset = 268, formerOffset = 272

    /// The maximum size of a sealed record: two templates of 1024 dimensions.
    static let maximumFileSize =
        formerOffset
        + 2 * FaceTemplate.byteCount(dimensions: FaceDescriptor.dimensionRange.upperBound)
        + RecordSealer.overhead

    let name: PersonName
    let template: FaceTemplate
    let former: FormerTemplate?

    init(name: PersonName, template: FaceTemplate, former: FormerTemplate? = nil) {
        (self.name, self.template, self.former) = (name, template, former)
    }

    /// The size does not reveal the name or the number of photos, only whether there is a former
    /// template.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.put(integer: former == nil ? Self.version : Self.versionWithFormer)
        writer.put(integer: UInt16(name.text.utf8.count))
        writer.put(padded: name.text.utf8, to: PersonName.maximumBytes)
        if let former {
            let bytes = former.template.bytes
            writer.put(integer: former.keptUntil.milliseconds)
            writer.put(integer: UInt32(bytes.count))
            writer.put(bytes)
        }
        writer.put(template.bytes)
        return writer.bytes
    }

    /// Accepts exactly the encoding that ``bytes`` produces.
    init(bytes: [UInt8]) throws(RecordError) {
        var reader = ByteReader(bytes)
        let version = reader.integer(UInt16.self)
        guard version == Self.version || version == Self.versionWithFormer else {
            throw .content(at: 0)
        }
        guard let length = reader.integer(UInt16.self),
            (1...PersonName.maximumBytes).contains(Int(length))
        else {
            throw .content(at: Self.nameLengthOffset)
        }
        guard let text = reader.take(Int(length)),
            let padding = reader.take(PersonName.maximumBytes - Int(length)),
            padding.allSatisfy({ $0 == 0 }), let name = Self.name(text)
        else { throw .content(at: Self.nameOffset) }
        self.name = name
        former = version == Self.version ? nil : try Self.former(&reader)
        guard let rest = reader.take(reader.remaining) else {
            throw .content(at: Self.templateOffset)
        }
        template = try Self.template(rest)
    }

    private static func former(_ reader: inout ByteReader) throws(RecordError) -> FormerTemplate {
        guard let until = reader.int64() else { throw .content(at: templateOffset) }
        guard let size = reader.integer(UInt32.self), size <= UInt32(reader.remaining),
            let bytes = reader.take(Int(size))
        else { throw .content(at: formerSizeOffset) }
        return FormerTemplate(
            template: try template(bytes), keptUntil: Instant(milliseconds: until))
    }

    private static func template(_ bytes: ArraySlice<UInt8>) throws(RecordError) -> FaceTemplate {
        do { return try FaceTemplate(bytes: bytes) } catch { throw .template(error) }
    }

    /// - Returns: `nil` unless the bytes are a name in its exact stored form.
    private static func name(_ bytes: ArraySlice<UInt8>) -> PersonName? {
        guard let name = try? PersonName(String(decoding: bytes, as: UTF8.self)),
            name.text.utf8.elementsEqual(bytes)
        else { return nil }
        return name
    }
}
