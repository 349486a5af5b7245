internal import CMienReading
public import MienDocument
public import MienFace

/// Reads printed text in a picture, with Tesseract and its English data.
///
/// For one thread at a time; each worker has its own, about 30 MB.
@safe public struct TextReader: ~Copyable {
    private let reader: OpaquePointer

    /// - Throws: ``TextError`` `.data` when the package `tesseract-ocr-eng` is not installed.
    public init() throws(TextError) {
        guard let reader = unsafe mien_text_create("eng") else { throw TextError(.data) }
        unsafe self.reader = reader
    }

    deinit { unsafe mien_text_free(reader) }

    /// The greatest number of pixels that is read.
    public static let maxPixels = 4_000_000

    /// Reads the words of an upright picture.
    /// - Parameters:
    ///   - dotsPerInch: The picture's resolution on the document.
    ///   - milliseconds: The time after which reading stops.
    /// - Throws: ``TextError``.
    public mutating func read(_ image: RGBImage, dotsPerInch: Int, milliseconds: Int = 4000)
        throws(TextError) -> [PrintedWord]
    {
        guard image.width * image.height <= Self.maxPixels else { throw TextError(.size) }
        let luma = image.luma
        var words: UnsafePointer<mien_text_word>?, count = 0
        var text: UnsafePointer<CChar>?, bytes = 0
        let status = unsafe luma.withUnsafeBytes { gray in
            unsafe mien_text_read(
                reader, gray.baseAddress, Int32(image.width), Int32(image.height),
                Int32(clamping: dotsPerInch), Int32(clamping: milliseconds), &words, &count, &text,
                &bytes)
        }
        guard status != mien_text_late else { throw TextError(.late) }
        guard status == mien_text_ok else { throw TextError(.failed) }
        guard let first = unsafe words, let start = unsafe text, count > 0 else { return [] }
        let all = unsafe Array(UnsafeRawBufferPointer(start: start, count: bytes))
        let found = unsafe Array(UnsafeBufferPointer(start: first, count: count))
        return found.map { word in
            PrintedWord(
                String(decoding: all[word.start..<word.start + word.bytes], as: UTF8.self),
                left: Int(word.left), top: Int(word.top), right: Int(word.right),
                bottom: Int(word.bottom), confidence: Double(word.confidence))
        }
    }
}

/// The reason that text was not read.
public struct TextError: Error, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// The data of the language is missing.
        case data = "text.data"
        /// The picture has too many pixels.
        case size = "text.size"
        /// The time is over.
        case late = "text.late"
        case failed = "text.failed"
    }

    public let code: Code

    init(_ code: Code) { self.code = code }

    /// The problem, and how to fix it.
    public var reason: String {
        switch code {
        case .data: "Tesseract's English data is missing; run scripts/setup"
        case .size: "text is read in at most \(TextReader.maxPixels) pixels"
        case .late: "reading text took too long; try a smaller or clearer picture"
        case .failed: "Tesseract failed; try a smaller picture"
        }
    }

    public var description: String { "\(code.rawValue): \(reason)" }
}
