import Foundation
import MienAPI
import MienCore
import Testing

/// Apps that describe themselves: RFC 7591 §2.
@Suite struct ClientMetadataTests {
    private static func read(_ json: String) throws -> ClientMetadata {
        try ClientMetadata(JSONText.parse(json))
    }

    private static let redirect = #""redirect_uris": ["https://a.example/back"]"#

    @Test func `a short description has the defaults of the specification`() throws {
        let metadata = try Self.read("{\(Self.redirect)}")
        let settings = metadata.settings(from: ClientMetadata.base)
        #expect(metadata.name == "a.example" && metadata.type == .confidential)
        #expect(settings.redirectURIs == ["https://a.example/back"] && settings.hasSignInPage)
        #expect(settings.authenticationMethod == .basic && settings.idTokenAlgorithm == .rs256)
        #expect(settings.requiresPKCE && !settings.allowsDevices && !settings.needsDPoP)
        #expect(settings.faults.isEmpty && settings.faults(of: .confidential).isEmpty)
    }

    @Test func `every member becomes a setting, and is told again`() throws {
        let json = #"""
            {"client_name": "Dashboard", "redirect_uris": ["https://a.example/back"],
             "post_logout_redirect_uris": ["https://a.example/bye"],
             "backchannel_logout_uri": "https://a.example/logout",
             "frontchannel_logout_uri": "https://a.example/out",
             "frontchannel_logout_session_required": true,
             "initiate_login_uri": "https://a.example/login", "jwks_uri": "https://a.example/keys",
             "client_uri": "https://a.example", "policy_uri": "https://a.example/privacy",
             "tos_uri": "https://a.example/terms", "token_endpoint_auth_method": "private_key_jwt",
             "id_token_signed_response_alg": "ES256", "userinfo_signed_response_alg": "RS256",
             "grant_types": ["authorization_code", "refresh_token",
                             "urn:ietf:params:oauth:grant-type:device_code"],
             "response_types": ["code"], "subject_type": "public",
             "require_pushed_authorization_requests": true, "require_signed_request_object": true,
             "dpop_bound_access_tokens": true}
            """#
        let metadata = try Self.read(json)
        let settings = metadata.settings(from: ClientMetadata.base)
        #expect(settings.faults.isEmpty && settings.faults(of: .confidential).isEmpty)
        let told = ClientMetadata.members(
            name: metadata.name, type: metadata.type, settings: settings)
        #expect(try JSONValue.object(told) == JSONText.parse(json))
    }

    @Test func `what an administrator has set stays if a description cannot tell it`() throws {
        var before = AppSettings()
        (before.requiresPKCE, before.introspectionApps) = (false, [AppID("web")!])
        before.initiateLoginURI = "https://a.example/old"
        (before.requiresDPoP, before.requiresPushedRequests) = (true, true)
        let settings = try Self.read("{\(Self.redirect)}").settings(from: before)
        #expect(!settings.requiresPKCE && settings.introspectionApps == before.introspectionApps)
        #expect(settings.initiateLoginURI == nil, "what it can tell is replaced")
        #expect(settings.requiresDPoP && settings.requiresPushedRequests, "a demand stays")
        #expect(!settings.hasSignInPage, "and so does an app that an administrator stopped")
        let open = try Self.read(
            "{\(Self.redirect), \"token_endpoint_auth_method\": \"none\"}")
        #expect(open.type == .public && open.settings(from: before).requiresPKCE)
    }

    @Test func `unknown members and null are ignored`() throws {
        let metadata = try Self.read(
            "{\(Self.redirect), \"software_id\": \"x\", \"contacts\": [1], \"client_name#de\": \"y\", \"jwks_uri\": null}"
        )
        #expect(metadata.settings(from: AppSettings()).jwksURI == nil)
    }

    @Test(arguments: [
        ("{}", "invalid_redirect_uri"), (#"{"redirect_uris": []}"#, "invalid_redirect_uri"),
        (#"{"redirect_uris": "https://a.example/"}"#, "invalid_redirect_uri"),
        (#"{"redirect_uris": ["https://a.example/#x"]}"#, "invalid_redirect_uri"),
        (#"{"redirect_uris": ["http://a.example/"]}"#, "invalid_redirect_uri"),
        (#"{"redirect_uris": ["javascript:alert(1)"]}"#, "invalid_redirect_uri"),
    ])
    func `an app cannot have any address`(json: String, code: String) throws {
        let error = #expect(throws: ClientMetadata.Invalid.self) { try Self.read(json) }
        #expect(error?.code.rawValue == code)
    }

    @Test(arguments: [
        #""token_endpoint_auth_method": "client_secret_jwt""#,
        #""token_endpoint_auth_method": "private_key_jwt""#, #""grant_types": ["implicit"]"#,
        #""grant_types": ["password"]"#, #""grant_types": ["client_credentials"]"#,
        #""grant_types": "authorization_code""#, #""response_types": ["code id_token"]"#,
        #""response_types": []"#, #""subject_type": "pairwise""#,
        #""id_token_signed_response_alg": "none""#, #""id_token_signed_response_alg": "HS256""#,
        #""userinfo_signed_response_alg": "none""#, #""id_token_encrypted_response_alg": "RSA1_5""#,
        #""default_max_age": 60"#, #""sector_identifier_uri": "https://a.example/s""#,
        #""initiate_login_uri": "http://a.example/""#, #""policy_uri": "javascript:alert(1)""#,
        #""logo_uri": "data:image/png;base64,AA""#, #""client_name": "a\nb""#,
        #""client_name": """#,
        #""client_name": "Unlock: evil.example/x""#, #""client_name": "a@b""#,
        #""client_name": 5"#, #""require_signed_request_object": "yes""#,
        #""require_signed_request_object": true"#, #""application_type": "tv""#,
        #""backchannel_logout_uri": "ftp://a.example/""#,
        #""post_logout_redirect_uris": ["http://a.example/"]"#,
        #""jwks": {"keys": []}, "jwks_uri": "https://a.example/k""#,
    ])
    func `values that are not offered are refused, in words that repeat nothing`(member: String)
        throws
    {
        let error = #expect(throws: ClientMetadata.Invalid.self) {
            try Self.read("{\(Self.redirect), \(member)}")
        }
        #expect(error?.code == .metadata)
        #expect(error?.reason.contains("a.example") == false)
    }
}
