/// Bytes are no face template of a version this program reads. Says what is wrong and where, never
/// what stands there.
public struct FaceTemplateFormatError: Error, Sendable, Equatable {
    /// Stable words: never reused for another meaning.
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
    /// Where the wrong field or byte starts, in bytes from the start of the template.
    public let offset: Int

    public init(_ code: Code, at offset: Int) { (self.code, self.offset) = (code, offset) }
}

extension FaceTemplateFormatError: CustomStringConvertible {
    public var description: String { "\(code.rawValue): at byte \(offset)" }
}
