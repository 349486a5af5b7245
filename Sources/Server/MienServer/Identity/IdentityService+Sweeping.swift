package import MienCore
internal import MienIdentity
internal import MienStore

extension IdentityService {
    /// Gives back attempts that the end of the server interrupted, and erases what has been kept
    /// long enough.
    ///
    /// - Returns: The number of records that could not be read, and were skipped.
    package func sweep(at now: Instant) async throws -> Int {
        let interrupted = try await store.read {
            try $0.verificationAttempts.unjudged(
                begunBefore: now - Self.interrupted, atMost: 1000)
        }
        var damaged = 0
        for attempt in interrupted {
            try await skipping(&damaged) { try await giveBack(attempt.id, of: attempt.account) }
        }
        let batch = VerificationSessions.batch
        while try await store.write(
            .always, { try $0.verificationAttempts.purge(at: now, atMost: batch) }) == batch
        {}
        while try await store.write(
            .always, { try $0.identityUploads.purge(at: now, atMost: batch) }) == batch
        {}
        damaged += try await expireSessions(at: now)
        while try await store.write(
            .always, { try $0.verificationSessions.purge(at: now, atMost: batch) }) == batch
        {}
        while try await store.write(
            .always, { try $0.verificationSessions.sweep(at: now, atMost: batch) }) == batch
        {}
        return damaged
    }

    /// Ends sessions whose time is over.
    ///
    /// - Returns: The number of those that could not be read.
    private func expireSessions(at now: Instant) async throws -> Int {
        var damaged = 0, last: IdentityAttemptID?
        while true {
            let after = last
            let overdue = try await store.read {
                try $0.verificationSessions.overdue(
                    at: now, after: after, atMost: VerificationSessions.batch)
            }
            for id in overdue {
                try await skipping(&damaged) { try await expire(id, at: now) }
            }
            guard overdue.count == VerificationSessions.batch else { return damaged }
            last = overdue.last
        }
    }

    private func expire(_ id: IdentityAttemptID, at now: Instant) async throws {
        try await store.write { tables in
            guard var found = try VerificationSessions.find(id, tables),
                found.record.session.expire(at: now)
            else { return }
            try tables.deleteSelfie(of: found.record)
            try tables.verificationSessions.update(found.record, of: found.account)
            _ = try tables.verificationSessions.erase(id)
            try tables.tell(of: found.record, at: now)
        }
    }

    /// Runs `body`, and counts a record that cannot be read instead of failing.
    private func skipping(_ damaged: inout Int, _ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as StoreError where error.isOfRow { damaged += 1 }
    }
}

extension Tables {
    /// - Returns: `nil` if `body` read a record that cannot be decrypted.
    func readable<Output>(_ body: (Tables) throws -> Output?) throws -> Output? {
        do { return try body(self) } catch let error as StoreError where error.isOfRow {
            return nil
        }
    }
}
