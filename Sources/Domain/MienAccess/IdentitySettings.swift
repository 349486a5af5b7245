public import MienIdentity

/// How an app's users verify their identities. What is `nil` comes from the server's configuration.
public struct IdentitySettings: Sendable, Hashable, Codable {
    public static let retentionRange = 1...3650

    /// The level that users of the app must reach.
    public var required: VerificationMethod?
    /// Whether a face in a document's verification may be a still picture. Otherwise it yields a
    /// review at best.
    public var acceptsStillFaces: Bool
    /// The days for which personal data and pictures are kept.
    public var retentionDays: Int?

    public init(
        required: VerificationMethod? = nil, acceptsStillFaces: Bool = false,
        retentionDays: Int? = nil
    ) {
        (self.required, self.acceptsStillFaces, self.retentionDays) = (
            required, acceptsStillFaces, retentionDays
        )
    }

    /// The invalid settings, each with its name and a message; empty if all are valid.
    public var faults: [(setting: String, message: String)] {
        guard let retentionDays, !Self.retentionRange.contains(retentionDays) else { return [] }
        return [("retention_days", "must be 1 to 3,650")]
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case required, acceptsStillFaces = "accepts_still_faces", retentionDays = "retention_days"
    }

    /// The names of the settings.
    public static let keys = CodingKeys.allCases.map(\.rawValue)

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            required: try values.decodeIfPresent(VerificationMethod.self, forKey: .required),
            acceptsStillFaces: try values.decodeIfPresent(Bool.self, forKey: .acceptsStillFaces)
                ?? false,
            retentionDays: try values.decodeIfPresent(Int.self, forKey: .retentionDays))
    }
}
