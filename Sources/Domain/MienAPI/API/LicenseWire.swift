public import MienCore

/// `POST /v1/product-keys`
public struct ProductKeyRequest: Codable, Sendable, Hashable {
    public var product, name: String
    /// The number of devices that may be activated with the key.
    public var activations: Int
    /// The validity of a license in days; 365 by default.
    public var days: Int?

    public init(product: String, name: String, activations: Int, days: Int? = nil) {
        (self.product, self.name, self.activations, self.days) = (product, name, activations, days)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case product, name, activations, days
    }
}

/// A product key as administrators see it.
public struct ProductKeyAnswer: Codable, Sendable, Hashable {
    public var id, product, name: String
    public var activations, used, days: Int
    /// Milliseconds since 1970.
    public var createdAt: Int64
    public var revokedAt: Int64?
    /// Present only when the key is created.
    public var productKey: String?

    public init(
        id: String, product: String, name: String, activations: Int, used: Int, days: Int,
        createdAt: Int64, revokedAt: Int64? = nil,
        productKey: String? = nil
    ) {
        (self.id, self.product, self.name, self.activations, self.used, self.days) = (
            id, product, name, activations, used, days
        )
        (self.createdAt, self.revokedAt, self.productKey) = (createdAt, revokedAt, productKey)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, product, name, activations, used, days, createdAt = "created_at", revokedAt =
            "revoked_at", productKey = "product_key"
    }
}

/// `POST /v1/licenses`: the request of a device.
public struct LicenseRequest: Codable, Sendable, Hashable {
    public var productKey, device: String

    public init(productKey: String, device: String) {
        (self.productKey, self.device) = (productKey, device)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case productKey = "product_key", device
    }
}

/// A license, and the key to check it with.
public struct LicenseAnswer: Codable, Sendable, Hashable {
    public var license, product: String
    /// A JWK.
    public var publicKey: JSONValue
    /// Milliseconds since 1970.
    public var expiresAt: Int64

    public init(license: String, product: String, publicKey: JSONValue, expiresAt: Int64) {
        (self.license, self.product, self.publicKey, self.expiresAt) = (
            license, product, publicKey, expiresAt
        )
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case license = "licence", product, publicKey = "public_key", expiresAt = "expires_at"
    }
}
