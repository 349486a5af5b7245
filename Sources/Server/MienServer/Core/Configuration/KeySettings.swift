/// Where a server's master keys are, and what protects them.
package struct KeySettings: Sendable, Hashable {
    /// The protections.
    package enum Source: String, Sendable, CaseIterable { case file, credential, pkcs11 }

    /// Where a PIN comes from.
    package enum PIN: Sendable, Hashable { case file(String), credential(String) }

    /// A key in a token.
    package struct Token: Sendable, Hashable {
        package let module, token, key: String
        package let pin: PIN
    }

    /// The protection, with what it needs.
    package enum Protection: Sendable, Hashable {
        case file
        /// The name of a credential.
        case credential(String)
        case token(Token)
    }

    /// The file with the keys.
    package let path: String
    package let protection: Protection

    /// - Parameter texts: settings without ``problems(_:)``.
    init(_ texts: [String: String]) {
        func text(_ key: String) -> String { texts["key." + key] ?? "" }
        path = text("path")
        protection =
            switch Source(rawValue: text("source")) {
            case .file, nil: .file
            case .credential: .credential(text("credential"))
            case .pkcs11:
                .token(
                    Token(
                        module: text("pkcs11.module"), token: text("pkcs11.token"),
                        key: text("pkcs11.key"),
                        pin: text("pkcs11.pin_file").isEmpty
                            ? .credential(text("pkcs11.pin_credential"))
                            : .file(text("pkcs11.pin_file"))))
            }
    }

    /// Returns what is missing or contradicts itself.
    static func problems(_ texts: [String: String]) -> [String] {
        func isSet(_ key: String) -> Bool { texts[key] != "" }
        var problems: [String] = []
        switch Source(rawValue: texts["key.source"] ?? "") {
        case .file, nil: break
        case .credential:
            if !isSet("key.credential") {
                problems.append("key.credential is required when key.source is credential")
            }
        case .pkcs11:
            for key in ["key.pkcs11.module", "key.pkcs11.token", "key.pkcs11.key"]
            where !isSet(key) { problems.append("\(key) is required when key.source is pkcs11") }
            if isSet("key.pkcs11.pin_file") == isSet("key.pkcs11.pin_credential") {
                problems.append(
                    "set either key.pkcs11.pin_file or key.pkcs11.pin_credential when key.source is pkcs11"
                )
            }
        }
        for key in ["key.credential", "key.pkcs11.pin_credential"]
        where (texts[key] ?? "").contains("/") {
            problems.append("\(key) is the name of a credential, not a path")
        }
        return problems
    }
}
