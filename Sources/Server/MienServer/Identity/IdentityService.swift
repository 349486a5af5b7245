internal import MienAPI
package import MienCore
package import MienIdentity
package import MienStore

/// Verifies identities: counts an attempt, asks the sources, applies the rules, and records the
/// result.
package struct IdentityService: Sendable {
    /// An attempt without a result after this time was interrupted by the end of the server.
    static let interrupted = Duration.seconds(300)

    let store: Store
    let sources: [any IdentityDataSource]
    let documents: DocumentChecker?
    let captures: CaptureService?
    let faces: SessionFaces?
    let rules: IdentityRules
    let jobs: IdentityJobQueue
    let clock: ServerClock

    /// - Parameters:
    ///   - sources: All of them judge personal data. Without one, none is verified.
    ///   - documents: Without it, no document is accepted.
    ///   - captures: Without it, faces are still pictures.
    ///   - faces: Without it, nobody is compared with an app's picture.
    ///   - jobs: The queue of the documents that ``IdentityWorker`` judges.
    package init(
        store: Store, sources: [any IdentityDataSource], documents: DocumentChecker? = nil,
        captures: CaptureService? = nil, faces: SessionFaces? = nil,
        rules: IdentityRules,
        jobs: IdentityJobQueue = IdentityJobQueue(), clock: ServerClock
    ) {
        var rules = rules
        rules.policy = VerificationPolicy(
            piiAttempts: rules.policy.piiAttempts, documentAttempts: rules.policy.documentAttempts,
            documents: Set(Self.documents(of: documents?.verifier, sources, rules).map(\.type)))
        (self.store, self.sources, self.rules, self.clock) = (store, sources, rules, clock)
        (self.documents, self.captures, self.jobs) = (documents, captures, jobs)
        self.faces = faces
    }

    /// How full the queue of documents is.
    package var jobDepth: QueueDepth { jobs.depth }

    // MARK: State

    /// Returns the state of a user's verification, as users of the app see it.
    package func check(_ user: UserID, in app: AppID) async throws -> VerifiedIdentity {
        try await store.read { tables in
            identity(
                try tables.verifications.find(user), try tables.apps.find(app)?.settings.identity)
        }
    }

    /// The countries whose personal data is verified, sorted.
    package var supportedCountries: [Country] { sources.isEmpty ? [] : rules.countries.sorted() }

    /// The documents that are read: the part of the table that this deployment accepts. Addresses
    /// count where personal data of their country is verified.
    package var supportedDocuments: [DocumentCoverage] {
        Self.documents(of: documents?.verifier, sources, rules)
    }

    private static func documents(
        of verifier: (any DocumentVerifier)?, _ sources: [any IdentityDataSource],
        _ rules: IdentityRules
    ) -> [DocumentCoverage] {
        guard let verifier else { return [] }
        return DocumentCoverage.table.filter {
            verifier.types.contains($0.type) && rules.issuers.contains($0.issuer)
        }.map { row in
            var row = row
            let isVerified =
                Country(rawValue: row.issuer.rawValue).map(rules.countries.contains) ?? false
            if sources.isEmpty || !isVerified { row.statesAddress = false }
            return row
        }
    }

    /// Whether a picture of the face belongs to a document.
    package var needsFaceImage: Bool { documents?.verifier.needsFace ?? false }

    /// Whether an attempt needs the user's consent.
    package var needsConsent: Bool { rules.needsConsent }

    func identity(_ record: VerificationRecord, _ app: IdentitySettings?) -> VerifiedIdentity {
        VerifiedIdentity(
            owner: record.account, state: record.state,
            requirement: VerificationRequirement(
                deployment: rules.required, app: app?.required, user: record.required),
            policy: rules.policy)
    }

    // MARK: Personal data

    /// Verifies personal data.
    ///
    /// - Throws: ``IdentityError``. Only `implausibleAge` counts as an attempt. If a source does not
    ///   answer, the attempt is given back, and ``IdentitySourceError`` is thrown.
    package func verify(_ input: PersonalDataInput, of account: AccountRecord, app: AppID)
        async throws -> VerifiedIdentity
    {
        guard !sources.isEmpty else {
            throw IdentityError(.unsupportedMethod, "this deployment verifies no personal data")
        }
        let person = try PersonalData(input, supported: rules.countries)
        let ageFault = rules.age.fault(person.dateOfBirth, today: CalendarDate(clock.now))
        if let ageFault, ageFault.code != .implausibleAge { throw ageFault }
        let content = Sensitive(Array(JSONText.write(input.json).utf8))
        let attempt = try await begin(.personalData, content, of: account, app: app)
        if let ageFault {
            var judgment = Judgment()
            judgment.checks[.agePlausible] = .failed
            judgment.block = .implausibleAge
            _ = try await conclude(attempt, judgment, of: account)
            throw ageFault
        }
        return try await concluding(attempt, of: account) {
            var judgment = Judgment()
            judgment.checks[.agePlausible] = .passed
            try await judge(
                SourceQuery(attempt: attempt, person: person, input: input), into: &judgment)
            return judgment
        }
    }

    /// Asks every source, because a source that agrees does not make up for one that does not.
    ///
    /// - Parameter name: Where the data comes from, for reviewers.
    func judge(
        _ query: SourceQuery, as name: String = ReviewSource.input, into judgment: inout Judgment
    ) async throws {
        guard !sources.isEmpty else { throw IdentitySourceError.unavailable }
        judgment.comparison.sources.insert(ReviewSource(query.input, name: name), at: 0)
        for source in sources {
            let answer = try await source.compare(query)
            judgment.checks.add(answer.checks)
            judgment.sources.append(source.name)
            judgment.comparison.reasons += answer.reasons(source.name, of: name)
            if source.isSimulated { judgment.isSimulated = true }
            if let block = answer.block, judgment.block != .fraud { judgment.block = block }
        }
    }
}

/// The findings of an attempt.
struct Judgment: Sendable {
    var checks = IdentityChecks()
    /// The names of the sources that answered.
    var sources: [String] = []
    var isSimulated = false
    var block: VerificationBlock?
    /// The pictures could not be read.
    var isUnreadable = false
    /// The model pack that compared faces.
    var pack: String?
    /// The pictures or documents to send instead, and why.
    var recapture: [DocumentRecapture] = []
    /// The sources and reasons that reviewers see.
    var comparison = ReviewComparison()
}

extension PersonalDataInput {
    /// The members by their names in the API.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "firstName": .string(firstName), "lastName": .string(lastName),
            "address": .string(address), "postalCode": .string(postalCode),
            "country": .string(country), "dateOfBirth": .string(dateOfBirth),
        ]
        if let city { members["city"] = .string(city) }
        if let state { members["state"] = .string(state) }
        return .object(members)
    }

    /// - Returns: `nil` unless ``json`` wrote the value.
    init?(_ json: JSONValue) {
        guard let first = json["firstName"]?.stringValue, let last = json["lastName"]?.stringValue,
            let address = json["address"]?.stringValue,
            let code = json["postalCode"]?.stringValue, let country = json["country"]?.stringValue,
            let born = json["dateOfBirth"]?.stringValue
        else { return nil }
        self.init(
            firstName: first, lastName: last, address: address, city: json["city"]?.stringValue,
            state: json["state"]?.stringValue, postalCode: code, country: country,
            dateOfBirth: born)
    }
}

// MARK: Facts about the deployment

extension IdentityService {
    /// Whether any identity can be verified.
    package var isOffered: Bool { !sources.isEmpty || documents != nil }
    package var isSimulated: Bool { sources.contains(where: \.isSimulated) }
    package var checksDocuments: Bool { documents != nil }

    /// Whether the deployment or one of these apps requires a level.
    package func requires(_ method: VerificationMethod, apps: [VerificationMethod?]) -> Bool {
        apps.contains { ($0 ?? rules.required) >= method } || rules.required >= method
    }
}
