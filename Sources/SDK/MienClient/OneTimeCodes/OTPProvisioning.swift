internal import Crypto
internal import MienAPI
public import MienCore
public import MienKeys

/// Gets OTP tokens for this device.
///
///     let token = try await OTPProvisioning(options).redeem(code, name: "Ada's phone", system: "ios")
///     if case .totp(let totp) = token.kind {
///         let passcode = try totp.code(at: now, with: token.secret)
///     }
public struct OTPProvisioning: Sendable {
    private let connection: Connection

    /// - Throws: ``MienError`` `.invalidInitializationOptions`.
    public init(_ options: MienOptions) throws(MienError) {
        connection = try options.connection { try await Task.sleep(for: $0) }
    }

    /// Asks the server whether a code of an OTP token is valid, and uses the code up. Only the
    /// server can tell whether the owner typed the right PIN.
    ///
    /// - Parameter token: The OTP token's ID.
    /// - Returns: `false` for a wrong or used code, a removed or locked token, and an unknown one.
    public func confirm(_ code: OneTimeCode, of token: String) async throws -> Bool {
        let request = ConfirmOTPRequest(tokenID: token, passcode: code.text)
        do {
            // A code is valid once: sending it twice would refuse the right one.
            try await connection.send(
                .init(
                    method: .post, path: ["v1", "otp", "tokens", "confirm"],
                    body: Connection.encode(request), isRepeatable: false))
            return true
        } catch let error as MienError where error.problem?.code == .invalidCredentials {
            return false
        }
    }

    /// Redeems a registration code. The secret comes encrypted with HPKE, hence the versions of
    /// Apple's systems.
    ///
    /// The request is repeated if the response is lost: the server returns the same OTP token for
    /// the same code and key. To be able to resume after a crash, create the key first, store it,
    /// and pass it again.
    ///
    /// - Parameters:
    ///   - name: The owner's name for this device; 1 to 64 characters.
    ///   - system: `ios`, `android`, `linux` …
    ///   - key: The key that encrypts the secret in transit. Delete it once the OTP token is
    ///     stored.
    /// - Throws: ``MienError`` `.invalidCredentials` for an invalid code, whatever the reason;
    ///   `.networkError` if it is unknown whether the OTP token was created. In that case try again
    ///   with the same key within ten minutes, or the user needs another code.
    @available(iOS 17, macOS 14, *)
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
            // The response may contain the secret, so the error quotes nothing from it.
            throw MienError(
                .serverError, "The server returned a malformed OTP token.", mayHaveArrived: true)
        }
    }
}
