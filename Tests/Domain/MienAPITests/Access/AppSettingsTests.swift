import Foundation
import MienAPI
import MienCore
import Testing

@Suite struct AppSettingsTests {
    static func decode(_ json: String) throws -> AppSettings {
        try JSONDecoder().decode(AppSettings.self, from: Data(json.utf8))
    }

    @Test func `missing settings have defaults`() throws {
        let settings = try Self.decode("{}")
        #expect(settings == AppSettings() && settings.faults.isEmpty)
        #expect(
            settings.tokenSeconds == 300 && settings.journeys == nil
                && settings.lockPolicy(for: .face) == .face)
        #expect(settings.lockPolicy(for: .password) == .secret)
    }

    /// "Failed attempts" and "lockout duration" of the face-authentication guide, by their names.
    @Test func `the guide's two settings apply`() throws {
        let settings = try Self.decode(
            #"{"locks": {"face": {"failed_attempts": 3, "lockout_seconds": 600}}}"#)
        #expect(settings.faults.isEmpty)
        #expect(
            try settings.lockPolicy(for: .face)
                == LockPolicy(failedAttempts: 3, lockoutSeconds: 600, disableAfter: 50))
        #expect(settings.lockPolicy(for: .emailCode) == .secret)
    }

    @Test func `settings survive encoding and decoding`() throws {
        var settings = AppSettings(
            redirectURIs: ["https://app.example.org/back"],
            journeys: [JourneyID("face-login")!, JourneyID("sign-up")!],
            locks: ["face": .face, "password": .secret], faceThreshold: 50.5, tokenSeconds: 3600,
            postLogoutRedirectURIs: ["https://app.example.org/bye"],
            backChannelLogoutURI: "https://app.example.org/logout",
            signInJourney: JourneyID("sign-in"),
            pages: PageSettings(brand: "#0b6b69", texts: ["es": ["signin_title": "Entra"]]),
            duplicateFaces: DuplicateFaceSettings(consentVersions: ["2"]))
        settings.claims = ClaimSettings(
            attributes: ["town": "address.locality"], groups: "roles", areInIDToken: false,
            includesUnverifiedEmail: true)
        settings.authenticationMethod = .privateKey
        (settings.jwks, settings.jwksURI) = (["keys": []], "https://app.example.org/keys")
        (settings.requiresPushedRequests, settings.requiresSignedRequests) = (true, true)
        (settings.idTokenAlgorithm, settings.accessTokenType) = (.rs256, .jwt)
        (settings.profile, settings.requiresPKCE) = (.fapi2, false)
        (settings.introspectionApps, settings.allowsDevices) = ([AppID("web")!], true)
        settings.initiateLoginURI = "https://app.example.org/login"
        settings.frontChannelLogoutURI = "https://app.example.org/signed-out"
        (settings.clientURI, settings.policyURI, settings.termsURI) = (
            "https://app.example.org", "https://app.example.org/privacy",
            "https://app.example.org/terms"
        )
        settings.userInfoAlgorithm = .rs256
        #expect(
            try JSONDecoder().decode(AppSettings.self, from: JSONEncoder().encode(settings))
                == settings)
        #expect(
            try Self.decode(#"{"journeys": []}"#).journeys == [],
            "an empty list is not the same as a missing one")
        let object = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(settings)) as? [String: Any]
        )
        #expect(object.keys.sorted() == AppSettings.keys.sorted())
    }

    @Test func `the protocol is strict by default, and a public app keeps PKCE`() throws {
        let settings = try Self.decode("{}")
        #expect(
            settings.requiresPKCE && settings.idTokenAlgorithm == .es256
                && settings.accessTokenType == .accessToken && settings.claims == ClaimSettings())
        let open = try Self.decode(
            #"{"requires_pkce": false, "id_token_signed_response_alg": "RS256", "access_token_typ": "JWT"}"#
        )
        #expect(open.faults.isEmpty && open.faults(of: .confidential).isEmpty)
        #expect(open.faults(of: .public).map(\.setting) == ["requires_pkce"])
        #expect(open.idTokenAlgorithm == .rs256 && open.accessTokenType == .jwt)
        #expect(throws: DecodingError.self) {
            try Self.decode(#"{"id_token_signed_response_alg": "none"}"#)
        }
    }

    @Test(arguments: [
        (#"{"attributes": {"a": "email"}}"#, "claims.attributes.a"),
        (#"{"attributes": {"a": "client_id"}}"#, "claims.attributes.a"),
        (#"{"attributes": {"": "x"}}"#, "claims.attributes."),
        (#"{"attributes": {"a": "x", "b": "x"}}"#, "claims.attributes"),
        (#"{"groups": "sub"}"#, "claims.groups"), (#"{"groups": ""}"#, "claims.groups"),
    ])
    func `claims cannot take the place of the server's own`(claims: String, setting: String) throws
    {
        let settings = try Self.decode(#"{"claims": \#(claims)}"#)
        #expect(settings.faults.map(\.setting) == [setting])
    }

    @Test func `devices need the sign-in page, and FAPI has none`() throws {
        #expect(
            try Self.decode(#"{"device_authorization": true}"#).faults.map(\.setting)
                == ["device_authorization"])
        #expect(
            try Self.decode(#"{"device_authorization": true, "sign_in_page": true}"#).faults
                .isEmpty)
        let bank = try Self.decode(
            #"{"device_authorization": true, "sign_in_page": true, "profile": "fapi2", "jwks": {"keys": []}}"#
        )
        #expect(bank.faults.map(\.setting) == ["device_authorization"])
    }

    @Test func `others begin a sign-in at an address that names the issuer`() throws {
        let issuer = "https://login.example.org"
        func address(_ uri: String) throws -> String? {
            try Self.decode(#"{"initiate_login_uri": "\#(uri)"}"#).loginAddress(issuer: issuer)
        }
        #expect(
            try address("https://a.example/login")
                == "https://a.example/login?iss=https%3A%2F%2Flogin.example.org")
        #expect(
            try address("https://a.example/login?x=1")
                == "https://a.example/login?x=1&iss=https%3A%2F%2Flogin.example.org")
        #expect(AppSettings().loginAddress(issuer: issuer) == nil)
        for wrong in [
            "http://a.example/", "javascript:alert(1)", "com.example.app:/x", "https://a/#b",
        ] {
            let settings = try Self.decode(#"{"initiate_login_uri": "\#(wrong)"}"#)
            #expect(settings.faults.map(\.setting) == ["initiate_login_uri"], "\(wrong)")
        }
    }

    @Test func `only a confidential app sees the tokens of others`() throws {
        let service = try Self.decode(#"{"introspection_apps": ["web", "shop"]}"#)
        #expect(service.faults.isEmpty && service.faults(of: .confidential).isEmpty)
        #expect(service.faults(of: .public).map(\.setting) == ["introspection_apps"])
        let twice = try Self.decode(#"{"introspection_apps": ["web", "web"]}"#)
        #expect(twice.faults.map(\.setting) == ["introspection_apps"])
        #expect(throws: DecodingError.self) {
            try Self.decode(#"{"introspection_apps": ["no app"]}"#)
        }
    }

    @Test func `an app's authentication has to fit its type, its keys, and its profile`() throws {
        func faults(_ json: String, _ type: AppType = .confidential) throws -> [String] {
            let settings = try Self.decode(json)
            return (settings.faults + settings.faults(of: type)).map(\.setting)
        }
        let keys = #""jwks": {"keys": []}"#
        #expect(
            try faults(#"{"token_endpoint_auth_method": "private_key_jwt"}"#)
                == ["token_endpoint_auth_method"])
        #expect(try faults("{\(keys), \"token_endpoint_auth_method\": \"private_key_jwt\"}") == [])
        #expect(
            try faults(#"{"token_endpoint_auth_method": "client_secret_basic"}"#, .public)
                == ["token_endpoint_auth_method"])
        #expect(
            try faults(#"{"token_endpoint_auth_method": "none"}"#) == [
                "token_endpoint_auth_method"
            ])
        #expect(
            try faults(#"{"require_signed_request_object": true}"#) == [
                "require_signed_request_object"
            ])
        #expect(try faults("{\(keys), \"jwks_uri\": \"https://a.example/k\"}") == ["jwks_uri"])
        #expect(try faults(#"{"profile": "fapi2"}"#) == ["profile"])
        let bank = try Self.decode("{\(keys), \"profile\": \"fapi2\"}")
        #expect(bank.faults.isEmpty && bank.faults(of: .confidential).isEmpty)
        #expect(bank.faults(of: .public).map(\.setting) == ["profile"])
        #expect(
            bank.needsDPoP && bank.needsPushedRequests && !bank.hasSecret(.confidential)
                && bank.authentication(of: .confidential) == .privateKey)
        #expect(
            try faults(
                "{\(keys), \"profile\": \"fapi2\", \"requires_pkce\": false, \"id_token_signed_response_alg\": \"RS256\", \"redirect_uris\": [\"http://localhost/\"]}"
            ) == ["requires_pkce", "id_token_signed_response_alg", "redirect_uris[0]"])
    }

    @Test func `addresses for logouts follow the rules of redirect URIs and resources`() throws {
        let good = try Self.decode(
            #"""
            {"post_logout_redirect_uris": ["https://a.example/bye?x=1", "com.example.app:/bye"],
             "backchannel_logout_uri": "https://a.example/logout"}
            """#)
        #expect(good.faults.isEmpty)
        let bad = try Self.decode(
            #"""
            {"post_logout_redirect_uris": ["http://a.example/", "javascript:alert(1)"],
             "backchannel_logout_uri": "com.example.app:/logout"}
            """#)
        #expect(
            bad.faults.map(\.setting) == [
                "post_logout_redirect_uris[0]", "post_logout_redirect_uris[1]",
                "backchannel_logout_uri",
            ])
    }

    @Test func `a front-channel address has the origin of a redirect URI`() throws {
        func faults(_ uri: String, _ redirect: String = "https://a.example/back") throws -> [String]
        {
            try Self.decode(
                #"{"redirect_uris": ["\#(redirect)"], "frontchannel_logout_uri": "\#(uri)"}"#
            ).faults.map(\.setting)
        }
        for (good, redirect) in [
            ("https://a.example/out?x=1", "https://a.example/back"),
            ("https://A.example:443/out", "https://a.example/back"),
            ("https://a.example:8443/out", "https://a.example:8443/back"),
            ("http://localhost:3000/out", "http://localhost/back"),
            ("http://[::1]:3000/out", "http://[::1]:1/back"),
        ] {
            #expect(try faults(good, redirect).isEmpty, "\(good)")
        }
        for (bad, redirect) in [
            ("https://b.example/out", "https://a.example/back"),
            ("https://a.example:8443/out", "https://a.example/back"),
            ("https://a.example.evil.example/out", "https://a.example/back"),
            ("http://localhost/out", "http://127.0.0.1/back"),
            ("https://a.example/out", "com.example.app:/back"),
            ("com.example.app:/out", "com.example.app:/back"),
            ("https://a.example/out#x", "https://a.example/back"),
        ] {
            #expect(try faults(bad, redirect) == ["frontchannel_logout_uri"], "\(bad)")
        }
        let alone = try Self.decode(#"{"frontchannel_logout_session_required": true}"#)
        #expect(alone.faults.map(\.setting) == ["frontchannel_logout_session_required"])
        #expect(alone.logoutScope == .app)
    }

    @Test func `the address of a frame names the sign-in if the app needs it`() throws {
        var settings = try Self.decode(
            #"{"redirect_uris": ["https://a.example/"], "frontchannel_logout_uri": "https://a.example/out?x=1"}"#
        )
        func address() -> String? {
            settings.frontChannelLogout(of: "grt_1", from: "https://login.example:8443")
        }
        #expect(address() == "https://a.example/out?x=1")
        settings.frontChannelLogoutNeedsSession = true
        let sent = "iss=https%3A%2F%2Flogin.example%3A8443&sid=grt_1"
        #expect(address() == "https://a.example/out?x=1&\(sent)")
        settings.frontChannelLogoutURI = "https://a.example/out"
        #expect(address() == "https://a.example/out?\(sent)")
        settings.frontChannelLogoutURI = nil
        #expect(address() == nil)
    }

    @Test func `an app's requirements for device keys are encoded, decoded, and named`() throws {
        let digest = String(repeating: "ab", count: 32)
        let json = """
            {"biometric": {"attestation": "if_given", "apple_apps": ["ABCDE12345.org.example.app"], "apple_development": true, "android_level": "strongbox",
             "android_apps": [{"package": "org.example.app", "signature_digests": ["\(digest)"]}], "android_user_authentication": "biometric_only"}}
            """
        let settings = try Self.decode(json), biometric = settings.biometric
        #expect(settings.faults.isEmpty, "\(settings.faults)")
        #expect(
            biometric.attestation == .ifGiven && biometric.androidLevel == .strongBox
                && biometric.androidUserAuthentication == .biometricOnly)
        #expect(
            biometric.takesAppleDevelopment && biometric.isEnabled && biometric.mode == .strict
                && biometric.maxKeys == 10)
        #expect(
            biometric.androidApps == [
                AndroidApp(package: "org.example.app", signatureDigests: [digest])
            ])
        #expect(
            try JSONDecoder().decode(AppSettings.self, from: JSONEncoder().encode(settings))
                == settings)
        let object = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(biometric))
                as? [String: Any])
        #expect(object.keys.sorted() == BiometricSettings.keys.sorted())
        #expect(
            BiometricSettings.appleApp("ABCDE12345.org.example.app").map {
                "\($0.team) \($0.bundle)"
            } == "ABCDE12345 org.example.app")
    }

    @Test(arguments: [
        (#"{"attestation": "required"}"#, "biometric.attestation"),
        (#"{"attestation": "if_given"}"#, "biometric.attestation"),
        (#"{"apple_apps": ["org.example.app"]}"#, "biometric.apple_apps[0]"),
        (#"{"apple_apps": ["ABCDE12345."]}"#, "biometric.apple_apps[0]"),
        (#"{"apple_apps": ["abcde12345.org"]}"#, "biometric.apple_apps[0]"),
        (#"{"apple_apps": ["ABCDE12345.org..app"]}"#, "biometric.apple_apps[0]"),
        (
            #"{"android_apps": [{"package": "app", "signature_digests": ["\#(digest)"]}]}"#,
            "biometric.android_apps[0].package"
        ),
        (
            #"{"android_apps": [{"package": "org..app", "signature_digests": ["\#(digest)"]}]}"#,
            "biometric.android_apps[0].package"
        ),
        (
            #"{"android_apps": [{"package": "a.b", "signature_digests": []}]}"#,
            "biometric.android_apps[0].signature_digests"
        ),
        (
            #"{"android_apps": [{"package": "a.b", "signature_digests": ["ab"]}]}"#,
            "biometric.android_apps[0].signature_digests[0]"
        ),
        (
            #"{"android_apps": [{"package": "a.b", "signature_digests": ["\#(digest)+0"]}]}"#,
            "biometric.android_apps[0].signature_digests[0]"
        ),
        (#"{"max_keys": 31}"#, "biometric.max_keys"),
    ])
    func `an invalid setting of device keys is named`(json: String, setting: String) throws {
        #expect(try Self.decode(#"{"biometric": \#(json)}"#).faults.map(\.setting) == [setting])
    }

    private static let digest = String(repeating: "ab", count: 32)

    @Test func `digests are hexadecimal with or without colons`() {
        let bytes = [UInt8](repeating: 0xab, count: 32)
        #expect(AndroidApp.digest(String(repeating: "aB", count: 32)) == bytes)
        #expect(
            AndroidApp.digest([String](repeating: "AB", count: 32).joined(separator: ":")) == bytes)
        for wrong in [
            "", String(repeating: "ab", count: 31), String(repeating: "ab", count: 33),
            [String](repeating: "A", count: 32).joined(separator: ":"),
            String(repeating: "+1", count: 32), String(repeating: "ab:", count: 32),
            String(repeating: "é", count: 32),
        ] { #expect(AndroidApp.digest(wrong) == nil, "\(wrong)") }
    }

    @Test(arguments: [
        "https://app.example.org", "https://app.example.org/back?from=mien",
        "https://app.example.org:8443/back", "http://localhost",
        "http://localhost:3000/back", "http://127.0.0.1/x", "http://[::1]:8080",
        "https://[2001:db8::1]/", "http://localhost?x=1",
    ])
    func `valid redirect URIs are accepted`(uri: String) {
        #expect(AppSettings(redirectURIs: [uri]).faults.isEmpty)
    }

    @Test(arguments: [
        "", "https://", "https:///back", "https://?x", "http://example.org",
        "http://localhost.example.org", "http://localhost:x@example.org/",
        "http://127.0.0.1:80@example.org", "https://app.example.org@evil.example",
        "https://app.example.org\\@evil.example/", "//example.org",
        "https://example.org/#part", "https://example.org/ x", "https://exämple.org",
        "javascript://localhost/%0aalert(1)", "HTTP://localhost",
        "https://example.org:99999/", "https://example.org:/", "myapp:/back",
        "https://example.org/\u{7F}",
        "https://example.org/" + String(repeating: "a", count: 2048),
    ])
    func `invalid redirect URIs are rejected`(uri: String) {
        let faults = AppSettings(redirectURIs: ["https://app.example.org", uri]).faults
        #expect(faults.map(\.setting) == ["redirect_uris[1]"])
    }

    @Test func `every fault is named`() {
        let settings = AppSettings(
            redirectURIs: Array(repeating: "https://a.example", count: 101),
            locks: ["smile": .face, "face": .face, "hand": .face],
            faceThreshold: 23.9, tokenSeconds: 29)
        #expect(
            settings.faults.map(\.setting) == [
                "redirect_uris", "locks.hand", "locks.smile", "face_threshold", "token_seconds",
            ])
        #expect(
            settings.faults[1].message
                == "is not an authenticator; valid are password, face, native_biometrics, email_code, passkey, otp, recovery_code"
        )
    }

    @Test(arguments: [(24.0, true), (72, true), (72.1, false), (.nan, false), (-.infinity, false)])
    func `face thresholds have a range`(threshold: Double, isFit: Bool) {
        #expect(AppSettings(faceThreshold: threshold).faults.isEmpty == isFit)
    }

    @Test(arguments: [(30, true), (3600, true), (3601, false), (-1, false)])
    func `a token's validity must be half a minute to an hour`(seconds: Int, isFit: Bool) {
        #expect(AppSettings(tokenSeconds: seconds).faults.isEmpty == isFit)
    }

    @Test(arguments: [
        #"{"locks": {"face": {"failed_attempts": 0, "lockout_seconds": 600}}}"#, #"{"locks": []}"#,
        #"{"redirect_uris": "x"}"#,
        #"{"journeys": ["a b"]}"#, #"{"token_seconds": 30.5}"#,
    ])
    func `settings with wrong types are rejected`(json: String) {
        #expect(throws: (any Error).self) { try Self.decode(json) }
    }

    @Test func `states and types have stable names`() {
        #expect(AccountState.allCases.map(\.rawValue) == ["active", "suspended", "pending"])
        #expect(AppType.allCases.map(\.rawValue) == ["public", "confidential"])
    }

    @Test(
        "pages return to web addresses, and to schemes that the app lists",
        arguments: [
            ("https://app.example/back", true), ("http://127.0.0.1:1/back", true),
            ("http://app.example/back", false), ("com.example.shop://verified", true),
            ("COM.EXAMPLE.SHOP:/verified?x=1", true), ("com.example.shops://verified", false),
            ("com.example.other://verified", false), ("javascript:alert(1)", false),
            ("com.example.shop", false), ("com.example.shop://a b", false), ("", false),
        ]) func mayReturn(address: String, isAllowed: Bool)
    {
        let settings = AppSettings(
            redirectURIs: ["https://else.example/", "com.example.shop://signed-in"])
        #expect(settings.mayReturn(to: address) == isAllowed)
    }
}
