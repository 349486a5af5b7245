/// A word in a picture of a document, as OCR reads it. It is personal data, so it prints as `‹word›`.
public struct PrintedWord: Sendable, Hashable {
    public let text: String
    /// In pixels: left and top included, right and bottom excluded.
    public let left, top, right, bottom: Int
    /// 0…100.
    public let confidence: Double

    public init(
        _ text: String, left: Int, top: Int, right: Int, bottom: Int, confidence: Double = 100
    ) {
        self.text = text
        (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
        self.confidence = confidence
    }

    var height: Int { bottom - top }
    var middle: Int { top + (bottom - top) / 2 }
}

extension PrintedWord: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹word›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
