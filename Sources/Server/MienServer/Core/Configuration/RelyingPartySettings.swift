internal import Foundation

/// The relying party of passkeys: a domain, and the origins that may request them.
package struct RelyingPartySettings: Sendable {
    /// `webauthn.rp_id`; `nil` for the host of the public URL.
    package let id: String?
    /// `webauthn.origins`: additional origins besides that of the public URL.
    package let origins: [String]

    /// Returns the problems with the settings, described for the operator.
    static func problems(id: String, origins: [String], publicURL: String) -> [String] {
        let host = origin(publicURL)?.host
        var problems: [String] = []
        if !id.isEmpty,
            !(host.map { isWithin($0, id) } ?? false) || isAddress(id)
                || !(id.contains(".") || id == host)
        {
            problems.append(
                "webauthn.rp_id must be the host of public_url or a parent domain of it, not “\(id)”. Set public_url, too."
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
                    "webauthn.origins: “\(text)” must be https://host within \(domain ?? "the host of public_url"), with :port if not 443, or android:apk-key-hash:…"
                )
                continue
            }
        }
        return problems
    }

    /// Returns the origin (scheme, host, and port as browsers write them) and the host.
    package static func origin(_ address: String) -> (text: String, host: String)? {
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

    package static func isAddress(_ host: String) -> Bool {
        host.contains(":") || host.hasPrefix("[")
            || host.split(separator: ".").allSatisfy { $0.allSatisfy(\.isNumber) }
    }
}
