public import MienCore

/// `POST /v1/administrator/session`
public struct AdministratorSignInRequest: Codable, Sendable, Hashable {
    /// The name of the administrator; case and spaces around it do not matter.
    public var name: String
    public var password: String
    /// The code that the authenticator app shows.
    public var code: String

    public init(name: String, password: String, code: String) {
        (self.name, self.password, self.code) = (name, password, code)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case name, password, code }
}

/// `POST /v1/administrator/session/passkey`
public struct AdministratorPasskeySignInRequest: Codable, Sendable, Hashable {
    /// The result of `navigator.credentials.get`, by its `toJSON()`.
    public var credential: JSONValue

    public init(credential: JSONValue) { self.credential = credential }

    public enum CodingKeys: String, CodingKey, CaseIterable { case credential }
}

/// `POST /v1/administrator/setup/options` and `POST /v1/administrator/invitation/options`
public struct AdministratorSetupOptionsRequest: Codable, Sendable, Hashable {
    /// The code of the link, after `#`.
    public var code: String

    public init(code: String) { self.code = code }

    public enum CodingKeys: String, CodingKey, CaseIterable { case code }
}

/// `POST /v1/administrator/setup` and `POST /v1/administrator/invitation`: a passkey, or a password
/// with the first code of an authenticator app.
public struct AdministratorSetupRequest: Codable, Sendable, Hashable {
    /// The code of the link, after `#`.
    public var code: String
    /// The name to sign in with. Absent: the one in the options.
    public var name: String?
    /// The result of `navigator.credentials.create`, by its `toJSON()`.
    public var credential: JSONValue?
    /// The name of the passkey in lists.
    public var passkeyName: String?
    public var password: String?
    /// The code that the authenticator app shows.
    public var oneTimeCode: String?

    public init(
        code: String, name: String? = nil, credential: JSONValue? = nil,
        passkeyName: String? = nil, password: String? = nil, oneTimeCode: String? = nil
    ) {
        (self.code, self.name, self.credential) = (code, name, credential)
        (self.passkeyName, self.password, self.oneTimeCode) = (passkeyName, password, oneTimeCode)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case code, name, credential, passkeyName = "passkey_name", password
        case oneTimeCode = "one_time_code"
    }
}

/// The data with which a person who has a code chooses sign-in methods.
public struct AdministratorSetupOptions: Codable, Sendable, Hashable {
    public var name: String
    public var role: WireValue<AdminRole>
    public var expiresAt: Int64
    /// For `navigator.credentials.create`: has `publicKey`. Absent if the portal's address is one
    /// for which browsers have no passkeys.
    public var passkey: JSONValue?
    public var authenticatorApp: AuthenticatorAppAnswer

    public init(
        name: String, role: WireValue<AdminRole>, expiresAt: Int64, passkey: JSONValue?,
        authenticatorApp: AuthenticatorAppAnswer
    ) {
        (self.name, self.role, self.expiresAt, self.passkey) = (name, role, expiresAt, passkey)
        self.authenticatorApp = authenticatorApp
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case name, role, expiresAt = "expires_at", passkey, authenticatorApp = "authenticator_app"
    }
}

/// The secret of an authenticator app, shown once. A code of it confirms it.
public struct AuthenticatorAppAnswer: Codable, Sendable, Hashable {
    /// In base32, to type.
    public var secret: String
    /// `otpauth://totp/…`
    public var uri: String
    /// ``uri`` as a QR code.
    public var qrCode: QRCodeAnswer

    public init(secret: String, uri: String, qrCode: QRCodeAnswer) {
        (self.secret, self.uri, self.qrCode) = (secret, uri, qrCode)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case secret, uri, qrCode = "qr_code"
    }
}

/// A QR code as a path of SVG.
public struct QRCodeAnswer: Codable, Sendable, Hashable {
    /// Modules on each side, without the quiet zone of four.
    public var size: Int
    /// The `d` of a `path`, one unit for each module.
    public var path: String

    public init(size: Int, path: String) { (self.size, self.path) = (size, path) }

    public enum CodingKeys: String, CodingKey, CaseIterable { case size, path }
}

/// `GET /v1/administrator/methods`
public struct AdministratorMethodsAnswer: Codable, Sendable, Hashable {
    public var passkeys: [AdministratorPasskeyAnswer]
    /// Whether there is a password, which is valid together with a code.
    public var hasPassword: Bool
    /// When the authenticator app was set up.
    public var authenticatorAppAt: Int64?
    /// Browsers that are signed in.
    public var sessions: Int
    /// The session that asks; absent for a credential.
    public var session: AdministratorSessionAnswer?

    public init(
        passkeys: [AdministratorPasskeyAnswer], hasPassword: Bool, authenticatorAppAt: Int64?,
        sessions: Int, session: AdministratorSessionAnswer?
    ) {
        (self.passkeys, self.hasPassword) = (passkeys, hasPassword)
        (self.authenticatorAppAt, self.sessions) = (authenticatorAppAt, sessions)
        self.session = session
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case passkeys, hasPassword = "has_password"
        case authenticatorAppAt = "authenticator_app_at", sessions, session
    }
}

/// A session of an administrator in a browser.
public struct AdministratorSessionAnswer: Codable, Sendable, Hashable {
    /// `passkey` or `password`.
    public var method: String
    public var signedInAt: Int64
    /// Until when it may change sign-in methods.
    public var freshUntil: Int64

    public init(method: String, signedInAt: Int64, freshUntil: Int64) {
        (self.method, self.signedInAt, self.freshUntil) = (method, signedInAt, freshUntil)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case method, signedInAt = "signed_in_at", freshUntil = "fresh_until"
    }
}

/// A passkey of an administrator.
public struct AdministratorPasskeyAnswer: Codable, Sendable, Hashable {
    public var id: String
    public var name: String
    public var createdAt: Int64
    public var usedAt: Int64?

    public init(id: String, name: String, createdAt: Int64, usedAt: Int64?) {
        (self.id, self.name, self.createdAt, self.usedAt) = (id, name, createdAt, usedAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, createdAt = "created_at", usedAt = "used_at"
    }
}

/// `POST /v1/administrator/passkeys`
public struct AdministratorPasskeyRequest: Codable, Sendable, Hashable {
    /// The result of `navigator.credentials.create`, by its `toJSON()`.
    public var credential: JSONValue
    public var name: String?

    public init(credential: JSONValue, name: String? = nil) {
        (self.credential, self.name) = (credential, name)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case credential, name }
}

/// `PUT /v1/administrator/password`
public struct AdministratorPasswordRequest: Codable, Sendable, Hashable {
    public var password: String

    public init(password: String) { self.password = password }

    public enum CodingKeys: String, CodingKey, CaseIterable { case password }
}

/// `PUT /v1/administrator/authenticator-app`
public struct AuthenticatorAppRequest: Codable, Sendable, Hashable {
    /// A code of the app that the options set up.
    public var oneTimeCode: String
    /// The password to sign in with besides; only if the administrator has none yet.
    public var password: String?

    public init(oneTimeCode: String, password: String? = nil) {
        (self.oneTimeCode, self.password) = (oneTimeCode, password)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case oneTimeCode = "one_time_code", password
    }
}

/// An invitation of an administrator that has not been accepted.
public struct AdministratorInvitationAnswer: Codable, Sendable, Hashable {
    public var id: String
    public var name: String
    public var role: WireValue<AdminRole>
    /// The administrator who made it.
    public var invitedBy: String?
    public var createdAt: Int64
    public var expiresAt: Int64
    /// The link to send to the person. Present only when the invitation is made.
    public var link: String?

    public init(
        id: String, name: String, role: WireValue<AdminRole>, invitedBy: String?,
        createdAt: Int64, expiresAt: Int64, link: String? = nil
    ) {
        (self.id, self.name, self.role, self.invitedBy) = (id, name, role, invitedBy)
        (self.createdAt, self.expiresAt, self.link) = (createdAt, expiresAt, link)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, role, invitedBy = "invited_by", createdAt = "created_at"
        case expiresAt = "expires_at", link
    }
}

/// `POST /v1/administrators/{administrator}/setup-code`
public struct AdministratorSetupCodeAnswer: Codable, Sendable, Hashable {
    /// The link with the code, shown once.
    public var link: String
    public var expiresAt: Int64

    public init(link: String, expiresAt: Int64) { (self.link, self.expiresAt) = (link, expiresAt) }

    public enum CodingKeys: String, CodingKey, CaseIterable { case link, expiresAt = "expires_at" }
}

/// A setup code that nobody has used, without the code.
public struct OpenSetupCodeAnswer: Codable, Sendable, Hashable {
    /// The administrator whose sign-in methods it replaces.
    public var administrator: String
    public var name: String
    /// The owner who made it; `nil` for the server, at its start.
    public var madeBy: String?
    public var createdAt: Int64
    public var expiresAt: Int64
    /// Whether using it also ends the administrator's credential.
    public var endsCredential: Bool

    public init(
        administrator: String, name: String, madeBy: String?, createdAt: Int64, expiresAt: Int64,
        endsCredential: Bool
    ) {
        (self.administrator, self.name, self.madeBy) = (administrator, name, madeBy)
        (self.createdAt, self.expiresAt) = (createdAt, expiresAt)
        self.endsCredential = endsCredential
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case administrator, name, madeBy = "made_by", createdAt = "created_at"
        case expiresAt = "expires_at", endsCredential = "ends_credential"
    }
}

// Hide the values, because they are secret.

extension AdministratorSignInRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "a sign-in of an administrator" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AdministratorSetupRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "the setup of an administrator" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AdministratorSetupOptionsRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "the code of a setup" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AdministratorPasswordRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "a new password" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AuthenticatorAppRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "a code of an authenticator app" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
