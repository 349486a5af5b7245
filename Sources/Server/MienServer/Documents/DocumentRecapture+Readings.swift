internal import MienCore
internal import MienDocument
internal import MienIdentity
internal import MienModels

extension DocumentRecapture {
    /// The pictures whose faults keep a document from being judged.
    ///
    /// - Parameters:
    ///   - sides: One, if the person sent the same picture as both.
    ///   - isRead: Whether a zone or a barcode was read in one of the pictures.
    static func needed(
        for sides: [(picture: DocumentPicture, reading: DocumentReading)],
        of type: IdentityDocumentType, isRead: Bool
    ) -> [DocumentRecapture] {
        // The portrait of one document and the data of another could be combined.
        let several = sides.filter { $0.reading.capture.faults.contains(.severalDocuments) }
        guard several.isEmpty else {
            return several.map { side in
                DocumentRecapture(
                    side.picture, .poorImageQuality,
                    hints: [CaptureFault.severalDocuments.rawValue])
            }
        }
        if type != .passport, sides.allSatisfy(\.reading.isOfBack) {
            return [DocumentRecapture(.front, .imageMissing, hints: [sameSide])]
        }
        guard !isRead else { return [] }
        if type != .passport, sides.count == 1 {
            return [DocumentRecapture(.back, .imageMissing, hints: [sameSide])]
        }
        // Other pictures of the same document would be of no use.
        let foreign = sides.filter(\.reading.hasForeignBarcode)
        guard foreign.isEmpty else {
            return foreign.map { DocumentRecapture($0.picture, .documentNotSupported) }
        }
        // The sides that may have a zone or a barcode: driver licenses have it on their back.
        let sought = type == .driverLicense ? Array(sides.suffix(1)) : sides
        let faulty = sought.filter { !$0.reading.capture.isGood }
        return (faulty.isEmpty ? Array(sought.suffix(1)) : faulty).map { side in
            DocumentRecapture(
                side.picture, side.reading.recapture ?? .documentNotSupported,
                hints: side.reading.capture.faults.map(\.rawValue))
        }
    }
}

extension DocumentReading {
    /// Whether what was read is printed on the backs of documents only.
    var isOfBack: Bool {
        if card != nil { return true }
        guard let zone, zone.status != .unsure else { return false }
        return zone.zone.format == .td1
    }
}

extension DocumentFindings {
    /// Asks for another picture of the portrait's side, instead of judging by it, if it is faulty and
    /// something that is read from it does not agree. What agrees in spite of a fault was read well.
    mutating func askAgain(for front: DocumentReading, as picture: DocumentPicture) {
        let faults = front.capture.faults
        let isUnclear = [.faceMatch, .documentConsistent].contains { name in
            checks[name].map { $0 != .passed } ?? false
        }
        // Signs of a copy cannot be measured if part of the document is missing.
        let isUnmeasured =
            checks[.documentNotPhotocopy] == .inconclusive && front.copyMeasurements == nil
        guard isReadable, let reason = front.capture.reason, isUnclear || isUnmeasured else {
            return
        }
        self = DocumentFindings(
            isReadable: false,
            recapture: [DocumentRecapture(picture, reason, hints: faults.map(\.rawValue))])
    }
}
