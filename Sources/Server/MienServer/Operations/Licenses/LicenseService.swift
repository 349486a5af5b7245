internal import Foundation
internal import MienAPI
internal import MienCore
internal import MienKeys
internal import MienStore

/// Manages product keys and issues licenses to devices.
package struct LicenseService: Sendable {
    static let activations = 1...1_000_000, days = 1...3_650, standardDays = 365

    let store: Store
    let issuer: TokenIssuer
    let clock: ServerClock

    // MARK: Product keys

    func make(_ wanted: ProductKeyRequest, actor: String) async throws -> ProductKeyAnswer {
        var generator = SystemRandomNumberGenerator()
        let id = ProductKeyID.random(using: &generator),
            secret = BearerSecret(for: id, using: &generator)
        let record = ProductKeyRecord(
            id: id, product: wanted.product, name: wanted.name, activations: wanted.activations,
            days: wanted.days ?? Self.standardDays,
            createdAt: clock.now)
        let hash = store.keys.hash(ofSecret: secret.secret)
        try await store.write { tables in
            try tables.productKeys.insert(record, hash: hash)
            try tables.audit.append(
                AuditEvent(
                    "product-key.made", actor: actor,
                    detail: ["product_key": .string(id.text), "product": .string(record.product)]),
                at: record.createdAt)
        }
        return ProductKeyAnswer(record, key: secret.text.use { $0 })
    }

    func list(_ page: AdminPage<ProductKeyKind>) async throws -> Page<ProductKeyAnswer> {
        let records = try await page.read(from: store) {
            try $0.productKeys.page(after: $1, count: $2)
        }
        return page.answer(records, id: \.id) { ProductKeyAnswer($0) }
    }

    /// Revokes a product key. It activates no more devices, but issued licenses remain valid until
    /// they expire.
    func revoke(_ id: ProductKeyID, actor: String) async throws -> Bool {
        let now = clock.now
        return try await store.write { tables in
            guard try tables.productKeys.revoke(id, at: now) else { return false }
            try tables.audit.append(
                AuditEvent(
                    "product-key.revoked", actor: actor, detail: ["product_key": .string(id.text)]),
                at: now)
            return true
        }
    }

    // MARK: Licenses

    /// Issues a license to a device. A device that already has one gets a new one with the full
    /// validity period.
    ///
    /// - Throws: ``Problem``: the same one for unknown and revoked keys; `conflict` if the maximum
    ///   number of devices has been activated.
    func activate(_ productKey: String, device: String) async throws -> LicenseAnswer {
        guard let (id, presented) = BearerSecret.parse(productKey, ProductKeyKind.self) else {
            throw Self.refused
        }
        let now = clock.now, hash = store.keys.hash(ofSecret: presented),
            mark = store.keys.hash(ofSecret: Array(device.utf8))
        let found = try await store.write { tables -> ProductKeyRecord? in
            guard let record = try tables.productKeys.find(id, hash: hash), record.revokedAt == nil
            else { return nil }
            guard try tables.productKeys.activate(id, device: mark, at: now) else {
                throw Problem(
                    .conflict,
                    "This product key has been activated on its maximum number of devices. Request another one."
                )
            }
            try tables.audit.append(
                AuditEvent(
                    "licence.issued", actor: "device",
                    detail: ["product_key": .string(id.text), "product": .string(record.product)]),
                at: now)
            return record
        }
        guard let found else { throw Self.refused }
        let end = now.seconds + Int64(found.days) * 86_400
        let (license, key) = try issuer.signLicense(
            [
                "product": .string(found.product), "device": .string(device),
                "exp": .number(Double(end)),
            ], at: now)
        return LicenseAnswer(
            license: license, product: found.product, publicKey: key.jwk, expiresAt: end * 1000)
    }

    static let refused = Problem(
        .invalidCredentials, "The product key is invalid or was revoked.")
}

extension ProductKeyAnswer {
    fileprivate init(_ record: ProductKeyRecord, key: String? = nil) {
        self.init(
            id: record.id.text, product: record.product, name: record.name,
            activations: record.activations, used: record.used, days: record.days,
            createdAt: record.createdAt.milliseconds, revokedAt: record.revokedAt?.milliseconds,
            productKey: key)
    }
}
