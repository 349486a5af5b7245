internal import MienAPI
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
    /// Whether what was read is mostly printed on backs. Some cards have it beside their portrait.
    var isOfBack: Bool {
        if card != nil { return true }
        guard let zone, zone.status != .unsure else { return false }
        return zone.zone.format == .td1
    }
}

extension DocumentFindings {
    /// Whether a check failed by what was read well: by a zone, a barcode, or a face. Another picture
    /// would only be another try.
    var isRefused: Bool {
        checks.results.contains { name, result in
            guard result == .failed else { return false }
            return name != .documentConsistent
                || comparison.reasons.contains {
                    $0.check == name.rawValue && $0.result == IdentityCheckResult.failed.rawValue
                        && !$0.sources.contains(DocumentFields.Source.visualZone.rawValue)
                }
        }
    }

    /// Asks for another picture of the portrait's side, instead of judging by it, if it is faulty and
    /// something that is read from it does not agree. What agrees in spite of a fault was read well.
    mutating func askAgain(for front: DocumentReading, as picture: DocumentPicture) {
        let isUnclear = [.faceMatch, .documentConsistent].contains { name in
            checks[name].map { $0 != .passed } ?? false
        }
        // Signs of a copy cannot be measured if part of the document is missing.
        let isUnmeasured =
            checks[.documentNotPhotocopy] == .inconclusive && front.copyMeasurements == nil
        guard isReadable, !isRefused, let reason = front.capture.reason, isUnclear || isUnmeasured
        else { return }
        ask([DocumentRecapture(picture, reason, hints: front.capture.faults.map(\.rawValue))])
    }

    /// Asks for other pictures. The checks stay, as evidence.
    mutating func ask(_ recapture: [DocumentRecapture]) {
        checks[.documentReadable] = .failed
        (isReadable, data, stated, self.recapture) = (false, nil, nil, recapture)
    }
}
