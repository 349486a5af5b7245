extension AttestationStatement {
    /// §8.4, for keys that hardware keeps. How the device booted is not asked: the anchors say
    /// whose hardware it is.
    func verifyAndroidKey() throws(AttestationError) -> AttestationEvidence {
        try expect(["alg", "sig", "x5c"])
        let chain = try chain()
        try checkSignature(of: signed, by: chain.leaf)
        try checkSameKey(chain.leaf)
        let description = try AndroidKeyAttestation.description(chain)
        guard description.challenge == clientDataHash else {
            throw AttestationError(.challenge, "the key was made for another challenge")
        }
        guard !description.softwareEnforced.allApplications,
            !description.hardwareEnforced.allApplications
        else {
            throw AttestationError(.androidApplication, "the key is for all applications (600)")
        }
        var policy = AndroidKeyPolicy()
        (policy.boot, policy.userAuthentication) = (.any, .any)
        try policy.check(description)
        return .certified(chain, understood: [])
    }
}
