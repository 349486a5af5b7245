internal import MienKeys

extension AttestationStatement {
    /// Verifies a statement of format `fido-u2f` (§8.6), of keys from before FIDO2. They sign the
    /// parts in their own order.
    func verifyFIDOU2F() throws(AttestationError) -> AttestationEvidence {
        try expect(["sig", "x5c"])
        let chain = try chain()
        guard chain.certificates.count == 1 else {
            throw AttestationError(.statement, "“x5c” must contain one certificate")
        }
        guard credential.aaguid.allSatisfy({ $0 == 0 }) else {
            throw AttestationError(.aaguid, "the AAGUID of a U2F key must be zeros")
        }
        guard case .p256(let x, let y) = key.material else {
            throw AttestationError(.algorithm, "a U2F key must be P-256")
        }
        let certified = try chain.leaf.deviceKey()
        guard certified.algorithm == .es256 else {
            throw AttestationError(.algorithm, "the certificate's key must be P-256")
        }
        try checkSignature(
            of: [0] + data.relyingPartyHash + clientDataHash + credential.id + [4] + x + y,
            by: certified)
        return .certified(chain, understood: [])
    }
}
