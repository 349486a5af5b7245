internal import MienKeys

extension AttestationStatement {
    /// Verifies a statement of format `packed` (§8.2). ECDAA, which the standard has dropped, is
    /// refused because of its additional members.
    func verifyPacked() throws(AttestationError) -> AttestationEvidence {
        guard members["x5c"] != nil else {
            try expect(["alg", "sig"])
            guard try algorithm() == key.algorithm else {
                throw AttestationError(.algorithm, "“alg” does not match the credential's key")
            }
            try checkSignature(of: signed, by: key)
            return .selfSigned
        }
        try expect(["alg", "sig", "x5c"])
        let chain = try chain()
        try checkSignature(of: signed, by: chain.leaf)
        try chain.leaf.checkVersion3AndNoAuthority()
        try chain.leaf.checkPackedSubject()
        try chain.leaf.checkAAGUID(credential.aaguid)
        return .certified(chain, understood: [])
    }
}
