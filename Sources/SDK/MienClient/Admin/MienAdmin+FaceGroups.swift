public import MienAPI
public import MienCore

// MARK: Groups of apps that share faces

extension MienAdmin {
    /// Returns the groups of apps that share faces, the oldest first, at most 100.
    ///
    /// - Parameter after: ``Page/next`` of the page before.
    public func faceGroups(after: String? = nil) async throws -> Page<FaceGroupAnswer> {
        try await page("face-groups", after: after)
    }

    /// Returns a group of apps that share faces.
    ///
    /// - Throws: ``MienError`` with the problem `not_found`.
    public func faceGroup(_ id: FaceGroupID) async throws -> FaceGroupAnswer {
        try await get("face-groups", id.text)
    }

    /// Creates a group of apps that share faces. Each person agrees to it in an app's text of
    /// consent, which names the apps.
    ///
    /// - Throws: ``MienError`` with the problem `invalid_request`, such as for an app that is in
    ///   another group.
    public func createFaceGroup(_ group: FaceGroupRequest) async throws -> FaceGroupAnswer {
        try await send(.post, "face-groups", body: group)
    }

    /// Replaces the name and the apps of a group. An app that leaves loses the shared faces, and
    /// those that only it used are erased. An app that comes gets the faces of people who agree to
    /// the new text.
    public func updateFaceGroup(_ id: FaceGroupID, _ group: FaceGroupRequest) async throws
        -> FaceGroupAnswer
    { try await send(.put, "face-groups", id.text, body: group) }

    /// Ends a group, and erases the faces that its apps shared.
    public func deleteFaceGroup(_ id: FaceGroupID) async throws {
        try await act(.delete, "face-groups", id.text)
    }
}
