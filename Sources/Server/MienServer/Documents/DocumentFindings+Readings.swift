internal import MienAPI
internal import MienCore
internal import MienDocument
internal import MienIdentity
internal import MienModels

/// The judgment of the pictures of one document, without faces. Pure: the same readings and time give
/// the same findings.
extension DocumentFindings {
    /// - Parameters:
    ///   - sides: The pictures and their readings; only the front for a passport.
    ///   - offered: The documents that the person can choose.
    ///   - looksForCopies: Whether the first picture's signs of a copy are among the checks.
    init(
        _ sides: [(picture: DocumentPicture, reading: DocumentReading)],
        as type: IdentityDocumentType, of country: DocumentIssuer,
        among offered: [DocumentCoverage] = DocumentCoverage.table, looksForCopies: Bool,
        now: Instant
    ) {
        let zones = sides.compactMap { side in
            side.reading.zone.flatMap { $0.status == .unsure ? nil : $0.zone }
        }
        let cards = sides.compactMap(\.reading.card)
        let zone = zones.first, card = cards.first
        let recapture = DocumentRecapture.needed(
            for: sides, of: type, isRead: zone != nil || card != nil)
        guard recapture.isEmpty else {
            self.init(isReadable: false, recapture: recapture)
            return
        }
        let issuer = card.map(\.country) ?? zone?.issuer.issuer
        let found = Self.type(card: card, zone: zone)
        // A barcode may be of an issuer that this version does not know.
        let isOfCountry: Bool? = card != nil && issuer == nil ? nil : issuer == country.rawValue
        if found != type || isOfCountry == false {
            // Another choice helps only if the document can be chosen.
            let canBeChosen = offered.contains {
                $0.type == found && $0.issuer.rawValue == issuer ?? country.rawValue
            }
            let hint = found != type ? DocumentRecapture.otherType : DocumentRecapture.otherCountry
            self.init(
                isReadable: false,
                recapture: sides.map {
                    DocumentRecapture(
                        $0.picture, .documentNotSupported, hints: canBeChosen ? [hint] : [])
                })
            return
        }
        // The front's printed text counts before the back's, which mostly repeats the zone or the
        // barcode.
        let printed = sides.map { ($0.picture, $0.reading.visualZone(country: issuer)) }
            .filter { $0.1 != DocumentFields(.visualZone) }
        let document = IdentityDocument(zone: zone, card: card, visualZone: printed.first?.1)
        let results = document.checks(now: now)

        var checks = IdentityChecks()
        var reasons = results.compactMap { ReviewReason($0) }
        func note(
            _ check: IdentityCheckName, _ result: IdentityCheckResult, _ detail: String,
            _ sources: DocumentFields.Source...
        ) {
            checks[check] = result
            guard result != .passed else { return }
            reasons.append(
                ReviewReason(
                    check: check.rawValue, detail: detail, result: result.rawValue,
                    sources: sources.map(\.rawValue)))
        }
        note(.documentType, isOfCountry == nil ? .inconclusive : .passed, "issuer", .barcode)
        checks[.documentNotExpired] = Self.result(results.filter { $0.name == .notExpired })
        let others = results.filter { $0.name != .notExpired }
        if Set(zones).count > 1 {
            note(.documentConsistent, .failed, "two_zones", .mrz)
        } else if Set(cards.map(\.bytes)).count > 1 {
            note(.documentConsistent, .failed, "two_barcodes", .barcode)
        } else if others.contains(where: { $0.verdict == .failed }) {
            checks[.documentConsistent] = .failed
        } else if others.contains(where: { $0.verdict == .notChecked(.doubtful) }) {
            checks[.documentConsistent] = .inconclusive
        } else {
            let agree =
                Self.areLinked(sides, others) && others.contains { $0.verdict == .passed }
            note(
                .documentConsistent, agree ? .passed : .inconclusive, "not_linked",
                card == nil ? .mrz : .barcode, .visualZone)
        }
        if looksForCopies, let front = sides.first?.reading {
            for (check, result) in Self.copyChecks(of: front) {
                note(
                    check, result, front.copyMeasurements == nil ? "not_measured" : "copy_signs")
            }
        }
        let today = CalendarDate(now)
        let fields = card.map { DocumentFields($0) } ?? zone.map { DocumentFields($0, asOf: today) }
        let stated = fields.map {
            StatedPerson(
                familyName: $0.familyName ?? "",
                givenNames: ($0.givenNames + $0.unorderedNames).joined(separator: " "),
                dateOfBirth: $0.birth, hasShortenedNames: $0.hasShortenedNames)
        }
        self.init(
            isReadable: true, checks: checks, data: card.flatMap { Self.personalData(of: $0) },
            stated: stated,
            comparison: ReviewComparison(
                sources: document.fields(asOf: today).map { ReviewSource($0) },
                // What is merely unclear explains nothing if the check passed in spite of it.
                reasons: reasons.filter { reason in
                    checks.results.contains {
                        $0.key.rawValue == reason.check && $0.value != .passed
                    }
                }))
    }

    /// The kind of document; `nil` for visas and others that are not accepted.
    private static func type(card: AAMVACard?, zone: MachineReadableZone?) -> IdentityDocumentType?
    {
        if let card { return card.isDriverLicense ? .driverLicense : .idCard }
        guard let zone else { return nil }
        switch zone.documentCode.first {
        case "P": return zone.format == .td3 ? .passport : nil
        case "I", "A", "C": return zone.format == .td3 ? nil : .idCard
        default: return nil
        }
    }

    /// `inconclusive` if the document does not state a date, or not all of it.
    private static func result(_ checks: [DocumentCheck]) -> IdentityCheckResult {
        if checks.contains(where: { $0.verdict == .failed }) { return .failed }
        return checks.contains { $0.verdict == .passed } ? .passed : .inconclusive
    }

    /// Whether the pictures show one document: the codes and the portrait's side are in one picture,
    /// or what is printed on that side agrees with the codes. Otherwise anybody's front could be
    /// combined with somebody else's back.
    private static func areLinked(
        _ sides: [(picture: DocumentPicture, reading: DocumentReading)], _ checks: [DocumentCheck]
    ) -> Bool {
        guard let front = sides.first else { return false }
        if front.reading.zone.map({ $0.status != .unsure }) ?? false { return true }
        if front.reading.card != nil { return true }
        return checks.contains {
            [.sameNumber, .sameFamilyName, .sameBirth].contains($0.name)
                && $0.sources.contains(.visualZone) && $0.verdict == .passed
        }
    }

    /// Documents sometimes have the same signs as copies, so a sign leads to a review and refuses
    /// nobody. The portrait's side counts: the backs of many cards have little color.
    private static func copyChecks(of reading: DocumentReading) -> [(
        IdentityCheckName, IdentityCheckResult
    )] {
        reading.copyChecks.map { check, result in
            let name: IdentityCheckName =
                switch check {
                case .notPhotocopy: .documentNotPhotocopy
                case .notScreen: .documentNotScreen
                }
            return (name, result == .passed ? .passed : .inconclusive)
        }
    }

    private static func personalData(of card: AAMVACard) -> PersonalDataInput? {
        guard let family = card.familyName, !card.givenNames.isEmpty, let birth = card.birth,
            let street = card.street, let code = card.postalCode, let country = card.country
        else { return nil }
        return PersonalDataInput(
            firstName: card.givenNames.joined(separator: " "), lastName: family,
            address: [street, card.street2].compactMap { $0 }.joined(separator: " "),
            city: card.city, state: card.state, postalCode: code, country: country,
            dateOfBirth: birth.description)
    }
}

extension ReviewSource {
    /// The fields as one part of the document states them.
    fileprivate init(_ fields: DocumentFields) {
        var texts: [String: String] = [:]
        texts["number"] = fields.number
        texts["family_name"] = fields.familyName
        let given = fields.givenNames + fields.unorderedNames
        if !given.isEmpty { texts["given_names"] = given.joined(separator: " ") }
        texts["birth"] = fields.birth?.description
        texts["issue"] = fields.issue?.description
        texts["expiry"] = fields.expiry?.description
        texts["sex"] = fields.sex?.rawValue
        texts["country"] = fields.country
        texts["nationality"] = fields.nationality
        texts["postal_code"] = fields.postalCode
        self.init(
            name: fields.source.rawValue, fields: texts,
            unsure: fields.unsure.map(\.rawValue).sorted())
    }
}

extension ReviewReason {
    /// - Returns: `nil` for a check that passed, or that the document cannot have.
    fileprivate init?(_ check: DocumentCheck) {
        let result: String
        switch check.verdict {
        case .passed, .notChecked(.missing), .notChecked(.noRule), .notChecked(.notApplicable):
            return nil
        case .failed: result = "failed"
        case .notChecked(let reason): result = reason.rawValue
        }
        let name: IdentityCheckName =
            check.name == .notExpired ? .documentNotExpired : .documentConsistent
        self.init(
            check: name.rawValue, detail: check.name.rawValue, result: result,
            sources: check.sources.map(\.rawValue))
    }
}
