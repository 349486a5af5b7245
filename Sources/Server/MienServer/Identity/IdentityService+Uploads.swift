internal import MienAPI
package import MienCore
internal import MienIdentity
package import MienStore

/// A picture of a document's submission, by its name in the API.
package enum UploadedPicture: String, Sendable, CaseIterable {
    case image, backImage, faceImage
}

extension IdentityService {
    /// The time in which a document must be sent with the pictures that were uploaded for it.
    package static let uploadLife = Duration.seconds(3600)

    /// Stores a picture until it is sent with a document.
    ///
    /// - Returns: when it expires.
    /// - Throws: ``IdentityError`` `consentRequired`, `unsupportedMethod`, or
    ///   `informationNotProvided` for a file that cannot be decoded; `Problem` `too_many_requests`;
    ///   ``ServerBusy``.
    package func upload(
        _ bytes: [UInt8], as picture: UploadedPicture, of account: AccountRecord, app: AppID
    ) async throws -> Instant {
        guard let documents else { throw Self.noDocuments }
        let until = clock.now + Self.uploadLife, needsConsent = needsConsent
        if needsConsent {
            try await store.read { try $0.requireConsent(of: account.id, in: app) }
        }
        // No attempt limits what is decoded here.
        let limit = RateLimit(
            "identity-uploads", .init(burst: 30, perMinute: 10), store: store, clock: clock)
        guard try await limit.take(account.id.text) == nil else { throw Problem(.tooManyRequests) }
        try await requirePictures([(picture, bytes)], of: account.id, by: documents)
        try await store.write { tables in
            if needsConsent { try tables.requireConsent(of: account.id, in: app) }
            try tables.identityUploads.put(
                picture.rawValue, Sensitive(bytes), of: account, app: app, until: until)
        }
        return until
    }

    /// Returns the pictures that the user uploaded and has not sent.
    package func uploads(of account: AccountRecord, app: AppID) async throws
        -> [UploadedPicture: [UInt8]]
    {
        let now = clock.now
        let found = try await store.read {
            try $0.identityUploads.all(of: account, app: app, at: now)
        }
        return Dictionary(
            uniqueKeysWithValues: UploadedPicture.allCases.compactMap { picture in
                found[picture.rawValue].map { (picture, $0.use { $0 }) }
            })
    }

    /// Erases them.
    package func discardUploads(of account: UserID, app: AppID) async throws {
        _ = try await store.write { try $0.identityUploads.delete(of: account, app: app) }
    }
}
