package import MienCore
package import MienStore

/// Live captures of faces outside of journeys. Another part of the server runs them.
package protocol LiveFaceCaptures: Sendable {
    /// Opens a capture that must show a live person, whatever the app's settings say.
    ///
    /// - Parameters:
    ///   - owner: A text that names the owner, such as a user in an app. Only the same owner can
    ///     use the capture.
    ///   - user: The user, if one is signed in. Deleting their account ends the capture.
    ///   - admission: Checks in the same transaction whether the capture may begin.
    func open(
        for owner: String, user: UserID?, app: AppRecord,
        admission: @escaping @Sendable (Tables) throws -> Void
    ) async throws -> OpenedLiveFace

    /// Uses up a capture that passed.
    ///
    /// - Parameter token: Its start token.
    /// - Returns: The template, as `FaceTemplate` bytes; `nil` unless a capture of this owner in
    ///   this app passed, has not expired, and was not used before.
    func take(_ token: String, for owner: String, app: AppRecord) async throws -> [UInt8]?

    /// Ends an owner's captures, with their pictures.
    func remove(of owner: String, in tables: Tables) throws
}

/// A live capture that was opened.
package struct OpenedLiveFace: Sendable {
    package let id: CaptureID
    /// The token with which a client takes the capture. Shown only once.
    package let startToken: String
    package let expiresAt: Instant
}
