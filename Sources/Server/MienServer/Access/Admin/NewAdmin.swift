package import MienCore
package import MienStore

/// A new administrator that is not stored yet.
package struct NewAdmin: Sendable {
    package let record: AdminRecord
    package let credential: Sensitive<String>
    /// The hash of the credential's secret. Only this is stored.
    package let hash: [UInt8]

    package init(named name: String, as role: AdminRole, _ keys: StoreKeys, at now: Instant) {
        var generator = SystemRandomNumberGenerator()
        let id = AdminID.random(using: &generator),
            secret = BearerSecret(for: id, using: &generator)
        record = AdminRecord(id: id, name: name, role: role, createdAt: now)
        credential = secret.text
        hash = keys.hash(ofSecret: secret.secret)
    }
}
