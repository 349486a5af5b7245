internal import Crypto
internal import MienAPI
public import MienCore
internal import MienOTP

/// Gets tokens for this device.
///
///     let token = try await OTPProvisioning(options).redeem(code, name: "Ada's phone")
///     try vault.keep(token.secret)
///     let passcode = try token.code(at: now)
public struct OTPProvisioning: Sendable {
    private let connection: Connection

    /// - Throws: ``MienError`` `.invalidInitializationOptions`.
    public init(_ options: MienOptions) throws(MienError) {
        connection = try options.connection { try await Task.sleep(for: $0) }
    }

    /// Uses up a registration code.
    ///
    /// Sent again when an answer is lost: the server gives the same token for the same code and
    /// key. To go on after a crash, too, draw the key first, keep it, and come back with it.
    ///
    /// - Parameters:
    ///   - name: what the owner calls this device; 1 to 64 characters.
    ///   - system: `ios`, `android`, `linux` …
    ///   - key: that the secret travels under. Forget it when the token is kept.
    /// - Throws: ``MienError`` `.invalidCredentials` for a code that is not good, whatever the
    ///   reason; `.networkError` when nobody knows whether the answer was made: come back with the
    ///   same key within ten minutes, or the user needs another code.
    public func redeem(
        _ registrationCode: Sensitive<String>, name: String, system: String,
        key: OTPProvisioningKey = OTPProvisioningKey()
    ) async throws -> OTPProvisionedToken {
        let key = key.key, point = Array(key.publicKey.rawRepresentation)
        let jwk: JSONValue = [
            "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point[..<32])),
            "y": .string(Base64URL.encode(point[32...])),
        ]
        let request = registrationCode.use {
            RedeemOTPRequest(registrationCode: $0, publicKey: jwk, name: name, os: system)
        }
        let answer: OTPTokenAnswer = try await connection.json(
            .init(method: .post, path: ["v1", "otp", "tokens"], body: Connection.encode(request)))
        do {
            return try OTPProvisionedToken(
                answer, secret: answer.secret(with: key).use { try OTPSecret(bytes: $0) })
        } catch {
            // Nothing of what came is repeated: it may hold the secret.
            throw MienError(
                .serverError, "the server's token is not as it should be", mayHaveArrived: true)
        }
    }
}
