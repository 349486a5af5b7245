internal import MienDocument
public import MienFace

/// Reads pictures of identity documents: where the document is, whether the picture is good enough,
/// its machine-readable zone, its barcode, and its printed text.
///
/// For one thread at a time; each worker has its own. See `docs/measurements/documents.md` for its
/// error rates.
public struct DocumentReader: ~Copyable {
    private var zones: ZoneReader
    private var texts: TextReader

    /// - Throws: ``InferenceError``; ``TextError`` `.data`.
    public init(_ network: LineNetwork) throws {
        let zones = try ZoneReader(network), texts = try TextReader()
        self.zones = zones
        self.texts = texts
    }

    /// Reads one side of a document.
    /// - Throws: ``InferenceError`` `.failed`; ``BarcodeError``.
    public mutating func read(_ image: RGBImage) throws -> DocumentReading {
        var reading = try readCodes(image)
        if reading.place.count == 0, let place = try textPlace(image) {
            reading = DocumentReading(
                place: place, capture: CaptureVerdict(place.measurements(in: image)),
                zone: reading.zone, barcode: reading.barcode)
        }
        reading.showsTwoDocuments = try hasSecond(image, reading)
        reading.text = try readText(image, reading)
        reading.copyMeasurements = reading.place.copyMeasurements(in: image)
        return reading
    }

    /// The codes that are looked for. Finding out that a picture has none takes the longest.
    public enum Codes: Sendable {
        /// A machine-readable zone, and without a clear one a barcode.
        case any
        /// A barcode, and without one a machine-readable zone.
        case barcodeFirst
        /// None: only where the document is, and how good the picture is.
        case none
    }

    /// Reads one side of a document without its printed text.
    /// - Throws: as ``read(_:)``.
    public mutating func readCodes(_ image: RGBImage, _ codes: Codes = .any) throws
        -> DocumentReading
    {
        var place = CardPlace(in: image)
        let flat = codes == .none ? nil : FlatCard(place, image)
        var zone: ZoneReading?, barcode: BarcodeReading?
        switch codes {
        case .none: break
        case .any:
            zone = try readZone(image, flat)
            if zone?.status ?? .unsure == .unsure { barcode = try readBarcode(image, flat) }
            // The rows of a symbol look like lines of text.
            if let found = zone, barcode?.covers(found) ?? false { zone = nil }
        case .barcodeFirst:
            barcode = try readBarcode(image, flat)
            if barcode == nil { zone = try readZone(image, flat) }
        }
        // Boxes on a document that fills the picture look like documents, but have no zone.
        if place.count == 0 || place.isCutOff || !(zone.map(place.holds) ?? true) {
            place = Self.place(zone, barcode, image) ?? place
        }
        let verdict = CaptureVerdict(place.measurements(in: image))
        return DocumentReading(place: place, capture: verdict, zone: zone, barcode: barcode)
    }

    /// Whether the picture shows a document: its edges, a zone, a barcode, or the text of one that
    /// fills the picture.
    /// - Throws: as ``read(_:)``.
    public mutating func showsDocument(_ image: RGBImage) throws -> Bool {
        let reading = try readCodes(image)
        if reading.place.count > 0 || reading.barcode != nil { return true }
        if let zone = reading.zone, zone.status != .unsure { return true }
        return try textPlace(image) != nil
    }

    /// Reads the printed text of a document whose upright corners are known, into a reading.
    /// - Parameter corners: In pixels, from the document's top left clockwise.
    /// - Throws: ``TextError`` `.failed`.
    public mutating func readText(
        _ image: RGBImage, upright corners: [Point], into reading: inout DocumentReading
    ) throws {
        reading.text = try words(image, corners)
    }

    /// Measures signs of a copy, into a reading. They stay `nil` when the document is missing, cut
    /// off, or too small.
    public func measureCopy(_ image: RGBImage, into reading: inout DocumentReading) {
        reading.copyMeasurements = reading.place.copyMeasurements(in: image)
    }

    /// Whether both of two documents have a zone or a barcode. An open passport has two pages, of
    /// which one has a zone.
    private mutating func hasSecond(_ image: RGBImage, _ reading: DocumentReading) throws -> Bool {
        guard let first = reading.place.corners, let second = reading.place.second,
            let read = reading.middle
        else { return false }
        let other = CardPlace(corners: CardPlace.contains(first, read) ? second : first)
        guard let flat = FlatCard(other, image) else { return false }
        if let zone = try zones.read(flat.image), zone.status != .unsure { return true }
        return try BarcodeReading(in: flat.image) != nil
    }

    /// Where a document without visible edges is, such as one on a scan: around its zone, or all of
    /// the picture if a barcode takes most of its width.
    private static func place(
        _ zone: ZoneReading?, _ barcode: BarcodeReading?, _ image: RGBImage
    ) -> CardPlace? {
        if let zone, zone.status != .unsure, let place = CardPlace(around: zone, in: image) {
            return place
        }
        guard let c = barcode?.corners, c.count == 4, image.hasShapeOfCard else { return nil }
        let dx = Double(c[1].x - c[0].x), dy = Double(c[1].y - c[0].y)
        let share = (dx * dx + dy * dy).squareRoot() / Double(max(image.width, image.height))
        return share > 0.6 ? CardPlace(filling: image) : nil
    }

    /// All of the picture, if it has the shape of a document and text as a document has.
    private mutating func textPlace(_ image: RGBImage) throws -> CardPlace? {
        guard image.hasShapeOfCard, max(image.width, image.height) >= 600 else { return nil }
        let filling = CardPlace(filling: image)
        guard let corners = filling.corners else { return nil }
        let turned = (0..<4).map { corners[($0 + 2) % 4] }
        for corners in [corners, turned] {
            let sure = try words(image, corners).filter {
                $0.confidence > 60 && $0.text.filter { $0.isLetter || $0.isNumber }.count >= 3
            }
            if sure.count >= 8 { return filling }
        }
        return nil
    }

    /// Reads the printed text of the document, which the zone or the barcode turns upright. Without
    /// them, the direction that reads more words counts.
    private mutating func readText(_ image: RGBImage, _ reading: DocumentReading) throws
        -> [PrintedWord]
    {
        guard let corners = reading.place.corners, !reading.place.isCutOff,
            reading.capture.measurements.width >= 300
        else { return [] }
        if let upright = reading.uprightCorners { return try words(image, upright) }
        let turned = (0..<4).map { corners[($0 + 2) % 4] }
        let (first, second) = (try words(image, corners), try words(image, turned))
        func sure(_ words: [PrintedWord]) -> Double {
            words.reduce(0) { $0 + ($1.confidence > 60 ? Double($1.text.count) : 0) }
        }
        return sure(first) >= sure(second) ? first : second
    }

    /// The words of an upright document, at about 300 dots to the inch of a bank card.
    private mutating func words(_ image: RGBImage, _ corners: [Point]) throws -> [PrintedWord] {
        let long = corners[0].distance(to: corners[1]), short = corners[1].distance(to: corners[2])
        let side = 1200.0, scale = side / max(long, short, 1)
        guard
            let flat = image.rectified(
                corners, width: max(1, Int(long * scale)), height: max(1, Int(short * scale)))
        else { return [] }
        do { return try texts.read(flat, dotsPerInch: 300) } catch {
            // The time is over: the picture has much text, or dirt that looks like it.
            guard error.code == .late else { throw error }
            return []
        }
    }

    /// Reads the picture as it is, then without perspective if the zone was not clear.
    private mutating func readZone(_ image: RGBImage, _ flat: FlatCard?) throws -> ZoneReading? {
        let first = try zones.read(image)
        if let first, first.status != .unsure { return first }
        guard let flat, let second = try zones.read(flat.image) else { return first }
        guard let first else { return second.mapped(by: flat.map) }
        return second.status != .unsure || second.clarity > first.clarity
            ? second.mapped(by: flat.map) : first
    }

    private func readBarcode(_ image: RGBImage, _ flat: FlatCard?) throws -> BarcodeReading? {
        if let found = try BarcodeReading(in: image) { return found }
        guard let flat else { return nil }
        for width in [flat.image.width, 2 * flat.image.width / 3] {
            let height = flat.image.height * width / flat.image.width
            let scale = Double(flat.image.width) / Double(width)
            if let found = try BarcodeReading(in: flat.image.resized(width: width, height: height))
            {
                return found.mapped { flat.map($0 * scale) }
            }
        }
        return nil
    }
}

/// The document as a rectangle without perspective, and the map from there to the picture.
private struct FlatCard {
    let image: RGBImage
    let map: PerspectiveMap

    init?(_ place: CardPlace, _ image: RGBImage) {
        let side = Int(min(max(place.width, 900), 1800))
        guard let corners = place.corners, let flat = place.rectified(image, width: side) else {
            return nil
        }
        let w = Double(flat.width), h = Double(flat.height)
        let rectangle = [
            Point(x: 0, y: 0), Point(x: w, y: 0), Point(x: w, y: h), Point(x: 0, y: h),
        ]
        guard let map = PerspectiveMap(from: rectangle, to: corners) else { return nil }
        (self.image, self.map) = (flat, map)
    }
}

extension ZoneReading {
    fileprivate func mapped(by map: PerspectiveMap) -> Self {
        var out = self
        out.lines = lines.map { line in
            let start = map(Point(x: line.start.x, y: line.start.y)),
                end = map(Point(x: line.end.x, y: line.end.y))
            return ((start.x, start.y), (end.x, end.y))
        }
        return out
    }
}

extension RGBImage {
    /// Whether the sides are as those of a bank card or of a passport's page, and not as those of
    /// pictures that cameras take.
    fileprivate var hasShapeOfCard: Bool {
        let aspect = Double(max(width, height)) / Double(max(min(width, height), 1))
        return (1.53...1.65).contains(aspect) && aspect != 1.6 || (1.38...1.46).contains(aspect)
    }
}
