internal import MienAPI
package import MienCore
internal import MienStore

/// Validates and executes the links in emails to account owners. Opening a link changes nothing, so
/// mail scanners may open it.
package struct MailedLinkService: Sendable {
    let store: Store
    let clock: ServerClock

    /// The state of a link, as shown to its holder.
    package enum Status: Sendable, Equatable {
        /// The code is wrong or has expired. The two cases are indistinguishable.
        case unknown
        /// The link was used, or its subject was removed or replaced after the email was sent.
        case spent
        case open(Subject)
    }

    package enum Subject: Sendable, Equatable {
        case authenticator(AuthenticatorType, addedAt: Instant)
        case recovery(requestedAt: Instant)
    }

    func status(of code: String) async throws -> Status {
        let hash = MailedLink.hash(code, store.keys), now = clock.now
        return try await store.read { try Self.found(hash, $0, at: now).status }
    }

    /// Performs the link's action, and uses up the link in the same transaction.
    ///
    /// - Returns: The status before the call; ``Status/open(_:)`` if this call performed the
    ///   action.
    func use(_ code: String) async throws -> Status {
        let hash = MailedLink.hash(code, store.keys), now = clock.now
        // Read first: a wrong code never causes a write.
        let status = try await status(of: code)
        guard case .open = status else { return status }
        return try await store.write { tables in
            let found = try Self.found(hash, tables, at: now)
            guard case .open(let subject) = found.status, let link = found.link,
                let account = found.account,
                try tables.mailedLinks.take(hash: hash, at: now)
            else { return found.status }
            switch subject {
            case .authenticator:
                guard let id = AuthenticatorID(link.subject),
                    try tables.removeAuthenticator(
                        id, of: account, actor: "user", detail: ["via": "mailed_link"], at: now)
                else { return .spent }
            case .recovery:
                guard let record = try Self.recovery(link, tables),
                    try tables.cancelRecovery(record, .canceledByLink, at: now)
                else { return .spent }
            }
            return found.status
        }
    }

    private static func found(
        _ hash: [UInt8], _ tables: Tables, at now: Instant
    ) throws -> (status: Status, link: MailedLinkRecord?, account: AccountRecord?) {
        // The owner of a suspended account may remove authenticators, too.
        guard let link = try tables.mailedLinks.find(hash: hash, at: now),
            let account = try tables.accounts.find(link.account)
        else {
            return (.unknown, nil, nil)
        }
        guard link.endedAt == nil, let subject = try subject(of: link, account, tables) else {
            return (.spent, link, account)
        }
        return (.open(subject), link, account)
    }

    private static func recovery(_ link: MailedLinkRecord, _ tables: Tables) throws
        -> RecoveryRecord?
    {
        try tables.recoveries.all(of: link.account).first {
            $0.id.text == link.subject && $0.request.end == nil
        }
    }

    private static func subject(
        of link: MailedLinkRecord, _ account: AccountRecord, _ tables: Tables
    ) throws -> Subject? {
        switch link.purpose {
        case .removeAuthenticator:
            guard let id = AuthenticatorID(link.subject),
                let record = try tables.authenticators.find(id, of: account)
            else { return nil }
            return .authenticator(record.type, addedAt: link.createdAt)
        case .cancelRecovery:
            return try recovery(link, tables).map { .recovery(requestedAt: $0.request.requestedAt) }
        }
    }
}
