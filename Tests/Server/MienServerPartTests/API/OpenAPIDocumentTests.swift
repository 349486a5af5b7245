import Foundation
import Logging
import MienAPI
import MienCore
import MienTesting
import Testing

@testable import MienServer

/// Checks that the API description matches the server.
@Suite("The API description")
struct OpenAPIDocumentTests {
    @Test("the server serves docs/openapi.json")
    func embedded() throws {
        #expect(
            try String(contentsOf: APIDocument.file, encoding: .utf8)
                == OpenAPIDocument.text)
    }

    @Test("it is OpenAPI 3.1, and every reference resolves")
    func references() throws {
        let document = try APIDocument.read()
        #expect(document["openapi"] == "3.1.0")
        for case .string(let reference) in document.objects.compactMap({ $0["$ref"] }) {
            let path = reference.split(separator: "/").map(String.init)
            #expect(
                path.first == "#" && path.dropFirst().reduce(Optional(document)) { $0?[$1] } != nil,
                "\(reference)")
        }
    }

    @Test("every schema, response, header, and parameter is used")
    func used() throws {
        let document = try APIDocument.read()
        let used = Set(document.objects.compactMap { $0["$ref"]?.stringValue })
        for (kind, parts) in try #require(document["components"]?.objectValue)
        where kind != "securitySchemes" {
            for name in parts.names {
                #expect(
                    used.contains("#/components/\(kind)/\(name)") || name == "MethodNotAllowed",
                    "\(kind)/\(name)")
            }
        }
    }

    @Test("it has exactly the routes of the server", .needsPack)
    func routes() async throws {
        let (table, admin) = try await Self.tables()
        // Pages are no API: docs/web-pages.md and docs/portal.md describe them.
        let pages = [
            "/signin", "/signout", "/device", "/verify", "/account", "/web/", "/mien.",
            "/capture-worker.js",
            "/organization",
        ]
        let api = table.lines.filter { line in
            let path = line.split(separator: " ")[1]
            return ["/verify/api/", "/organization/api/"].contains { path.hasPrefix($0) }
                || !pages.contains { path.hasPrefix($0) }
        }
        let adminAPI = admin.lines.filter { !$0.hasPrefix("GET /admin") }
        #expect(Set(api + adminAPI) == Set(try APIDocument.operations().keys))
        // Everything but signing in, pages, and metrics says what it needs.
        let open = Set(
            ["/session", "/setup", "/invitation"].flatMap { path in
                ["", "/options", "/passkey", "/passkey/options"].map {
                    "POST /v1/administrator\(path)\($0)"
                }
            }
        ).union(["GET /metrics"])
        #expect(
            Set(adminAPI).subtracting(open).isSubset(of: AdminOperations.all.keys),
            "mark the route in AdminOperations")
        #expect(table.lines.count > 30 && Set(table.lines).isDisjoint(with: admin.lines))
        #expect(admin.methods(at: "/v1/apps/shop") == ["DELETE", "GET", "HEAD", "PUT"])
        #expect(table.methods(at: "/v1/journeys/respond") == ["POST"])
        #expect(table.methods(at: "/v1") == [] && admin.methods(at: "/v1/apps/shop/other") == [])
        // The document names the listener of each route.
        let document = try APIDocument.read()
        for (path, item) in try #require(document["paths"]?.objectValue) {
            #expect(
                (item["servers"] != nil)
                    == admin.lines.contains { $0.split(separator: " ")[1] == path }, "\(path)")
        }
    }

    @Test("the server knows exactly the query parameters that it describes")
    func queryParameters() throws {
        let document = try APIDocument.read()
        var described: [String: [String]] = [:]
        for (path, item) in try #require(document["paths"]?.objectValue)
        where !QueryParameters.areIgnored(at: path) {
            let lists = [item] + item.names.compactMap { item[$0] }
            let names = lists.flatMap { $0["parameters"]?.arrayValue ?? [] }.compactMap {
                parameter -> String? in
                let name = parameter["$ref"]?.stringValue?.split(separator: "/").last
                let whole = name.map { document["components"]?["parameters"]?[String($0)] }
                let found = whole ?? parameter
                return found?["in"] == "query" ? found?["name"]?.stringValue : nil
            }
            if !names.isEmpty { described[path] = Set(names).sorted() }
        }
        #expect(described == QueryParameters.known.mapValues { $0.sorted() })
    }

    private static func tables() async throws -> (public: RouteTable, admin: RouteTable) {
        let scratch = try ScratchFolder()
        let configuration = try ServerConfiguration(
            environment: [
                "MIEN_DATA": scratch("data").path, "MIEN_PORT": "0",
                "MIEN_ADMIN_LISTEN": "127.0.0.1:0",
            ], home: Machine.folder)
        let parts = try await Server(
            configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ).parts
        return (RouteTable(parts.publicRouter().routes), RouteTable(parts.adminRouter().routes))
    }

    @Test(
        "an operation names its parameters, its callers, and every problem that callers may get")
    func operations() throws {
        let document = try APIDocument.read()
        var ids: Set<String> = []
        for (name, operation) in try APIDocument.operations() {
            let path = String(name.split(separator: " ")[1])
            #expect(
                ids.insert(try #require(operation["operationId"]?.stringValue)).inserted,
                "\(name): a unique operation ID")
            #expect(
                operation["summary"] != nil && operation["tags"]?.arrayValue?.count == 1
                    && operation["security"] != nil, "\(name)")
            let responses = try #require(operation["responses"]).names
            #expect(responses.isSuperset(of: ["429", "500", "503"]), "\(name)")
            if operation["security"] != [] { #expect(responses.contains("401"), "\(name)") }
            if operation["requestBody"] != nil {
                #expect(responses.isSuperset(of: ["400", "413", "415"]), "\(name)")
            }
            let inPath = path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                String($0.dropFirst().dropLast())
            }
            let described = (document["paths"]?[path]?["parameters"]?.arrayValue ?? []).compactMap {
                $0["$ref"]?.stringValue?.split(separator: "/").last?.lowercased()
            }
            #expect(described == inPath, "\(name)")
        }
    }

    @Test(
        "every problem code is described with its status, and responses list only codes of their status"
    )
    func problems() throws {
        let codes = try APIDocument.schema("ProblemCode")
        #expect(
            codes["enum"]?.arrayValue?.compactMap(\.stringValue)
                == ProblemCode.allCases.map(\.rawValue))
        for code in ProblemCode.allCases {
            let row = "| `\(code.rawValue)` | \(code.status) | \(code.title)"
            #expect(codes["description"]?.stringValue?.contains(row) == true, "\(row)")
        }
        var told: Set<String> = []
        for (name, response) in try #require(
            try APIDocument.read()["components"]?["responses"]?.objectValue)
        {
            guard let content = response["content"]?["application/problem+json"] else {
                // The token endpoints use OAuth error codes.
                #expect(
                    response["content"]?["application/json"]?["schema"]?["$ref"]
                        == "#/components/schemas/TokenError", "\(name)")
                continue
            }
            let own = try #require(content["schema"]?["allOf"]?.arrayValue?.last?["properties"])
            for code in try #require(own["code"]?["enum"]?.arrayValue).compactMap(\.stringValue) {
                told.insert(code)
                #expect(
                    ProblemCode(rawValue: code).map { JSONValue.number(Double($0.status)) }
                        == own["status"]?["const"], "\(name): \(code)")
            }
            let example = try JSONDecoder().decode(
                Problem.self, from: Data(JSONText.write(try #require(content["example"])).utf8))
            let made = Problem(
                example.code, example.detail, errors: example.errors, maxAge: example.maxAge,
                acrValues: example.acrValues, errorID: example.errorID)
            #expect(example == made, "\(name)")
        }
        #expect(told == Set(ProblemCode.allCases.map(\.rawValue)))
    }

    @Test("the document states the server's defaults")
    func defaults() throws {
        let document = JSONText.write(try APIDocument.read())
        func standard(_ key: String) throws -> String {
            let digits = try #require(ServerSetting.all.first { $0.key == key }?.standard)
            return try #require(Int(digits)).formatted(
                .number.grouping(.automatic).locale(Locale(identifier: "en_US")))
        }
        #expect(
            document.contains(
                "\(try standard("limit.body_bytes")) bytes of JSON, \(try standard("capture.max_bytes")) bytes for a frame"
            ))
        let policy = try APIDocument.schema("LockPolicy")["properties"]
        #expect(
            policy?["failed_attempts"]?["maximum"]
                == .number(Double(LockPolicy.attemptsRange.upperBound)))
        #expect(
            policy?["disable_after"]?["maximum"]
                == .number(Double(LockPolicy.disableRange.upperBound)))
        #expect(
            policy?["lockout_seconds"]?["maximum"]
                == .number(Double(LockPolicy.lockoutRange.upperBound)))
        #expect(policy?.names == Set(LockPolicy.keys))
        let settings = try APIDocument.schema("AppSettings")["properties"]
        #expect(settings?.names == Set(AppSettings.keys))
        #expect(settings?["biometric"]?["properties"]?.names == Set(BiometricSettings.keys))
        let liveness = settings?["liveness"]?["properties"]
        #expect(liveness?.names == Set(LivenessPolicy.keys))
        #expect(
            liveness?["mode"]?["enum"]?.arrayValue?.compactMap(\.stringValue)
                == LivenessPolicy.Mode.allCases.map(\.rawValue))
        #expect(
            liveness?["actions"]?["items"]?["enum"]?.arrayValue?.compactMap(\.stringValue)
                == LivenessPolicy.Action.allCases.map(\.rawValue))
        #expect(
            liveness?["timeout_seconds"]?["maximum"]
                == .number(Double(LivenessPolicy.timeoutRange.upperBound)))
        #expect(
            liveness?["action_count"]?["maximum"]
                == .number(Double(LivenessPolicy.actionCountRange.upperBound)))
        let biometric = settings?["biometric"]?["properties"]
        #expect(
            biometric?["max_keys"]?["maximum"]
                == .number(Double(BiometricSettings.keysRange.upperBound)))
        func choices(_ setting: String) -> [String]? {
            biometric?[setting]?["enum"]?.arrayValue?.compactMap(\.stringValue)
        }
        #expect(choices("attestation") == BiometricSettings.Attestation.allCases.map(\.rawValue))
        #expect(choices("android_level") == BiometricSettings.AndroidLevel.allCases.map(\.rawValue))
        #expect(
            choices("android_user_authentication")
                == BiometricSettings.AndroidUserAuthentication.allCases.map(\.rawValue))
        for apps in ["apple_apps", "android_apps"] {
            #expect(
                biometric?[apps]?["maxItems"]
                    == .number(Double(BiometricSettings.appsRange.upperBound)))
        }
        let android = biometric?["android_apps"]?["items"]?["properties"]
        #expect(android?.names == Set(AndroidApp.keys))
        #expect(
            android?["package"]?["maxLength"] == .number(Double(AndroidApp.packageBytes.upperBound))
        )
        #expect(
            android?["signature_digests"]?["minItems"]
                == .number(Double(AndroidApp.digestsRange.lowerBound)))
        #expect(
            android?["signature_digests"]?["maxItems"]
                == .number(Double(AndroidApp.digestsRange.upperBound)))
        let tokens = settings?["tokens"]?["properties"], standard = TokenLifetimes()
        #expect(tokens?.names == Set(TokenLifetimes.keys))
        for (name, range, value) in [
            ("access_token_seconds", TokenLifetimes.accessRange, standard.accessSeconds),
            ("refresh_token_seconds", TokenLifetimes.refreshRange, standard.refreshSeconds),
            ("idle_seconds", TokenLifetimes.idleRange, standard.idleSeconds),
        ] {
            #expect(
                tokens?[name]?["minimum"] == .number(Double(range.lowerBound))
                    && tokens?[name]?["maximum"] == .number(Double(range.upperBound)))
            #expect(tokens?[name]?["default"] == .number(Double(value)))
        }
        #expect(
            try APIDocument.schema("AppSettings")["properties"]?["locks"]?["properties"]?.names
                == Set(AuthenticatorType.allCases.map(\.rawValue)))
        #expect(
            try words("AuthenticatorAnswer", "type") == AuthenticatorType.allCases.map(\.rawValue))
        #expect(try words("UserAnswer", "state") == AccountState.allCases.map(\.rawValue))
        #expect(try words("AppAnswer", "type") == AppType.allCases.map(\.rawValue))
    }

    private func words(_ schema: String, _ property: String) throws -> [String]? {
        try APIDocument.schema(schema)["properties"]?[property]?["enum"]?.arrayValue?.compactMap(
            \.stringValue)
    }
}

enum Machine {
    static let folder: URL = {
        let environment = ProcessInfo.processInfo.environment
        if let named = environment["MIEN_HOME"], !named.isEmpty {
            return URL(filePath: named, directoryHint: .isDirectory)
        }
        return URL(filePath: environment["HOME"] ?? NSHomeDirectory(), directoryHint: .isDirectory)
            .appending(path: ".local/share/mien")
    }()
    static let hasPack = FileManager.default.fileExists(
        atPath: folder.appending(path: "packs/mien-basic-1/manifest.json").path)
}

extension Trait where Self == ConditionTrait {
    static var needsPack: Self {
        .enabled(if: Machine.hasPack, "no default model pack on this machine: run scripts/setup")
    }
}
