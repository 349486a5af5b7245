package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienKeys
internal import MienStore

/// The routes that verify codes outside of journeys: for services with client credentials, and for
/// devices that want to know whether their owner typed the right PIN.
///
/// Refusals are the same for unknown users, users without a token, wrong codes, and locks.
package struct OTPVerificationRoutes {
    private static let maxPasscodeBytes = 64, maxValues = 10

    let apps: AppCatalog
    let tokens: OTPService
    let metrics: Metrics
    /// Limits the codes tried for one name or token, known or not.
    let guesses: RateLimit
    let body: JSONBody

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.post("otp/challenges") { request, _ in
            let wanted = try await body.read(
                OTPChallengeRequest.self, OTPChallengeRequest.CodingKeys.self, from: request)
            let app = try await service(wanted.clientID, wanted.clientSecret)
            let user = try Self.named(wanted.userID, wanted.userIdentifier)
            let template: SignatureTemplate
            do throws(OTPError) {
                template = try SignatureTemplate(number: wanted.template)
            } catch {
                throw Problem(
                    .invalidRequest, errors: [.init(field: "template", message: error.reason)])
            }
            // A challenge has six random digits. Without a limit, one that was signed before would
            // come again.
            let key = "challenge \(user.key(app.id, tokens.store.keys))"
            guard try await guesses.take(key) == nil else {
                throw Problem(
                    .tooManyRequests, "Too many challenges were drawn for this user. Wait a minute."
                )
            }
            let (challenge, end) = try await tokens.challenge(template, for: user, app: app.id)
            return JSONBody.response(
                OTPChallengeAnswer(
                    challenge: challenge.text, title: template.title,
                    fields: template.primitives.map(\.rawValue), expiresAt: end.milliseconds),
                status: .created)
        }
        router.post("otp/verify") { request, _ in
            let wanted = try await body.read(
                OTPVerificationRequest.self, OTPVerificationRequest.CodingKeys.self, from: request)
            let app = try await service(wanted.clientID, wanted.clientSecret)
            let user = try Self.named(wanted.userID, wanted.userIdentifier)
            let passcode = try Self.passcode(wanted.passcode), asked = try Self.asked(wanted)
            let judgment = try await EvenPace.keep {
                try await verify(passcode, asked, of: user, app)
            }
            return JSONBody.response(OTPVerdictAnswer(isValid: judgment))
        }
        router.post("otp/tokens/confirm") { request, _ in
            let wanted = try await body.read(
                ConfirmOTPRequest.self, ConfirmOTPRequest.CodingKeys.self, from: request)
            let token = try AuthenticatorID(wanted.tokenID, field: "token_id"),
                passcode = try Self.passcode(wanted.passcode)
            let isRight = try await EvenPace.keep {
                guard try await guesses.take("token \(token.text)") == nil else {
                    return false
                }
                return accepted(try await tokens.confirm(passcode, of: token))
            }
            guard isRight else { throw Self.refused }
            return Response(status: .noContent)
        }
    }

    private static let refused = Problem(
        .invalidCredentials,
        "The code is wrong, was used before, or belongs to no OTP token, or the token is locked.")

    /// - Throws: ``Problem`` unless the app has proved who it is.
    private func service(_ id: String, _ secret: String?) async throws -> AppRecord {
        let app = try await apps.authenticated(id: id, secret: secret)
        guard app.type == .confidential else {
            throw Problem(
                .notPermitted,
                "A public app cannot prove its identity. Verifying codes requires a client secret.")
        }
        return app
    }

    private func verify(
        _ passcode: Sensitive<String>, _ asked: Asked, of user: OTPService.NamedUser,
        _ app: AppRecord
    ) async throws -> Bool {
        var isFresh = true
        // The challenge is used up by every attempt.
        if case .signature(let challenge, _) = asked {
            isFresh = try await tokens.take(challenge, of: user, app: app.id)
        }
        let mayGuess = try await guesses.take(user.key(app.id, tokens.store.keys)) == nil
        let found = try await tokens.account(user), account = mayGuess && isFresh ? found : nil
        let judgment =
            switch asked {
            case .code:
                try await tokens.authenticate(passcode, of: account, app: app, device: nil)
            case .signature(_, let shown):
                try await tokens.verifySignature(passcode, of: shown, by: account, app: app)
            case .cap(let question):
                try await tokens.authenticate(
                    passcode, answering: question, of: account, app: app)
            }
        let isAccepted = accepted(judgment)
        try await tokens.note(judgment, of: account?.id, app: app.id)
        return isAccepted
    }

    private func accepted(_ judgment: OTPService.Judgment) -> Bool {
        guard case .accepted = judgment else {
            metrics.count(.authentications, ["type": "otp", "result": "refused"])
            return false
        }
        metrics.count(.authentications, ["type": "otp", "result": "accepted"])
        return true
    }

    // MARK: Fields

    private static func named(_ id: String?, _ identifier: String?) throws -> OTPService.NamedUser {
        switch (id, identifier) {
        case (let id?, nil): return .id(try UserID(id, field: "user_id"))
        case (nil, let text?):
            try Problem.requireLine(text, "user_identifier", max: 254)
            return .identifier(Sensitive(text))
        default:
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(field: "user_id", message: "name the user by this or user_identifier")
                ]
            )
        }
    }

    static func passcode(_ text: String) throws -> Sensitive<String> {
        guard (1...maxPasscodeBytes).contains(text.utf8.count) else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(field: "passcode", message: "must have 1 to \(maxPasscodeBytes) bytes")
                ])
        }
        return Sensitive(text)
    }

    /// The meaning that the service expects of the code.
    private enum Asked: Sendable {
        case code
        case signature(DynamicChallenge, ShownTransaction)
        /// The answer of a CAP token to a number, or its signature of numbers.
        case cap(CAPQuestion)
    }

    private static func asked(_ wanted: OTPVerificationRequest) throws -> Asked {
        let named = [
            ("challenge", wanted.challenge != nil), ("cap_challenge", wanted.capChallenge != nil),
            ("cap_numbers", wanted.capNumbers != nil),
        ].filter(\.1).map(\.0)
        guard named.count <= 1 else {
            throw invalid(named[1], "cannot be combined with \(named[0])")
        }
        guard wanted.values == nil || wanted.challenge != nil else {
            throw invalid("challenge", "is missing; it belongs to values")
        }
        if let challenge = wanted.challenge { return try signature(challenge, wanted.values) }
        do throws(OTPError) {
            if let digits = wanted.capChallenge { return .cap(try CAPQuestion(challenge: digits)) }
            if let numbers = wanted.capNumbers { return .cap(try CAPQuestion(signing: numbers)) }
        } catch { throw invalid(named[0], error.reason) }
        return .code
    }

    private static func signature(_ challenge: String, _ named: [String: String]?) throws -> Asked {
        do throws(OTPError) {
            let challenge = try DynamicChallenge(challenge)
            var values: [SignaturePrimitive: String] = [:]
            for (name, value) in (named ?? [:]).prefix(maxValues + 1) {
                guard let primitive = SignaturePrimitive(rawValue: name) else {
                    throw OTPError(
                        .field,
                        "there is a field that no template has; fields are \(SignaturePrimitive.allCases.map(\.rawValue).joined(separator: ", "))"
                    )
                }
                values[primitive] = value
            }
            return .signature(challenge, try ShownTransaction(challenge, values))
        } catch {
            throw invalid(error.code == .challenge ? "challenge" : "values", error.reason)
        }
    }

    private static func invalid(_ field: String, _ message: String) -> Problem {
        Problem(.invalidRequest, errors: [.init(field: field, message: message)])
    }
}
