internal import MienAPI
internal import MienCore
internal import MienKeys
internal import MienStore

/// Makes records of sign-in methods, checked but not stored yet.
struct NewMethods: Sendable {
    static let maxName = 100

    let keys: StoreKeys
    let passwords: PasswordService

    func passkey(_ passkey: Passkey, named name: String?, of admin: AdminID, at now: Instant) throws
        -> AdminMethodRecord
    {
        if let name { try Problem.requireLine(name, "name", max: Self.maxName) }
        return record(
            admin, .passkey, passkey.content, hash: keys.hash(ofCredential: passkey.id),
            name: name ?? "Passkey", at: now)
    }

    /// Hashes a new password.
    ///
    /// - Parameter name: The administrator's name, which must not be the password.
    /// - Throws: ``Problem`` `.invalidRequest` that says which rule the password breaks.
    func password(
        _ password: Sensitive<String>, of admin: AdminID, named name: String,
        for share: WorkShare, at now: Instant
    ) async throws -> AdminMethodRecord {
        if let fault = password.use({ passwords.policy.fault(of: $0, names: [name]) }) {
            throw Problem(
                .invalidRequest, errors: [.init(field: "password", message: fault.description)])
        }
        let hash = try await passwords.hash(password, for: share)
        return record(admin, .password, Array(hash.utf8), at: now)
    }

    /// - Throws: ``Problem`` `.invalidRequest` if the code is not one of the secret's.
    func app(
        _ secret: Sensitive<[UInt8]>, confirmedBy code: Sensitive<String>, of admin: AdminID,
        at now: Instant
    ) throws -> AdminMethodRecord {
        guard
            let step = AuthenticatorApp.step(
                of: code.use({ OneTimeCode(typed: $0) }), secret, at: now)
        else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "one_time_code",
                        message:
                            "is not the code that the app shows for this QR code; check the clock of the device"
                    )
                ])
        }
        // Record the code that confirmed the app as used, so that it cannot also sign somebody in.
        return record(admin, .totp, secret.use { $0 }, lastStep: step, at: now)
    }

    func unconfirmedApp(_ secret: Sensitive<[UInt8]>, of admin: AdminID, at now: Instant)
        -> AdminMethodRecord
    { record(admin, .newTOTP, secret.use { $0 }, at: now) }

    private func record(
        _ admin: AdminID, _ kind: AdminMethodRecord.Kind, _ content: [UInt8],
        hash: [UInt8]? = nil, name: String = "", lastStep: UInt64? = nil, at now: Instant
    ) -> AdminMethodRecord {
        var generator = SystemRandomNumberGenerator()
        return AdminMethodRecord(
            id: .random(using: &generator), admin: admin, kind: kind, credentialHash: hash,
            name: name, content: Sensitive(content), lastStep: lastStep, createdAt: now)
    }
}
