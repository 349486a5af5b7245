internal import Foundation
internal import MienAPI
internal import MienAttestation

/// For whom passkeys are made: a domain, and the pages that may ask for them.
struct PasskeyPlace: Sendable {
    /// `webauthn.rp_id`; `nil` for the host of the public address.
    let id: String?
    /// `webauthn.origins`: pages besides those of the public address.
    let origins: [String]

    /// - Throws: ``Problem`` `.notPermitted` when the server has no name that browsers take.
    func relyingParty(_ publicURL: String) throws(Problem) -> RelyingParty {
        guard let own = Self.origin(publicURL), !Self.isAddress(own.host) else {
            throw Problem(
                .notPermitted,
                "passkeys belong to a host's name, and this server is known by an address: set public_url"
            )
        }
        return RelyingParty(id: id ?? own.host, origins: Set(origins + [own.text]))
    }

    /// What is wrong with the settings; words for whoever wrote them.
    static func problems(id: String, origins: [String], publicURL: String) -> [String] {
        let host = origin(publicURL)?.host
        var problems: [String] = []
        if !id.isEmpty,
            !(host.map { isWithin($0, id) } ?? false) || isAddress(id)
                || !(id.contains(".") || id == host)
        {
            problems.append(
                "webauthn.rp_id is the host of public_url, or a domain that host is in, not “\(id)”; set public_url, too"
            )
        }
        for text in origins {
            if text.hasPrefix("android:apk-key-hash:") { continue }
            let domain = id.isEmpty ? host : id
            guard let origin = origin(text), origin.text == text, let domain,
                isWithin(origin.host, domain),
                text.hasPrefix("https://") || origin.host == "localhost"
            else {
                problems.append(
                    "webauthn.origins: “\(text)” is not https://host within \(domain ?? "the host of public_url"), with :port if not 443, nor android:apk-key-hash:…"
                )
                continue
            }
        }
        return problems
    }

    /// Scheme, host and port as browsers write them.
    private static func origin(_ address: String) -> (text: String, host: String)? {
        guard let parts = URLComponents(string: address), let scheme = parts.scheme?.lowercased(),
            let host = parts.host?.lowercased(), !host.isEmpty
        else { return nil }
        let standard = ["http": 80, "https": 443][scheme]
        let port = parts.port.flatMap { $0 == standard ? nil : ":\($0)" } ?? ""
        return ("\(scheme)://\(host)\(port)", host)
    }

    private static func isWithin(_ host: String, _ domain: String) -> Bool {
        host == domain || host.hasSuffix(".\(domain)")
    }

    private static func isAddress(_ host: String) -> Bool {
        host.contains(":") || host.hasPrefix("[")
            || host.split(separator: ".").allSatisfy { $0.allSatisfy(\.isNumber) }
    }
}
