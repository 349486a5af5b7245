extension AttestationStatement {
    /// Verifies a statement of format `apple` (§8.8). Older systems also send `alg`, which adds
    /// nothing.
    func verifyApple() throws(AttestationError) -> AttestationEvidence {
        try expect(members["alg"] == nil ? ["x5c"] : ["alg", "x5c"])
        let chain = try chain()
        try AppleNonce.check(
            chain.leaf, authenticatorData: authenticatorData, clientDataHash: clientDataHash)
        try checkSameKey(chain.leaf)
        return .certified(chain, understood: [])
    }
}
