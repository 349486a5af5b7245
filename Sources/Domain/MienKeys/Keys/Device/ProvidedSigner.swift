extension DeviceKeyProvider {
    /// Returns a signer that uses one of the keys. Each signature prompts the person.
    ///
    /// - Throws: ``DeviceError`` `.biometricPrivateKeyNotFound`.
    public func signer(tag: DeviceKeyTag, unlocking prompt: UnlockPrompt) async throws
        -> ProvidedSigner
    {
        ProvidedSigner(
            publicKey: try await publicKey(tag: tag), tag: tag, prompt: prompt, provider: self)
    }
}

/// A device key as a signer for `JWS.sign`.
public struct ProvidedSigner: DeviceSigner {
    public let publicKey: DevicePublicKey
    let tag: DeviceKeyTag
    let prompt: UnlockPrompt
    let provider: any DeviceKeyProvider

    public func sign(_ message: [UInt8]) async throws -> [UInt8] {
        try await provider.sign(message, tag: tag, unlocking: prompt)
    }
}
