public import MienCore

extension JWS {
    /// A signed message in the compact form. `alg` is the key's; what `header` says of it is
    /// replaced.
    ///
    /// - Throws: whatever `signer` throws; ``JWSError`` if what it returns is no signature of its
    ///   key (a faulty device must not give away a wrong one, and a DER signature would be one).
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
                "the signer's answer is no \(signer.publicKey.algorithm.rawValue) signature of its key"
            )
        }
        return text + "." + Base64URL.encode(signature)
    }
}
