import ArgumentParser
import MienAPI
import MienCore

/// How an app proves itself and reads tokens, under the names of OpenID's client metadata. The
/// server checks what fits together.
struct AppClientOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help:
            "Each sign-in needs a challenge of PKCE. Without it, a code is protected by the app's secret alone, and by its nonce."
    )
    var requiresPkce: Bool?

    @Option(
        help: ArgumentHelp("What signs ID tokens: ES256 or RS256.", valueName: "alg"),
        transform: { try Word.choice($0, for: "--id-token-signed-response-alg") })
    var idTokenSignedResponseAlg: IDTokenAlgorithm?

    @Option(
        help: ArgumentHelp(
            "The typ of access tokens: at+jwt, or JWT for services that read no other.",
            valueName: "typ"), transform: { try Word.choice($0, for: "--access-token-typ") })
    var accessTokenTyp: AccessTokenType?

    /// The settings that the options change, by name; `null` for the default.
    var changes: [String: JSONValue] {
        var changes: [String: JSONValue] = [:]
        changes["requires_pkce"] = requiresPkce.map { .bool($0) }
        changes["id_token_signed_response_alg"] = idTokenSignedResponseAlg.map {
            .string($0.rawValue)
        }
        changes["access_token_typ"] = accessTokenTyp.map { .string($0.rawValue) }
        return changes
    }
}
