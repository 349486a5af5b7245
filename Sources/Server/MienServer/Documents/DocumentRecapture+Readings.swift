internal import MienCore
internal import MienDocument
internal import MienIdentity
internal import MienModels

extension DocumentRecapture {
    /// The pictures whose faults keep a document from being judged.
    ///
    /// - Parameter isRead: Whether a zone or a barcode was read in one of the pictures.
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
