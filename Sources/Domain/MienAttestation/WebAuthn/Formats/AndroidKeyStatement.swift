extension AttestationStatement {
    /// Verifies a statement of format `android-key` (§8.4) for a key in hardware. The boot state is
    /// not checked: the anchors identify the hardware.
    func verifyAndroidKey() throws(AttestationError) -> AttestationEvidence {
        try expect(["alg", "sig", "x5c"])
        let chain = try chain()
        try checkSignature(of: signed, by: chain.leaf)
        try checkSameKey(chain.leaf)
        let description = try AndroidKeyAttestation.description(chain)
        guard description.challenge == clientDataHash else {
            throw AttestationError(.challenge, "the key was created for another challenge")
        }
        guard !description.softwareEnforced.allApplications,
            !description.hardwareEnforced.allApplications
        else {
            throw AttestationError(
                .androidApplication, "the key is available to all applications (600)")
        }
        var policy = AndroidKeyPolicy()
        (policy.boot, policy.userAuthentication) = (.any, .any)
        try policy.check(description)
        return .certified(chain, understood: [])
    }
}
