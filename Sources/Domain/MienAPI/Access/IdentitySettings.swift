public import MienIdentity

/// How an app's users verify their identities. Members that are `nil` come from the server's
/// configuration.
public struct IdentitySettings: Sendable, Hashable, Codable {
    public static let retentionRange = 1...3650

    /// The level that users of the app must reach.
    public var required: VerificationMethod?
    /// Whether a face in a document's verification may be a still picture. Otherwise it yields a
    /// review at best.
    public var acceptsStillFaces: Bool
    /// Whether documents are tilted in front of the camera, so that their reflections move.
    public var documentLive: Bool
    /// The days for which personal data and pictures are kept.
    public var retentionDays: Int?
    /// The days for which the records of verification sessions are kept: results, and hashes of
    /// pictures. Never fewer than those of their content.
    public var resultRetentionDays: Int?
    /// The address to which results are posted; its host must be allowed by `webhook.hosts`.
    public var webhook: String?

    public init(
        required: VerificationMethod? = nil, acceptsStillFaces: Bool = false,
        documentLive: Bool = false, retentionDays: Int? = nil, resultRetentionDays: Int? = nil,
        webhook: String? = nil
    ) {
        (self.required, self.acceptsStillFaces) = (required, acceptsStillFaces)
        (self.documentLive, self.retentionDays) = (documentLive, retentionDays)
        (self.resultRetentionDays, self.webhook) = (resultRetentionDays, webhook)
    }

    /// The invalid settings, each with its name and a message; empty if all are valid.
    public var faults: [(setting: String, message: String)] {
        var faults: [(setting: String, message: String)] = []
        if let retentionDays, !Self.retentionRange.contains(retentionDays) {
            faults.append(("retention_days", "must be 1 to 3,650"))
        }
        if let resultRetentionDays, !Self.retentionRange.contains(resultRetentionDays) {
            faults.append(("result_retention_days", "must be 1 to 3,650"))
        }
        if let webhook, !AppSettings.isAddress(webhook) {
            faults.append(
                (
                    "webhook",
                    "must be an absolute https URL without a fragment (http only for localhost and 127.0.0.1)"
                ))
        }
        return faults
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case required, acceptsStillFaces = "accepts_still_faces", documentLive = "document_live"
        case retentionDays = "retention_days", resultRetentionDays = "result_retention_days",
            webhook
    }

    /// The names of the settings.
    public static let keys = CodingKeys.allCases.map(\.rawValue)

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            required: try values.decodeIfPresent(VerificationMethod.self, forKey: .required),
            acceptsStillFaces: try values.decodeIfPresent(Bool.self, forKey: .acceptsStillFaces)
                ?? false,
            documentLive: try values.decodeIfPresent(Bool.self, forKey: .documentLive) ?? false,
            retentionDays: try values.decodeIfPresent(Int.self, forKey: .retentionDays),
            resultRetentionDays: try values.decodeIfPresent(
                Int.self, forKey: .resultRetentionDays),
            webhook: try values.decodeIfPresent(String.self, forKey: .webhook))
    }
}
