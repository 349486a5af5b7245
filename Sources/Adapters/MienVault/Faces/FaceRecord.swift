internal import MienCore
internal import MienFace
internal import MienSealing

/// The sealed content for one person: name and template. For the bytes, see
/// `docs/spec/sealed-record.md`, "Content of a face record".
struct FaceRecord {
    static let version: UInt16 = 1
    static let nameLengthOffset = 2, nameOffset = 4, templateOffset = 260

    /// The maximum size of a sealed record: a template of 1024 dimensions.
    static let maximumFileSize =
        templateOffset
        + FaceTemplate.byteCount(dimensions: FaceDescriptor.dimensionRange.upperBound)
        + RecordSealer.overhead

    let name: PersonName
    let template: FaceTemplate

    init(name: PersonName, template: FaceTemplate) { (self.name, self.template) = (name, template) }

    /// 260 bytes and the template. The size does not reveal the name or the number of photos.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.put(integer: Self.version)
        writer.put(integer: UInt16(name.text.utf8.count))
        writer.put(padded: name.text.utf8, to: PersonName.maximumBytes)
        writer.put(template.bytes)
        return writer.bytes
    }

    /// Accepts exactly the encoding that ``bytes`` produces.
    init(bytes: [UInt8]) throws(RecordError) {
        var reader = ByteReader(bytes)
        guard reader.integer(UInt16.self) == Self.version else { throw .content(at: 0) }
        guard let length = reader.integer(UInt16.self),
            (1...PersonName.maximumBytes).contains(Int(length))
        else {
            throw .content(at: Self.nameLengthOffset)
        }
        guard let text = reader.take(Int(length)),
            let padding = reader.take(PersonName.maximumBytes - Int(length)),
            padding.allSatisfy({ $0 == 0 }), let name = Self.name(text),
            let rest = reader.take(reader.remaining)
        else { throw .content(at: Self.nameOffset) }
        self.name = name
        do { template = try FaceTemplate(bytes: rest) } catch { throw .template(error) }
    }

    /// - Returns: `nil` unless the bytes are a name in its exact stored form.
    private static func name(_ bytes: ArraySlice<UInt8>) -> PersonName? {
        guard let name = try? PersonName(String(decoding: bytes, as: UTF8.self)),
            name.text.utf8.elementsEqual(bytes)
        else { return nil }
        return name
    }
}
