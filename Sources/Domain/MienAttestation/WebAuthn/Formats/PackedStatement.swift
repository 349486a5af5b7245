internal import MienKeys

extension AttestationStatement {
    /// §8.2. ECDAA, which the standard has dropped, is refused with the members it would bring.
    func verifyPacked() throws(AttestationError) -> AttestationEvidence {
        guard members["x5c"] != nil else {
            try expect(["alg", "sig"])
            guard try algorithm() == key.algorithm else {
                throw AttestationError(.algorithm, "“alg” is not that of the credential's key")
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
