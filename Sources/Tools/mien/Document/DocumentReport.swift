import MienCore
import MienDocument
import MienModels
import MienTools

/// Everything that `mien document read` found, for people and for scripts.
struct DocumentReport: Encodable {
    struct Photo: Encodable {
        let photo: String
        let faults: [String]
        let recapture: String?
        let zone: Zone?
        let hasBarcode: Bool
        /// The results of the checks for copies, by their names.
        let copies: [String: String]
    }

    struct Zone: Encodable {
        let format: String
        let status: String
        let lines: [String]
    }

    struct Fields: Encodable {
        let source: String
        let number: String?
        let familyName: String?
        let givenNames: [String]
        /// All names, if the document does not say which is the family name.
        let unorderedNames: [String]?
        let birth: String?
        let issue: String?
        let expiry: String?
        let sex: String?
        let country: String?
        let postalCode: String?
    }

    struct Check: Encodable {
        let name: String
        let verdict: String
        let reason: String?
        let sources: [String]

        /// Whether people are told. Of the checks that were not made, only those of a field that the
        /// document states in part or not at all concern it.
        var isShown: Bool {
            verdict != "not_checked"
                || (sources.count == 1 && ["partial", "missing"].contains(reason))
        }
    }

    let photos: [Photo]
    let fields: [Fields]
    let checks: [Check]
    /// Why another photo is needed; `nil` when a photo of the document was read.
    let recapture: String?

    /// Whether a check failed.
    var hasFailures: Bool {
        checks.contains { $0.verdict == "failed" }
            || photos.contains { $0.copies.values.contains("failed") }
    }

    /// - Parameter paths: The photos, in the order of the readings.
    init(_ paths: [String], _ readings: [DocumentReading], now: Instant) {
        photos = zip(paths, readings).map { path, reading in
            Photo(
                photo: path, faults: reading.capture.faults.map(\.rawValue),
                recapture: reading.recapture?.rawValue,
                zone: reading.zone.map {
                    Zone(
                        format: $0.zone.format.rawValue, status: $0.status.rawValue,
                        lines: $0.zone.lines)
                }, hasBarcode: reading.barcode != nil,
                copies: Dictionary(
                    uniqueKeysWithValues: reading.copyChecks.map {
                        ($0.key.rawValue, $0.value.rawValue)
                    }))
        }
        let zone = readings.lazy.compactMap(\.zone).first { $0.status != .unsure }?.zone
        let card = readings.lazy.compactMap(\.card).first
        let country = zone?.issuer.country ?? card?.country
        let printed = readings.map { $0.visualZone(country: country) }.filter {
            $0 != DocumentFields(.visualZone)
        }
        let document = IdentityDocument(zone: zone, card: card, visualZone: printed.first)
        fields = document.fields(asOf: CalendarDate(now)).map(Fields.init)
        checks = document.checks(now: now).map(Check.init)
        let isRead = zone != nil || card != nil
        // A side that cannot be read, whatever its picture, counts before pictures of other sides.
        let decisive = readings.first(where: \.hasForeignBarcode).map { [$0] } ?? readings
        recapture = isRead ? nil : decisive.lazy.compactMap(\.recapture).first?.rawValue
    }

    var text: String {
        var out: [String] = []
        for photo in photos {
            let found =
                photo.zone.map { "machine-readable zone \($0.format), \($0.status)" }
                ?? (photo.hasBarcode ? "barcode" : "neither a machine-readable zone nor a barcode")
            let faults = photo.faults.isEmpty ? "" : " (\(photo.faults.joined(separator: ", ")))"
            out.append("\(photo.photo): \(found)\(faults)")
            out += (photo.zone?.lines ?? []).map { "  " + $0 }
            for (name, result) in photo.copies.sorted(by: { $0.key < $1.key })
            where ["failed", "inconclusive"].contains(result) {
                out.append("  \(name): \(result)")
            }
        }
        if !fields.isEmpty {
            let rows = fields.map { row -> [String] in
                let cells: [String?] = [
                    row.source, row.number, row.familyName,
                    row.unorderedNames.map { "\($0.joined(separator: " ")) (in unknown order)" }
                        ?? row.givenNames.joined(separator: " "),
                    row.birth, row.expiry, row.sex,
                ]
                return cells.map { Terminal.safe($0 ?? "") }
            }
            out.append("")
            out.append(
                Terminal.table(
                    rows,
                    heading: [
                        "source", "number", "family name", "given names", "birth", "expiry", "sex",
                    ]))
        }
        let shown = checks.filter(\.isShown)
        if !shown.isEmpty {
            out.append("")
            out.append(
                Terminal.table(
                    shown.map {
                        [
                            $0.name, $0.sources.joined(separator: ", "),
                            $0.reason.map { "not checked: \($0)" } ?? $0.verdict,
                        ]
                    },
                    heading: ["check", "sources", "result"]))
        }
        if let recapture { out.append("\nanother photo is needed: \(recapture)") }
        return out.joined(separator: "\n")
    }
}

extension DocumentReport.Fields {
    fileprivate init(_ fields: DocumentFields) {
        self.init(
            source: fields.source.rawValue, number: fields.number, familyName: fields.familyName,
            givenNames: fields.givenNames,
            unorderedNames: fields.unorderedNames.isEmpty ? nil : fields.unorderedNames,
            birth: fields.birth?.description,
            issue: fields.issue?.description, expiry: fields.expiry?.description,
            sex: fields.sex?.rawValue, country: fields.country, postalCode: fields.postalCode)
    }
}

extension DocumentReport.Check {
    fileprivate init(_ check: DocumentCheck) {
        let (verdict, reason): (String, String?) =
            switch check.verdict {
            case .passed: ("passed", nil)
            case .failed: ("failed", nil)
            case .notChecked(let reason): ("not_checked", reason.rawValue)
            }
        self.init(
            name: check.name.rawValue, verdict: verdict, reason: reason,
            sources: check.sources.map(\.rawValue))
    }
}
