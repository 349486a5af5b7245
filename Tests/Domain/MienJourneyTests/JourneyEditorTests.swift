import Foundation
import MienCore
import MienTesting
import Testing

@testable import MienJourney

/// Checks what an editor of journeys needs: schemas of settings, variables in scope, and generated
/// client code.
@Suite("Journey editor")
struct JourneyEditorTests {
    @Test("the schema of a step's settings is complete by itself", arguments: StepType.allCases)
    func settings(type: StepType) throws {
        let schema = JourneySchema.settings(of: type)
        #expect(
            Set(schema["properties"]?.objectValue?.keys.map(\.self) ?? [])
                == Set(type.implementation.settings.map(\.name)))
        let definitions = Set(schema["$defs"]?.objectValue?.keys.map(\.self) ?? [])
        #expect(!definitions.contains { $0.hasPrefix("step_") && $0 != "step_name" })
        func references(_ value: JSONValue) -> [String] {
            switch value {
            case .object(let members):
                (members["$ref"]?.stringValue.map { [$0] } ?? [])
                    + members.values.flatMap(references)
            case .array(let items): items.flatMap(references)
            case .null, .bool, .number, .string: []
            }
        }
        for reference in references(schema) {
            #expect(definitions.contains(String(reference.dropFirst("#/$defs/".count))))
        }
    }

    @Test("each step lists the variables that are set on all or some paths to it")
    func variables() throws {
        let scopes = JourneyVariables.inScope(of: try ExampleJourneys.journey("face-login"))
        func variable(_ path: String, at step: String) -> JourneyVariables.Variable? {
            scopes[StepID(step)!]?.first { $0.path == path }
        }
        #expect(variable("user.level", at: "form")?.isAlwaysSet == true)
        #expect(variable("loginData", at: "form")?.isAlwaysSet == false, "only in a later try")
        #expect(variable("loginData.user_identifier", at: "check_face")?.isAlwaysSet == true)
        #expect(variable("loginData.password", at: "check_face") == nil)
        let password = try #require(variable("loginData.password", at: "check_password"))
        #expect(password.isSecret)
        #expect(variable("selfie_data", at: "check_face")?.isOpen == true)
        #expect(variable("user.id", at: "done")?.isAlwaysSet == true)
        #expect(scopes.values.allSatisfy { $0 == $0.sorted() })
    }

    @Test("generated code has a case for each branch with its fields, and hides sensitive ones")
    func swift() throws {
        let code = SwiftClientCode.source(of: try ExampleJourneys.journey("face-login"))
        for line in [
            "public enum FaceLoginJourney {", "public enum Form: Sendable, Hashable {",
            "case face(", "userIdentifier: String)", "password: Sensitive<String>)",
            "case usePassword", "case .usePassword: .custom(\"use_password\")",
            "case clientInput(JSONValue? = nil)", "case fail", "case cancel",
            "extension JourneyStep {",
        ] {
            #expect(code.contains(line), "\(line)")
        }
    }

    /// A definition whose names and texts try to break generated code.
    private static let hostile: JSONValue = [
        "id": "1.class", "version": 1, "title": "*/ \n } // “title”", "start": "default",
        "steps": [
            "default": [
                "type": "login_form",
                "config": [
                    "branches": [
                        [
                            "id": "switch", "label": "*/ alert(1) /*\n}",
                            "schema": [
                                "properties": [
                                    "class": ["type": "number"], "a_b": ["type": "boolean"],
                                    "aB": ["type": "string"], "members": ["type": "string"],
                                ], "required": ["class"],
                            ],
                        ], ["id": "-"], ["id": "2fa"], ["id": "a_b"], ["id": "aB"],
                    ]
                ],
                "on": [
                    "switch": "Default", "-": "Default", "2fa": "Default", "a_b": "Default",
                    "aB": "Default",
                ],
            ],
            "Default": [
                "type": "information", "config": ["text": "?"], "on": ["success": "String"],
            ],
            "String": ["type": "complete_journey", "config": ["user_auth_state": "none"]],
        ],
    ]

    @Test("names that are words of the language or differ only in case stay distinct and valid")
    func hostileNames() throws {
        let journey = try JourneyDefinition(Self.hostile)
        let swift = SwiftClientCode.source(of: journey)
        for line in [
            "public enum _1ClassJourney {", "public enum Default: ", "public enum Default2: ",
            "case switch_(", "class_: Double", "aB: String? = nil", "aB2: Bool? = nil",
            "members_: String?", "case _0", "case _2fa", "case aB\n", "case aB2",
            "/// * / alert(1) /* }",
        ] {
            #expect(swift.contains(line), "\(line)\n\(swift)")
        }
        let script = TypeScriptClientCode.source(of: journey)
        for line in [
            "export const default_ = {", "switch_: (data: {", "class: number;", "a_b?: boolean",
            "/** * / alert(1) /* } */", "aB2: (): ",
        ] {
            #expect(script.contains(line), "\(line)\n\(script)")
        }
    }

    /// `MIEN_UPDATE=1 scripts/test --filter JourneyEditorTests` writes them again.
    @Test("scripts/test-android compiles the Kotlin code that is generated")
    func kotlin() throws {
        let folder = Repository.root.appending(path: "Kits/android/layer/src/test/kotlin")
        let journeys = try [
            "FaceLoginJourney": ExampleJourneys.journey("face-login"),
            "HostileNamesJourney": JourneyDefinition(Self.hostile),
        ]
        for (name, journey) in journeys {
            let code = KotlinClientCode.source(of: journey)
            let file = folder.appending(path: "\(name).kt")
            if ProcessInfo.processInfo.environment["MIEN_UPDATE"] == "1" {
                try Data(code.utf8).write(to: file)
            }
            #expect(try String(contentsOf: file, encoding: .utf8) == code, "\(name)")
        }
    }

    @Test(
        "generated TypeScript passes a type checker",
        .enabled(if: TypeScriptChecker.path != nil, TypeScriptChecker.reason))
    func typeScript() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "mien-codegen-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var files: [String] = []
        func write(_ name: String, _ text: String) throws {
            let file = folder.appending(path: "\(name).ts")
            try Data(text.utf8).write(to: file)
            files.append(file.path)
        }
        for name in ExampleJourneys.names {
            try write(name, TypeScriptClientCode.source(of: try ExampleJourneys.journey(name)))
        }
        try write("hostile", TypeScriptClientCode.source(of: try JourneyDefinition(Self.hostile)))
        try write(
            "use",
            """
            import { form, type FormAnswer } from "./face-login";
            const answers: FormAnswer[] = [form.face({ user_identifier: "ada" }), form.cancel()];
            // @ts-expect-error: the field is required
            form.face({});
            // @ts-expect-error: the branch does not exist
            form.fingerprint();
            export { answers };
            """)
        #expect(try await TypeScriptChecker.check(files) == "")
    }
}

/// The TypeScript compiler, if it is installed (Debian package `node-typescript`).
enum TypeScriptChecker {
    static let reason: Comment = "needs tsc on the PATH: apt-get install node-typescript"

    static let path: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(
        separator: ":"
    ).map { "\($0)/tsc" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// - Returns: the checker's messages; empty if there are none.
    static func check(_ files: [String]) async throws -> String {
        let ended = try await ProgramRun.run(
            URL(filePath: path ?? ""),
            ["--noEmit", "--strict", "--target", "es2022", "--moduleResolution", "node"]
                + ["--module", "es2022"] + files)
        return ended.out + ended.err
    }
}
