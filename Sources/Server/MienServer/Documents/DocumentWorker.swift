internal import MienFace
internal import MienModels

/// A worker's own reader of documents. Used by one thread.
final class DocumentWorker {
    private var reader: DocumentReader

    init(_ network: LineNetwork) throws { reader = try DocumentReader(network) }

    /// Reads everything except the printed text.
    ///
    /// - Parameter isLicense: Whether the barcode is expected on the second picture, and nothing on
    ///   the first unless the second has none.
    func codes(_ pictures: [RGBImage], isLicense: Bool) throws -> [DocumentReading] {
        guard isLicense, pictures.count == 2 else {
            return try pictures.map { try reader.readCodes($0) }
        }
        let back = try reader.readCodes(pictures[1], .barcodeFirst)
        let isFound = back.card != nil
        return [try reader.readCodes(pictures[0], isFound ? .none : .barcodeFirst), back]
    }

    /// Whether the picture shows a document, also one that fills it.
    func showsDocument(_ picture: RGBImage) throws -> Bool { try reader.showsDocument(picture) }

    /// Adds the printed text, and measures signs of a copy. Without text, if OCR fails, nothing is
    /// compared with it.
    ///
    /// - Parameter corners: `nil` if nothing says which side is up: then no text is read.
    func completed(
        _ reading: DocumentReading, of picture: RGBImage, upright corners: [Point]?,
        looksForCopies: Bool
    ) -> DocumentReading {
        var reading = reading
        if let corners { try? reader.readText(picture, upright: corners, into: &reading) }
        if looksForCopies { reader.measureCopy(picture, into: &reading) }
        return reading
    }
}
