internal import MienPixels
internal import MienReading

/// A worker's own reader of documents. Used by one thread.
final class DocumentWorker {
    private var reader: DocumentReader

    init(_ network: LineNetwork) throws { reader = try DocumentReader(network) }

    /// Reads everything except the printed text.
    func codes(_ pictures: [RGBImage]) throws -> [DocumentReading] {
        var readings: [DocumentReading] = []
        for picture in pictures { readings.append(try reader.readCodes(picture)) }
        return readings
    }

    /// Adds the printed text. Without it, if OCR fails, nothing is compared with it.
    func reading(
        _ reading: DocumentReading, withTextOf picture: RGBImage, upright corners: [Point]
    ) -> DocumentReading {
        var reading = reading
        try? reader.readText(picture, upright: corners, into: &reading)
        return reading
    }
}
