internal import Foundation
internal import MienAPI
internal import MienCore
internal import MienIdentity
internal import MienStore

extension ServerConfiguration {
    /// The sources that the setting `identity.sources` names.
    ///
    /// - Throws: ``ConfigurationError`` if the mapping of the source `http` is invalid.
    func sources(in store: Store, clock: ServerClock) throws -> [any IdentityDataSource] {
        try identitySources.map { name in
            switch name {
            case .registry: RegistrySource(store: store, shortNames: try shortNames())
            case .http: try httpSource(clock)
            case .simulator: SimulatedIdentitySource()
            }
        }
    }

    func httpSource(_ clock: ServerClock) throws -> HTTPIdentitySource {
        let service = identityHTTP, setting = "identity.http"
        let mapping: HTTPSourceMapping
        let bytes = try Self.bytes(service.mapping, "\(setting).mapping")
        do throws(HTTPSourceMappingError) { mapping = try HTTPSourceMapping(json: bytes) } catch {
            throw ConfigurationError(["\(setting).mapping: \(service.mapping): \(error)"])
        }
        return HTTPIdentitySource(
            mapping: mapping, url: service.url, timeout: service.timeout,
            caller: try WebhookCaller(
                only: service.url, setting: setting, mayBePrivate: service.mayBePrivate,
                secret: service.secret, formerSecret: service.formerSecret,
                authorities: service.authorities, clock: clock),
            clock: clock)
    }

    /// The check of documents that the setting `identity.documents` turns on; `nil` without it.
    ///
    /// - Throws: ``ConfigurationError`` if parts of reading are not installed.
    func documentVerifier(
        comparing faces: FaceService, limits: WorkLimits, clock: ServerClock
    ) throws -> (any DocumentVerifier)? {
        guard !identityDocuments.isEmpty else { return nil }
        do {
            return try DocumentCheckService(
                types: identityDocuments, needsFace: identityNeedsFace,
                faces: faces,
                thresholds: PortraitThresholds(match: MatchScore(identityPortraitThreshold)),
                looksForCopies: identityLooksForCopies, workers: identityDocumentWorkers,
                limits: limits, clock: clock)
        } catch { throw ConfigurationError(["identity.documents: \(error)"]) }
    }

    /// - Throws: ``ConfigurationError`` if a file cannot be read, or the linter rejects the rules.
    func makeIdentityRules() throws -> IdentityRules {
        IdentityRules(
            policy: identityPolicy, required: identityRequired, countries: identityCountries,
            issuers: identityIssuers, age: identityAge, recommendations: try recommendations(),
            retentionDays: identityRetentionDays,
            resultRetentionDays: identityResultRetentionDays, needsConsent: identityNeedsConsent,
            needsSecondReviewer: identityNeedsSecondReviewer, consentText: try consentText(),
            shortNames: try shortNames())
    }

    private func recommendations() throws -> RecommendationRules {
        guard let path = identityRules else { return .standard }
        let rules: RecommendationRules
        let bytes = try Self.bytes(path, "identity.rules")
        do throws(RecommendationRulesError) { rules = try RecommendationRules(json: bytes) } catch {
            throw ConfigurationError(["identity.rules: \(path): \(error)"])
        }
        let errors = rules.findings().filter { $0.code.severity == .error }
        guard errors.isEmpty else {
            throw ConfigurationError(errors.map { "identity.rules: \(path): \($0)" })
        }
        return rules
    }

    private func shortNames() throws -> ShortNames {
        guard let path = identityShortNames else { return .standard }
        let bytes = try Self.bytes(path, "identity.short_names")
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationError(["identity.short_names: \(path) is not UTF-8"])
        }
        do throws(ShortNamesError) { return try ShortNames(text) } catch {
            throw ConfigurationError(["identity.short_names: \(path): \(error)"])
        }
    }

    private func consentText() throws -> IdentityConsentText? {
        guard let path = identityConsentText else { return nil }
        let bytes = try Self.bytes(path, "identity.consent_text")
        guard let text = String(validating: bytes, as: UTF8.self),
            !text.allSatisfy(\.isWhitespace), bytes.count <= IdentityConsentText.maxBytes
        else {
            throw ConfigurationError([
                "identity.consent_text: \(path) must contain 1 to \(IdentityConsentText.maxBytes) bytes of UTF-8 text"
            ])
        }
        return IdentityConsentText(text)
    }

    private static func bytes(_ path: String, _ setting: String) throws -> [UInt8] {
        do { return [UInt8](try Data(contentsOf: URL(filePath: path))) } catch {
            throw ConfigurationError(["\(setting): cannot read \(path)"])
        }
    }
}

extension IdentityService {
    /// Settings under which people cannot be verified, or are verified by invented answers.
    func warnings(apps: [AppRecord]) -> [String] {
        var warnings: [String] = []
        if isSimulated {
            warnings.append(
                "identity.sources contains simulator: it verifies an invented person, and marks each result as simulated"
            )
        }
        let levels = apps.map(\.settings.identity.required)
        if isOffered, !checksDocuments, requires(.governmentID, apps: levels) {
            warnings.append(
                "GOVERNMENT_ID is required, but identity.documents names no documents: nobody can reach this level"
            )
        }
        return warnings
    }
}
