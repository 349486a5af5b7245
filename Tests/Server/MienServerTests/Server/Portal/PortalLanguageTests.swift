import Foundation
import MienCore
import MienDocument
import MienIdentity
import MienTesting
import Testing

/// The texts of the admin portal: the files of `Web/Portal/languages`.
@Suite("Languages of the admin portal")
struct PortalLanguageTests {
    private static let folder = Repository.root.appending(path: "Web/Portal/languages")

    /// Languages other than English, and the plural categories that their numbers have (CLDR).
    private static let languages: [(tag: String, categories: Set<String>)] = [
        ("es", ["one", "other"]), ("ar", ["zero", "one", "two", "few", "many", "other"]),
    ]

    private static func file(_ tag: String) throws -> JSONValue {
        try JSONText.parse(
            [UInt8](Data(contentsOf: folder.appending(path: "\(tag).json"))),
            limits: .init(maxBytes: 1 << 20))
    }

    /// Reads the texts of a language by key. A text that depends on a number has a form for each
    /// plural category; any other has the form `""`.
    private static func texts(_ tag: String) throws -> [String: [String: String]] {
        try #require(try file(tag)["texts"]?.objectValue).mapValues { value in
            if let text = value.stringValue { return ["": text] }
            let forms = try #require(value.objectValue)
            return try forms.mapValues { try #require($0.stringValue) }
        }
    }

    private static func placeholders(_ text: String) -> Set<String> {
        Set(text.matches(of: /\{\w+\}/).map { String($0.0) })
    }

    @Test("every text exists in every language, with the same placeholders and all plurals")
    func complete() throws {
        let english = try Self.texts("en")
        #expect(english.count > 900)
        for (tag, categories) in Self.languages {
            let texts = try Self.texts(tag)
            // English comes from the names of settings, and from the API.
            let own = texts.filter {
                !$0.key.hasPrefix("journeys.setting.") && !$0.key.hasPrefix("apps.help.")
            }
            #expect(Set(english.keys).subtracting(own.keys).sorted() == [], "missing in \(tag)")
            #expect(Set(own.keys).subtracting(english.keys).sorted() == [], "unknown in \(tag)")
            for (key, forms) in english {
                guard let translated = own[key] else { continue }
                let isPlural = forms[""] == nil
                #expect((translated[""] == nil) == isPlural, "\(tag): \(key)")
                if isPlural { #expect(Set(translated.keys) == categories, "\(tag): \(key)") }
                let allowed = Self.placeholders(forms[""] ?? forms["other"] ?? "")
                for (category, text) in translated {
                    #expect(!text.isEmpty, "\(tag): \(key)")
                    // "one person" and "two people" need no number.
                    let found = Self.placeholders(text)
                    if ["", "few", "many", "other"].contains(category) {
                        #expect(found == allowed, "\(tag): \(key) \(category)")
                    } else {
                        #expect(found.isSubset(of: allowed), "\(tag): \(key) \(category)")
                    }
                }
            }
        }
    }

    @Test("each check, detail, result, and source in the reasons of a review has a text")
    func reasons() throws {
        let texts = try Self.texts("en")
        let details =
            DocumentCheck.Name.allCases.map(\.rawValue) + [
                "two_zones", "two_barcodes", "not_linked", "not_measured", "copy_signs",
                "no_reflection", "score", "family_name", "given_names", "birth", "address",
                "postal_code", "city", "state",
            ]
        let sources =
            DocumentFields.Source.allCases.map(\.rawValue) + [
                "document", "portrait", "face", "registry", "http", "simulator",
            ]
        let results = [
            "failed", "inconclusive", "not_checked", "unclear", "doubtful", "script", "partial",
        ]
        let checks = IdentityCheckName.all.map(\.rawValue)
        for (group, words) in [
            ("short", checks), ("detail", details), ("result", results), ("source", sources),
        ] {
            for word in words { #expect(texts["reviews.\(group).\(word)"] != nil, "\(word)") }
        }
    }

    @Test("each language is listed with its name and direction")
    func listed() throws {
        let list = try String(
            contentsOf: Repository.root.appending(path: "Web/Portal/languages.js"), encoding: .utf8)
        for tag in ["en"] + Self.languages.map(\.tag) {
            let language = try #require(try Self.file(tag)["language"])
            let name = try #require(language["name"]?.stringValue)
            let direction = try #require(language["direction"]?.stringValue)
            let line = "{ tag: \"\(tag)\", name: \"\(name)\", direction: \"\(direction)\""
            #expect(list.contains(line), "\(tag)")
        }
    }

    @Test("each type of step and each of its settings has a name in every language")
    func steps() throws {
        let schema = try JSONText.parse(
            String(
                contentsOf: Repository.root.appending(path: "docs/spec/journey.schema.json"),
                encoding: .utf8))
        var names: Set<String> = []
        func collect(_ value: JSONValue, isConfig: Bool) {
            if isConfig { names.formUnion(value["properties"]?.objectValue?.map(\.key) ?? []) }
            for (key, part) in value.objectValue ?? [:] {
                if key == "type", let type = part["const"]?.stringValue { names.insert(type) }
                collect(part, isConfig: key == "config")
            }
            for part in value.arrayValue ?? [] { collect(part, isConfig: false) }
        }
        collect(schema, isConfig: false)
        // The type of a schema, not of a step.
        names.remove("object")
        #expect(names.count > 40)
        for (tag, _) in Self.languages {
            let texts = try Self.texts(tag)
            let missing = names.filter { texts["journeys.setting.\($0)"] == nil }
            #expect(missing.sorted() == [], "missing in \(tag)")
        }
    }

    @Test("the texts that scripts ask for by a whole key exist")
    func used() throws {
        let english = try Self.texts("en"),
            modules = Set(english.keys.map { $0.prefix { $0 != "." } })
        let portal = Repository.root.appending(path: "Web/Portal")
        let all = try #require(FileManager.default.enumerator(atPath: portal.path))
        for case let name as String in all
        where name.hasSuffix(".js") {
            let source = try String(contentsOf: portal.appending(path: name), encoding: .utf8)
            for match in source.matches(of: /\bt\("((\w+)\.[\w.-]+)"/)
            where modules.contains(match.2) {
                #expect(english[String(match.1)] != nil, "\(name) asks for \(match.1)")
            }
        }
    }
}
