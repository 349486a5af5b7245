package import MienAPI
package import MienAttestation

extension RelyingPartySettings {
    /// - Throws: ``Problem`` `.notPermitted` if the public URL has no host name that browsers
    ///   accept.
    package func relyingParty(_ publicURL: String) throws(Problem) -> RelyingParty {
        guard let own = Self.origin(publicURL), !Self.isAddress(own.host) else {
            throw Problem(
                .notPermitted,
                "Passkeys need a host name, but this server's URL has an IP address. Set public_url."
            )
        }
        return RelyingParty(id: id ?? own.host, origins: Set(origins + [own.text]))
    }
}
