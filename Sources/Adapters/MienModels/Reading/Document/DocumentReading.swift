public import MienCore
public import MienDocument
public import MienFace

/// Everything that was read from a picture of a document.
public struct DocumentReading: Sendable {
    public let place: CardPlace
    /// Whether the picture is good enough. The readings below may succeed even if it is not.
    public let capture: CaptureVerdict
    /// The machine-readable zone, if the picture has one.
    public let zone: ZoneReading?
    /// The PDF417 symbol, if the picture has one. Not looked for when a zone was read.
    public let barcode: BarcodeReading?
    /// The printed words, with positions on the upright document, 1200 pixels long. Empty without a
    /// whole document in the picture.
    public internal(set) var text: [PrintedWord] = []

    /// Whether two documents were read, so that it is not clear which one is meant.
    public internal(set) var showsTwoDocuments = false
    /// Signs of a copy; `nil` when the document could not be measured.
    public internal(set) var copyMeasurements: CopyMeasurements?

    /// - Parameters:
    ///   - place: Where the document is.
    ///   - capture: The judgment of the picture.
    init(
        place: CardPlace, capture: CaptureVerdict, zone: ZoneReading?, barcode: BarcodeReading?
    ) {
        (self.place, self.capture, self.zone, self.barcode) = (place, capture, zone, barcode)
    }

    /// The fields of the printed text, found by their labels; empty ones were not found.
    ///
    /// Dates are read day first, except on cards of the United States. Without a zone or a barcode,
    /// dates that mean different days in both orders are not read.
    /// - Parameter country: The country of the document (ISO 3166-1 alpha-2), if it is known.
    public func visualZone(country: String? = nil) -> DocumentFields {
        let issuer = country ?? card?.country
        let order: PrintedText.DateOrder =
            issuer == "US"
            ? .monthFirst : issuer != nil || zone?.status == .valid ? .dayFirst : .unknown
        return VisualZone(text, order: order).fields
    }

    /// The results of the checks for copies.
    public var copyChecks: [CopyCheck: CopyCheck.Result] {
        Dictionary(
            uniqueKeysWithValues: CopyCheck.allCases.map { ($0, $0.result(copyMeasurements)) })
    }

    /// The corners of the document in pixels, from the top left of its text clockwise; `nil` without
    /// a document, or when neither a zone nor a barcode says which side is up.
    public var uprightCorners: [Point]? {
        guard let corners = place.corners, let first = upright(corners) else { return nil }
        return (0..<4).map { corners[(first + $0) % 4] }
    }

    /// The index of the corner at the top left of the text; `nil` when neither a zone nor a barcode
    /// says which side is up.
    func upright(_ corners: [Point]) -> Int? {
        guard let direction else { return nil }
        let sides = (0..<4).map { k in
            let side = corners[(k + 1) % 4] - corners[k]
            return (side.x * direction.x + side.y * direction.y) / max(side.length, 1e-9)
        }
        return sides.indices.max { sides[$0] < sides[$1] }
    }

    /// The direction in which text runs.
    private var direction: Point? {
        if let line = zone?.lines.first {
            return Point(x: line.end.x - line.start.x, y: line.end.y - line.start.y)
        }
        guard let c = barcode?.corners, c.count == 4 else { return nil }
        return Point(x: Double(c[1].x - c[0].x), y: Double(c[1].y - c[0].y))
    }

    /// The middle of the zone's first line, or of the barcode.
    var middle: Point? {
        if let line = zone?.lines.first {
            return Point(x: (line.start.x + line.end.x) / 2, y: (line.start.y + line.end.y) / 2)
        }
        guard let c = barcode?.corners, c.count == 4 else { return nil }
        return Point(x: Double(c[0].x + c[2].x) / 2, y: Double(c[0].y + c[2].y) / 2)
    }

    /// The card that the barcode describes; `nil` without a barcode, or if it says something else.
    public var card: AAMVACard? {
        guard let barcode else { return nil }
        return try? AAMVACard(barcode.bytes)
    }

    /// Whether a barcode was read that describes no card, and no zone was found. No other picture of
    /// such a document helps, however good this one is.
    public var hasForeignBarcode: Bool { barcode != nil && card == nil && zone == nil }

    /// As ``recapture``, but an expired document is a reason to ask for another one, too.
    public func recapture(now: Instant) -> RecaptureReason? {
        if let recapture { return recapture }
        let checks = IdentityDocument(zone: zone?.zone, card: card).checks(now: now)
        return checks.contains { $0.name == .notExpired && $0.verdict == .failed }
            ? .documentExpired : nil
    }

    /// Why another picture is needed, or another document; `nil` if the document was read. A zone
    /// or a barcode that was read is enough, however the picture looks.
    public var recapture: RecaptureReason? {
        if showsTwoDocuments { return .poorImageQuality }
        if zone?.status == .valid || zone?.status == .invalid || card != nil { return nil }
        if hasForeignBarcode { return .documentNotSupported }
        if let reason = capture.reason { return reason }
        return zone != nil ? .documentDamaged : .documentNotSupported
    }
}

extension DocumentReading: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    public var description: String { "‹document›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
