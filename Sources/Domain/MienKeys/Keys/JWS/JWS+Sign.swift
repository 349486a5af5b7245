public import MienCore

extension JWS {
    /// Signs a message and returns its compact form. `alg` is always the key's, whatever `header`
    /// contains.
    ///
    /// - Throws: any error of `signer`; ``JWSError`` if the signature is not valid for its key, so
    ///   that a faulty device cannot release a wrong signature, such as one in DER.
    public static func sign(
        header: [String: JSONValue] = [:], payload: [UInt8], with signer: some DeviceSigner
    ) async throws -> String {
        var header = header
        header["alg"] = .string(signer.publicKey.algorithm.rawValue)
        let text =
            Base64URL.encode(JSONText.write(.object(header)).utf8) + "." + Base64URL.encode(payload)
        let signature = try await signer.sign(Array(text.utf8))
        guard signer.publicKey.isValid(signature, over: Array(text.utf8)) else {
            throw JWSError(
                .signer,
                "the signer did not return a valid \(signer.publicKey.algorithm.rawValue) signature of its key"
            )
        }
        return text + "." + Base64URL.encode(signature)
    }
}
