package import Hummingbird
package import MienAPI
package import MienCore
package import MienKeys
package import MienStore

/// The OTP token routes: registration codes for signed-in users, and OTP tokens for the devices
/// that present a code.
package struct OTPRoutes {
    let grants: GrantService
    let tokens: OTPService
    let changes: AuthenticatorChanges
    let body: JSONBody

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.post("otp/tokens") { request, _ in
            let wanted = try await body.read(
                RedeemOTPRequest.self, RedeemOTPRequest.CodingKeys.self, from: request)
            for (field, text, maxCharacters) in [
                ("registration_code", wanted.registrationCode, 128), ("name", wanted.name, 64),
                ("os", wanted.os, 32),
            ] {
                try Problem.requireLine(text, field, max: maxCharacters)
            }
            guard let key = try? DevicePublicKey(jwk: wanted.publicKey), case .p256 = key.material
            else { throw Problem.notP256 }
            return JSONBody.response(
                try await tokens.redeem(
                    wanted.registrationCode, key: key, name: wanted.name, system: wanted.os),
                status: .created)
        }
        router.get("me/otp/tokens") { request, _ in
            let caller = try await grants.caller(of: request)
            return try await JSONBody.response(
                Page(items: tokens.list(of: caller.account, app: caller.app)))
        }
        router.post("me/otp/registrations") { request, _ in
            let caller = try await grants.caller(of: request)
            let standing = try await changes.require(.add, by: caller)
            let wanted = try await body.read(
                OTPRegistrationRequest.self, OTPRegistrationRequest.CodingKeys.self, from: request)
            return try await Self.offer(
                wanted, tokens, to: caller.account.id, app: caller.app, actor: "user",
                standing)
        }
        router.post("me/otp/authenticator-app") { request, _ in
            let caller = try await grants.caller(of: request)
            let standing = try await changes.require(.add, by: caller)
            return try await JSONBody.response(
                tokens.beginApp(for: caller, standing: standing), status: .created)
        }
        router.put("me/otp/authenticator-app") { request, _ in
            let caller = try await grants.caller(of: request)
            let standing = try await changes.require(.add, by: caller)
            let wanted = try await body.read(
                ConfirmAuthenticatorAppRequest.self,
                ConfirmAuthenticatorAppRequest.CodingKeys.self, from: request)
            let name = wanted.name ?? ""
            if !name.isEmpty { try Problem.requireLine(name, "name", max: 64) }
            return try await JSONBody.response(
                tokens.confirmApp(
                    Sensitive(wanted.passcode), name: name, for: caller, standing: standing))
        }
        router.delete("me/otp/tokens/:token") { request, context in
            let caller = try await grants.caller(of: request),
                id = try context.parameters.require("token")
            try await changes.require(.remove, by: caller)
            guard
                try await tokens.delete(
                    id, of: caller.account, app: caller.app)
            else {
                throw Problem(.notFound, "You have no OTP token with this ID in this app.")
            }
            return Response(status: .noContent)
        }
    }

    /// Creates a registration code. Administrators use this, too.
    static func offer(
        _ wanted: OTPRegistrationRequest, _ tokens: OTPService, to user: UserID, app: AppID,
        actor: String, _ standing: SignInStanding?
    ) async throws -> Response {
        let kind = wanted.kind ?? .totp
        let digits = wanted.digits ?? kind.standardDigits, allowed = kind.digitCounts
        guard allowed.contains(digits) else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "digits",
                        message:
                            "must be \(allowed.lowerBound) to \(allowed.upperBound) for the kind \(kind.rawValue)"
                    )
                ])
        }
        let offer = try await tokens.offer(
            kind: kind, digits: digits, to: user, app: app, actor: actor, standing)
        let answer = OTPRegistrationAnswer(
            registrationCode: offer.code.use { $0 }, kind: .known(kind), digits: digits,
            expiresAt: offer.expiresAt.milliseconds)
        return JSONBody.response(answer, status: .created)
    }
}

extension OTPTokenAnswer {
    /// Creates the answer with the secret encrypted to `key`.
    package init(_ token: OTPToken, id: AuthenticatorID, app: AppID, key: DevicePublicKey) throws {
        let sealed = try token.sealed(to: key, app: app, token: id)
        let period: Int?, counter: Int?, card: OTPCardAnswer?
        switch token.method {
        case .totp(let totp): (period, counter, card) = (totp.stepSeconds, nil, nil)
        case .hotp: (period, counter, card) = (nil, 0, nil)
        case .cap(let cap):
            (period, counter, card) = (nil, Int(CAP.counters.lowerBound), OTPCardAnswer(cap))
        }
        self.init(
            tokenID: id.text, appID: app.text, kind: .known(token.kind),
            algorithm: card == nil ? OTPToken.hash.rawValue : Self.capAlgorithm,
            digits: token.digits,
            period: period, counter: counter, cap: card,
            signatureSuite: card == nil ? OTPToken.suite : nil,
            encapsulatedKey: Base64URL.encode(sealed.encapsulatedKey),
            encryptedSecret: Base64URL.encode(sealed.ciphertext))
    }
}

extension OTPCardAnswer {
    init(_ cap: CAP) {
        let parameters = cap.parameters
        self.init(
            mask: parameters.mask, iaf: parameters.iaf, psn: parameters.psn, iad: parameters.iad)
    }
}

extension OwnOTPToken {
    package init(_ record: AuthenticatorRecord) {
        func text(_ name: String) -> String { record.info[name]?.stringValue ?? "" }
        self.init(
            id: record.id.text, kind: .init(rawValue: text("kind")), name: text("name"),
            os: text("os"),
            digits: record.info["digits"]?.numberValue.flatMap { Int(exactly: $0) } ?? 0,
            createdAt: record.createdAt.milliseconds)
    }
}
