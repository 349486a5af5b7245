/// Bytes that are not a face template of a supported version. States the error and its offset, but
/// never the content.
public struct FaceTemplateFormatError: Error, Sendable, Equatable {
    /// Stable codes, never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        case truncated = "template.truncated"
        case trailingBytes = "template.trailing-bytes"
        case magic = "template.magic"
        case version = "template.version"
        case dimensions = "template.dimensions"
        case count = "template.count"
        case packID = "template.pack-id"
        case createdAt = "template.created-at"
        case reserved = "template.reserved"
        case quality = "template.quality"
        case pose = "template.pose"
        case notFinite = "template.not-finite"
        case norm = "template.norm"
        case noMeanDirection = "template.no-mean-direction"
    }

    public let code: Code
    /// The start of the invalid field or byte, in bytes from the start of the template.
    public let offset: Int

    public init(_ code: Code, at offset: Int) { (self.code, self.offset) = (code, offset) }
}

extension FaceTemplateFormatError: CustomStringConvertible {
    public var description: String { "\(code.rawValue): at byte \(offset)" }
}
