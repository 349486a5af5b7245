internal import MienAPI
internal import MienCore
internal import MienHardware
internal import MienStore

/// Imports people from another product.
///
/// A person whose external ID, user name, or verified address has an account is not made again, so a
/// repeated import changes nothing. An import never changes how an existing account signs in.
struct UserImport: Sendable {
    struct Options: Sendable {
        /// Whether accounts that differ from the file are changed.
        var updates = false
        var isDryRun = false
        /// The app that one-time codes are for.
        var app: AppID?
    }

    let store: Store
    let authenticators: ImportedAuthenticators
    let clock: ServerClock

    /// Imports the people of a request, all or none.
    ///
    /// - Throws: ``Problem`` that names each line that is wrong, and repeats nothing of it.
    func `import`(
        _ bytes: [UInt8], _ format: PeopleRecords.Format, _ options: Options, by actor: String
    ) async throws -> UserImportAnswer {
        if let app = options.app, try await store.read({ try $0.apps.find(app) }) == nil {
            throw Problem.field("otp_app", "names no app of this server")
        }
        var faults = ImportFaults()
        let records = try read(bytes, format, options, &faults)
        try faults.refuse()
        let now = clock.now, found = faults
        guard !options.isDryRun else {
            return try await store.read { tables in
                var faults = found, answer = UserImportAnswer()
                for record in records {
                    _ = try decide(record, options, tables, &faults, &answer, at: now)
                }
                try faults.refuse()
                return answer
            }
        }
        return try await store.write { tables in
            var faults = found, answer = UserImportAnswer(), decisions: [Decision] = []
            for record in records {
                decisions.append(try decide(record, options, tables, &faults, &answer, at: now))
            }
            try faults.refuse()
            var bringsHashes = false
            for (record, decision) in zip(records, decisions) {
                if case .create = decision, record.password != nil { bringsHashes = true }
                do {
                    try perform(decision, of: record, options, by: actor, tables, at: now)
                } catch let error as StoreError where error.code == .conflict {
                    faults.add(record.line, Self.confusable)
                    // Nothing of this request is kept: the transaction may be of no more use.
                    try faults.refuse()
                }
            }
            // Last, because other imports wait for it.
            if bringsHashes { try tables.authenticators.noteImportedHashes() }
            return answer
        }
    }

    private static let confusable = ImportFault(
        nil, "has a name that another account has as another kind of name")

    private func read(
        _ bytes: [UInt8], _ format: PeopleRecords.Format, _ options: Options,
        _ faults: inout ImportFaults
    ) throws(Problem) -> [ImportRecord] {
        // One more than are allowed, and the header row.
        var parts = PeopleRecords(
            format, atMost: PeopleRecords.maxRecords + (format == .csv ? 2 : 1))
        var raw = parts.read(bytes)
        raw += parts.finish()
        var columns: ImportColumns?
        if format == .csv, !raw.isEmpty {
            let header = raw.removeFirst()
            do throws(ImportFault) {
                guard let bytes = header.bytes else { throw ImportFault.tooLong }
                columns = try ImportColumns(CSVRow(bytes))
            } catch {
                faults.add(header.line, error)
                return []
            }
        }
        guard raw.count <= PeopleRecords.maxRecords else {
            throw Problem(
                .payloadTooLarge,
                "A request may have at most \(PeopleRecords.maxRecords) people; send the others in another one."
            )
        }
        var records: [ImportRecord] = [], lines: [String: Int] = [:]
        for part in raw {
            do throws(ImportFault) {
                guard let bytes = part.bytes else { throw ImportFault.tooLong }
                let person =
                    if let columns {
                        try ImportedPerson(CSVRow(bytes), header: columns)
                    } else { try ImportedPerson(json: bytes) }
                let record = try ImportRecord(
                    line: part.line, person,
                    readsApps: options.app == nil ? nil : authenticators)
                for name in person.names {
                    let other = lines.updateValue(part.line, forKey: name.identifier)
                    if let other, other != part.line {
                        throw ImportFault(name.kind.rawValue, "is also on line \(other)")
                    }
                }
                records.append(record)
            } catch { faults.add(part.line, error) }
        }
        return records
    }

    private enum Decision {
        case create
        case change(from: AccountRecord, to: AccountRecord, [String])
        case keep
    }

    private func decide(
        _ record: ImportRecord, _ options: Options, _ tables: Tables, _ faults: inout ImportFaults,
        _ answer: inout UserImportAnswer, at now: Instant
    ) throws -> Decision {
        let found: AccountRecord?
        do { found = try holder(of: record, options, tables, at: now) } catch let fault
            as ImportFault
        {
            faults.add(record.line, fault)
            return .keep
        }
        guard let found else {
            answer.created += 1
            return .create
        }
        var changed = found
        var fields = record.change(&changed)
        if let groups = record.person.groups, try tables.groups.names(of: found.id) != groups {
            fields.append(ImportedPerson.Field.groups.rawValue)
        }
        guard !fields.isEmpty else {
            answer.unchanged += 1
            return .keep
        }
        for field in fields { answer.fields[field, default: 0] += 1 }
        guard options.updates else {
            answer.different += 1
            return .keep
        }
        answer.changed += 1
        return .change(from: found, to: changed, fields)
    }

    /// Returns the account that one of the person's names has.
    private func holder(
        of record: ImportRecord, _ options: Options, _ tables: Tables, at now: Instant
    ) throws -> AccountRecord? {
        var holder: UserID?
        for name in record.person.names {
            guard let id = try tables.accounts.holder(of: name, at: now) else { continue }
            guard holder == nil || holder == id else {
                throw ImportFault(
                    name.kind.rawValue,
                    "is the name of another account than the other names of this person")
            }
            holder = id
        }
        guard let holder, let found = try tables.accounts.find(holder) else { return nil }
        guard found.state != .pending else {
            throw ImportFault(
                nil,
                "has a name that a sign-up is about to take; import it again when that has ended")
        }
        let names = (try? found.profile.use { try $0.names() }) ?? []
        guard record.person.names.contains(where: names.contains) else { throw Self.confusable }
        // Anybody may have signed up with a user name. Where the line has a better proof of who it is,
        // the account must have that one.
        let proofs = record.person.names.filter { $0.kind != .username }
        guard !options.updates || proofs.isEmpty || proofs.contains(where: names.contains) else {
            throw ImportFault(
                LoginName.Kind.username.rawValue,
                "is the user name of an account that has neither the external ID nor the verified address of this line. Somebody may have signed up with it: look at the account, and give it the external ID if it is this person's"
            )
        }
        guard !found.isTest else {
            throw ImportFault(nil, "has a name of a test account; delete that account first")
        }
        return found
    }

    private func perform(
        _ decision: Decision, of record: ImportRecord, _ options: Options, by actor: String,
        _ tables: Tables, at now: Instant
    ) throws {
        switch decision {
        case .keep: break
        case .create: try create(record, options, by: actor, tables, at: now)
        case .change(let old, let new, let fields):
            try tables.accounts.update(new, names: new.profile.use { try $0.names() }, at: now)
            if let former = old.mailbox, former != new.mailbox {
                try tables.endMailProofs(of: new, actor: actor, at: now)
            }
            if record.person.isSuspended != nil {
                try tables.scimUsers.forgetSuspensions(of: new.id)
            }
            if new.state == .suspended && old.state != .suspended {
                try tables.accounts.endSignIns(of: new.id, at: now)
            }
            if let groups = record.person.groups {
                try tables.groups.replace(with: groups, of: new.id, at: now)
            }
            try tables.audit.append(
                AuditEvent(
                    "user.changed", actor: actor, account: new.id,
                    detail: [
                        "password": false, "state": .string(new.state.rawValue),
                        "changed": .array(fields.map { .string($0) }), "imported": true,
                    ]), at: now)
        }
    }

    private func create(
        _ record: ImportRecord, _ options: Options, by actor: String, _ tables: Tables,
        at now: Instant
    ) throws {
        var generator = SystemRandomNumberGenerator()
        let account = AccountRecord.new(
            .random(using: &generator), record.newProfile, keys: store.keys, at: now,
            isSuspended: record.person.isSuspended == true)
        let id = account.record.id
        try tables.accounts.insert(account, names: record.person.names)
        if let groups = record.person.groups {
            try tables.groups.replace(with: groups, of: id, at: now)
        }
        if let hash = record.password {
            try tables.authenticators.insert(
                AuthenticatorRecord(
                    id: .random(using: &generator), account: id, type: .password, app: nil,
                    content: PasswordService.content(of: hash),
                    info: ["imported": .string(hash.setting)], createdAt: now),
                of: account.record)
        }
        for app in record.apps {
            let authenticator = AuthenticatorRecord(
                id: .random(using: &generator), account: id, type: .otp, app: options.app,
                content: app.content.use { $0 }, info: app.info, createdAt: now)
            try tables.authenticators.insert(authenticator, of: account.record)
            try tables.otpTokens.insert(
                authenticator.id, registration: authenticators.registration(),
                position: app.position)
        }
        try tables.audit.append(
            AuditEvent(
                "user.created", actor: actor, account: id,
                detail: [
                    "imported": true, "password": .bool(record.password != nil),
                    "otp": .number(Double(record.apps.count)),
                ]), at: now)
    }
}

/// The lines of a request that are wrong.
private struct ImportFaults: Sendable {
    private var errors: [(line: Int, error: Problem.FieldError)] = []

    mutating func add(_ line: Int, _ fault: ImportFault) {
        errors.append(
            (
                line,
                .init(
                    field: "lines[\(line)]\(fault.field.map { ".\($0)" } ?? "")",
                    message: fault.message)
            ))
    }

    /// - Throws: ``Problem`` if there is a wrong line.
    func refuse() throws(Problem) {
        guard !errors.isEmpty else { return }
        throw Problem(
            .invalidRequest,
            "\(errors.count == 1 ? "A line is wrong" : "\(errors.count) lines are wrong"), and nobody was imported: see errors.",
            errors: errors.sorted { $0.line < $1.line }.map(\.error))
    }
}
