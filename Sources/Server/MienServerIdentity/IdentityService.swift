internal import MienAccess
package import MienCore
package import MienIdentity
package import MienServerCore
package import MienStore

/// Verifies identities: counts an attempt, asks the sources, applies the rules, and records the
/// result.
package struct IdentityService: Sendable {
    /// An attempt without a result after this time was interrupted by the end of the server.
    static let interrupted = Duration.seconds(300)

    let store: Store
    let sources: [any IdentityDataSource]
    let rules: IdentityRules
    let clock: ServerClock

    package init(
        store: Store, sources: [any IdentityDataSource], rules: IdentityRules, clock: ServerClock
    ) {
        (self.store, self.sources, self.rules, self.clock) = (store, sources, rules, clock)
    }

    // MARK: State

    /// Returns the state of a user's verification.
    package func check(_ user: UserID) async throws -> VerifiedIdentity {
        identity(try await store.read { try $0.verifications.find(user) })
    }

    package var supportedCountries: [Country] { rules.countries.sorted() }

    private func identity(_ record: VerificationRecord) -> VerifiedIdentity {
        VerifiedIdentity(
            owner: record.account, state: record.state,
            requirement: VerificationRequirement(
                deployment: rules.required, user: record.required), policy: rules.policy)
    }

    // MARK: Personal data

    /// Verifies personal data.
    ///
    /// - Throws: ``IdentityError``. Only `implausibleAge` counts as an attempt. If a source does not
    ///   answer, the attempt is given back, and ``IdentitySourceError`` is thrown.
    package func verify(_ input: PersonalDataInput, of account: AccountRecord, app: AppID)
        async throws -> VerifiedIdentity
    {
        let person = try PersonalData(input, supported: rules.countries)
        let ageFault = rules.age.fault(person.dateOfBirth, today: CalendarDate(clock.now))
        if let ageFault, ageFault.code != .implausibleAge { throw ageFault }
        let attempt = try await begin(.personalData, input, of: account, app: app)
        if let ageFault {
            var checks = IdentityChecks()
            checks[.agePlausible] = .failed
            _ = try await conclude(
                attempt, checks: checks, from: [], block: .implausibleAge, of: account)
            throw ageFault
        }
        do {
            let answers = try await answers(about: person)
            var checks = IdentityChecks([.agePlausible: .passed])
            for answer in answers { checks.add(answer.checks) }
            let blocks = Set(answers.compactMap(\.block))
            return try await conclude(
                attempt, checks: checks, from: sources,
                block: blocks.contains(.fraud) ? .fraud : blocks.first, of: account)
        } catch let error as IdentitySourceError {
            try await giveBack(attempt, of: account.id)
            throw error
        }
    }

    /// Asks every source, because a source that agrees does not make up for one that does not.
    private func answers(about person: PersonalData) async throws -> [SourceAnswer] {
        guard !sources.isEmpty else { throw IdentitySourceError.unavailable }
        var answers: [SourceAnswer] = []
        for source in sources { answers.append(try await source.compare(person)) }
        return answers
    }

    // MARK: Attempts

    private func begin(
        _ kind: VerificationAttempt.Kind, _ input: PersonalDataInput, of account: AccountRecord,
        app: AppID
    ) async throws -> IdentityAttemptID {
        var generator = SystemRandomNumberGenerator()
        let id = IdentityAttemptID.random(using: &generator), now = clock.now, rules = rules
        let content = Sensitive(Array(JSONText.write(input.json).utf8))
        do {
            try await store.write { tables in
                if rules.needsConsent,
                    try tables.consents.current(
                        of: account.id, app: app, purpose: IdentityRules.consentPurpose) == nil
                {
                    throw IdentityError(
                        .consentRequired, "the user has not consented to identity verification")
                }
                var record = try tables.verifications.find(account.id)
                try record.state.begin(kind, id: id, under: rules.policy, at: now)
                try tables.verifications.update(record, at: now)
                try tables.verificationAttempts.insert(
                    AttemptRecord(
                        id: id, account: account.id, app: app, kind: kind, begunAt: now,
                        contentExpiresAt: now + .seconds(rules.retentionDays * 86_400),
                        content: content), of: account)
                try tables.audit.append(
                    AuditEvent(
                        "identity.attempted", actor: "user", account: account.id, app: app,
                        detail: [
                            "attempt": .string(id.text), "kind": .string(kind.rawValue),
                        ]), at: now)
            }
        } catch let error as StoreError where error.code == .stale {
            throw IdentityError(.updateFailed, "another attempt of this user began meanwhile")
        }
        return id
    }

    /// Applies the rules to the checks and records what follows, in one transaction.
    private func conclude(
        _ id: IdentityAttemptID, checks: IdentityChecks, from sources: [any IdentityDataSource],
        block: VerificationBlock?, of account: AccountRecord
    ) async throws -> VerifiedIdentity {
        let recommendation = rules.recommendations.recommendation(for: checks)
        let outcome: AttemptOutcome =
            switch (block, recommendation) {
            case (let block?, _): .failed(block)
            case (nil, .allow): .succeeded
            case (nil, .challenge): .review
            case (nil, .deny): .failed()
            }
        let result = AttemptRecord.Result(
            checks: checks, recommendation: block == nil ? recommendation : .deny,
            rulesVersion: rules.recommendations.version, sources: sources.map(\.name),
            isSimulated: sources.contains(where: \.isSimulated))
        let now = clock.now, needsSecond = rules.needsSecondReviewer
        let record = try await store.write { tables in
            var record = try tables.verifications.find(account.id)
            // An administrator's reset in the meantime wins: the result then changes nothing.
            guard record.state.conclude(id, outcome, at: now),
                let attempt = try tables.verificationAttempts.find(id, of: account),
                try tables.verificationAttempts.judge(id, result)
            else { return record }
            try tables.verifications.update(record, at: now)
            if outcome == .review {
                var generator = SystemRandomNumberGenerator()
                try tables.reviewCases.insert(
                    ReviewCaseRecord(
                        review: ReviewCase(
                            id: .random(using: &generator), attempt: id,
                            needsSecondReviewer: needsSecond), account: account.id,
                        app: attempt.app, openedAt: now))
            } else {
                _ = try tables.verificationAttempts.conclude(id, at: now)
            }
            try tables.audit.append(
                AuditEvent(
                    "identity.judged", actor: "system", account: account.id, app: attempt.app,
                    detail: [
                        "attempt": .string(id.text),
                        "recommendation": .string(result.recommendation.rawValue),
                    ]), at: now)
            return try tables.verifications.find(account.id)
        }
        return identity(record)
    }

    private func giveBack(_ id: IdentityAttemptID, of user: UserID) async throws {
        let now = clock.now
        try await store.write { tables in
            var record = try tables.verifications.find(user)
            if record.state.conclude(id, .notJudged, at: now) {
                try tables.verifications.update(record, at: now)
            }
            _ = try tables.verificationAttempts.conclude(id, at: now)
        }
    }

    /// Gives back attempts that the end of the server interrupted.
    package func sweep(at now: Instant) async throws {
        let interrupted = try await store.read {
            try $0.verificationAttempts.unjudged(
                begunBefore: now - Self.interrupted, atMost: 1000)
        }
        for attempt in interrupted { try await giveBack(attempt.id, of: attempt.account) }
        let batch = 500
        while try await store.write(
            .always, { try $0.verificationAttempts.purge(at: now, atMost: batch) }) == batch
        {}
    }
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
}
