public import MienAPI
public import MienCore

/// The user's control over their own account: consents, faces, sign-ins, devices, and data.
extension MienSession {
    // MARK: Consents and faces

    /// Returns every consent that the user has given, withdrawn or not.
    public func consents() async throws -> [ConsentAnswer] { try await items(["consents"]) }

    /// Withdraws the consent to an app's use of the user's face, and erases the face.
    ///
    /// - Throws: ``MienError`` with the problem `not_found` if there is neither; as
    ///   ``performing(_:)``.
    public func withdrawConsent(to app: String) async throws {
        try await send(.delete, Self.path(["consents", app]))
    }

    /// Returns the user's registered faces, one for each app that has one.
    public func faces() async throws -> [OwnFace] { try await items(["faces"]) }

    /// Removes a face. The consent stays on record until it is withdrawn.
    ///
    /// - Throws: as ``withdrawConsent(to:)``.
    public func removeFace(_ id: String) async throws {
        try await send(.delete, Self.path(["faces", id]))
    }

    // MARK: Sign-ins and devices

    /// Returns the user's sign-ins in all apps, newest first.
    public func signIns() async throws -> [OwnSignIn] { try await items(["sign-ins"]) }

    /// Ends a sign-in.
    ///
    /// - Throws: ``MienError`` with the problem `not_found`; `conflict` while a recovery is pending
    ///   that the sign-in can cancel and this one cannot.
    public func endSignIn(_ id: String) async throws {
        try await send(.delete, Self.path(["sign-ins", id]))
    }

    /// Ends every sign-in except this one.
    ///
    /// - Throws: as ``endSignIn(_:)``.
    public func endOtherSignIns() async throws { try await send(.delete, Self.path(["sign-ins"])) }

    /// Returns the devices on which the user has signed in, the last used first.
    public func devices() async throws -> [OwnDevice] { try await items(["devices"]) }

    /// The ID of this device among ``devices()``; `nil` until the user has signed in on it.
    public func deviceID() async -> String? {
        // A device token is the device's ID, a point, and a secret.
        let token = try? await options.deviceTokens.token(for: key)
        return token?.use { $0.split(separator: ".").first.map(String.init) }
    }

    /// Names a device.
    ///
    /// - Parameter name: At most 64 characters on one line.
    public func renameDevice(_ id: String, to name: String) async throws {
        try await send(.patch, Self.path(["devices", id]), body: ["name": .string(name)])
    }

    /// Forgets a device. It shares the failure counter of unknown devices until the user signs in
    /// on it again.
    ///
    /// - Throws: as ``endSignIn(_:)`` and ``performing(_:)``.
    public func removeDevice(_ id: String) async throws {
        try await send(.delete, Self.path(["devices", id]))
    }

    // MARK: One-time codes

    /// Returns the user's OTP tokens in this app, up to five.
    public func otpTokens() async throws -> [OwnOTPToken] { try await items(["otp", "tokens"]) }

    /// Removes an OTP token, and ends the sign-ins that it produced.
    ///
    /// - Throws: ``MienError`` with the problem `not_found`; `conflict` for a token that an
    ///   administrator has locked; as ``performing(_:)``.
    public func removeOTPToken(_ id: String) async throws {
        try await send(.delete, Self.path(["otp", "tokens", id]))
    }

    // MARK: Data

    /// Returns everything that the server stores about the user, as JSON with one member for each
    /// kind of data.
    ///
    /// - Throws: as ``performing(_:)``.
    public func downloadData() async throws -> JSONValue {
        guard case .object(var data) = try await send(.get, Self.path(["data"])) else {
            throw MienError(.serverError, "The response is not an object.")
        }
        // Long logs come in parts.
        var next = data.removeValue(forKey: "activity_next")?.stringValue
        var activity = data["activity"]?.arrayValue ?? []
        while let after = next {
            let access = try await access()
            let page: JSONValue = try await connection.json(
                .init(
                    method: .get, path: Self.path(["activity"]), query: [("after", after)],
                    access: access))
            activity += page["items"]?.arrayValue ?? []
            next = page["next"]?.stringValue
        }
        data["activity"] = .array(activity)
        return .object(data)
    }

    /// Deletes the account and everything that belongs to it. Nothing can undo it.
    ///
    /// The session ends.
    ///
    /// - Throws: as ``performing(_:)``.
    public func deleteAccount() async throws {
        try await send(.delete, Self.path([]))
        try await end()
    }

    // MARK: Requests

    private static func path(_ segments: [String]) -> [String] { ["v1", "me"] + segments }

    private func items<Item: Codable & Hashable & Sendable>(_ segments: [String]) async throws
        -> [Item]
    {
        let access = try await access()
        let page: Page<Item> = try await connection.json(
            .init(
                method: .get, path: Self.path(segments), access: access))
        return page.items
    }
}
