internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienKeys
internal import MienOTP
internal import MienStore

/// Tokens over HTTP: registration codes for users who have signed in, tokens for the devices that bring one.
struct OTPRoutes {
    let grants: GrantService
    let tokens: OTPService
    let body: JSONBody

    func add(to router: RouterGroup<MienRequestContext>) {
        router.post("otp/tokens") { request, _ in
            let members = try await members(of: request, ["registration_code", "public_key", "name", "os"])
            let code = try text(members, "registration_code", 1...128), name = try text(members, "name", 1...64),
                system = try text(members, "os", 1...32)
            guard let jwk = members["public_key"], let key = try? DevicePublicKey(jwk: jwk), case .p256 = key.material else { throw Problem.notP256 }
            return JSONBody.response(try await tokens.redeem(code, key: key, name: name, system: system), status: .created)
        }
        router.get("me/otp/tokens") { request, _ in
            let caller = try await grants.caller(of: request)
            return try await JSONBody.response(Page(items: tokens.list(of: caller.account, app: caller.app)))
        }
        router.post("me/otp/registrations") { request, _ in
            let caller = try await grants.caller(of: request)
            let wanted = try await body.read(OTPRegistrationRequest.self, OTPRegistrationRequest.CodingKeys.self, from: request)
            return try await Self.offer(wanted, tokens, to: caller.account.id, app: caller.app, actor: "user")
        }
        router.delete("me/otp/tokens/:token") { request, context in
            let caller = try await grants.caller(of: request), id = try context.parameters.require("token")
            guard try await tokens.delete(id, of: caller.account, app: caller.app, sparing: caller.grant.id) else {
                throw Problem(.notFound, "you have no token with this id in this app")
            }
            return Response(status: .noContent)
        }
    }

    /// Also what administrators call.
    static func offer(_ wanted: OTPRegistrationRequest, _ tokens: OTPService, to user: UserID, app: AppID, actor: String) async throws -> Response {
        guard let kind = OTPToken.Kind(rawValue: wanted.kind ?? "totp") else {
            throw Problem(.invalidRequest, errors: [.init(field: "kind", message: "is totp or hotp")])
        }
        let digits = wanted.digits ?? 6
        guard (6...10).contains(digits) else { throw Problem(.invalidRequest, errors: [.init(field: "digits", message: "is 6 to 10")]) }
        let offer = try await tokens.offer(kind: kind, digits: digits, to: user, app: app, actor: actor)
        let answer = OTPRegistrationAnswer(
            registrationCode: offer.code.use { $0 }, kind: kind.rawValue, digits: digits, expiresAt: offer.expiresAt.milliseconds)
        return JSONBody.response(answer, status: .created)
    }

    private func text(_ members: [String: JSONValue], _ name: String, _ lengths: ClosedRange<Int>) throws -> String {
        guard let text = members[name]?.stringValue, lengths.contains(text.unicodeScalars.count), text.isPrintable else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(field: name, message: "is one line of \(lengths.lowerBound) to \(lengths.upperBound) characters, none of them for control")
                ])
        }
        return text
    }

    /// A key is a device's to shape; beside it nothing that is not listed.
    private func members(of request: Request, _ known: [String]) async throws -> [String: JSONValue] {
        guard let members = try await body.parse(request).0.objectValue else { throw Problem(.invalidRequest, "the body is an object") }
        guard let foreign = members.keys.filter({ !known.contains($0) }).min() else { return members }
        throw Problem(
            .invalidRequest,
            errors: [.init(field: String(foreign.printable.prefix(64)), message: "is not known here; allowed are \(known.joined(separator: ", "))")])
    }
}

/// `POST /v1/me/otp/registrations`, `POST /v1/users/{user}/otp/{app}/registrations`
struct OTPRegistrationRequest: Codable, Sendable, Hashable {
    let kind: String?
    let digits: Int?

    enum CodingKeys: String, CodingKey, CaseIterable { case kind, digits }
}

struct OTPRegistrationAnswer: Codable, Sendable, Hashable {
    let registrationCode, kind: String
    let digits: Int
    let expiresAt: Int64

    enum CodingKeys: String, CodingKey { case registrationCode = "registration_code", kind, digits, expiresAt = "expires_at" }
}

/// What a device gets for a registration code.
struct OTPTokenAnswer: Codable, Sendable, Hashable {
    let tokenID, appID, kind, algorithm: String
    let digits: Int
    /// Seconds, of a token that goes by the clock.
    let period: Int?
    /// The first counter, of one that counts.
    let counter: Int?
    let signatureSuite, encapsulatedKey, encryptedSecret: String

    enum CodingKeys: String, CodingKey {
        case tokenID = "token_id", appID = "app_id", kind, algorithm, digits, period, counter, signatureSuite = "signature_suite"
        case encapsulatedKey = "encapsulated_key", encryptedSecret = "encrypted_secret"
    }

    init(_ token: OTPToken, id: AuthenticatorID, app: AppID, key: DevicePublicKey) throws {
        let sealed = try token.sealed(to: key, app: app, token: id)
        (tokenID, appID, kind, algorithm) = (id.text, app.text, token.kind.rawValue, OTPToken.hash.rawValue)
        (digits, period, counter) = (token.hotp.digits, token.kind == .totp ? OTPToken.stepSeconds : nil, token.kind == .hotp ? 0 : nil)
        signatureSuite = OTPToken.suite
        (encapsulatedKey, encryptedSecret) = (Base64URL.encode(sealed.encapsulatedKey), Base64URL.encode(sealed.ciphertext))
    }
}

/// A token, as its owner may see it.
struct OwnOTPToken: Codable, Sendable, Hashable {
    let id, kind, name, system: String
    let digits: Int
    let createdAt: Int64

    enum CodingKeys: String, CodingKey { case id, kind, name, system = "os", digits, createdAt = "created_at" }

    init(_ record: AuthenticatorRecord) {
        func text(_ name: String) -> String { record.info[name]?.stringValue ?? "" }
        (id, kind, name, system) = (record.id.text, text("kind"), text("name"), text("os"))
        digits = record.info["digits"]?.numberValue.flatMap { Int(exactly: $0) } ?? 0
        createdAt = record.createdAt.milliseconds
    }
}
