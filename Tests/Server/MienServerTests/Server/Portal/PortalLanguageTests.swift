import Foundation
import MienCore
import MienTesting
import Testing

/// The texts of the admin portal, which are JavaScript modules of `Web/Portal/languages`.
@Suite("Languages of the admin portal")
struct PortalLanguageTests {
    private static let folder = Repository.root.appending(path: "Web/Portal/languages")

    /// Languages other than English, and the plural categories that their numbers have (CLDR).
    private static let languages: [(tag: String, categories: Set<String>)] = [
        ("es", ["one", "other"]), ("ar", ["zero", "one", "two", "few", "many", "other"]),
    ]

    /// Reads a module of texts by key. A text that depends on a number has a form for each plural
    /// category; any other has the form `""`.
    private static func texts(_ file: URL) throws -> [String: [String: String]] {
        let source = try String(contentsOf: file, encoding: .utf8)
        let entry = try Regex<(Substring, Substring, Substring)>(#"(?m)^  "([^"]+)": (.+),$"#)
        var found: [String: [String: String]] = [:]
        for match in source.matches(of: entry) {
            let key = String(match.1)
            // Names of plural categories have no quotation marks in JavaScript.
            let json = match.2.replacing(/([{,]) (\w+): "/) { "\($0.1) \"\($0.2)\": \"" }
            let value = try JSONText.parse(String(json))
            #expect(found[key] == nil, "\(file.lastPathComponent) has \(key) twice")
            if let text = value.stringValue {
                found[key] = ["": text]
            } else {
                let forms = try #require(value.objectValue, "\(key)")
                found[key] = forms.compactMapValues(\.stringValue)
            }
        }
        let lines = source.split(separator: "\n").filter { $0.hasPrefix("  \"") }
        #expect(found.count == lines.count, "\(file.lastPathComponent): a line is not a text")
        return found
    }

    private static func english() throws -> [String: [String: String]] {
        var all: [String: [String: String]] = [:]
        for file in try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        where file.lastPathComponent.hasPrefix("en-") {
            all.merge(try texts(file)) { _, _ in
                Issue.record("\(file.lastPathComponent) repeats a key of another module")
                return [:]
            }
        }
        return all
    }

    private static func placeholders(_ text: String) -> Set<String> {
        Set(text.matches(of: /\{\w+\}/).map { String($0.0) })
    }

    @Test("every text exists in every language, with the same placeholders and all plurals")
    func complete() throws {
        let english = try Self.english()
        #expect(english.count > 900)
        for (tag, categories) in Self.languages {
            let texts = try Self.texts(Self.folder.appending(path: "\(tag).js"))
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
            let texts = try Self.texts(Self.folder.appending(path: "\(tag).js"))
            let missing = names.filter { texts["journeys.setting.\($0)"] == nil }
            #expect(missing.sorted() == [], "missing in \(tag)")
        }
    }

    @Test("the texts that scripts ask for by a whole key exist")
    func used() throws {
        let english = try Self.english(),
            modules = Set(english.keys.map { $0.prefix { $0 != "." } })
        let portal = Repository.root.appending(path: "Web/Portal")
        let all = try #require(FileManager.default.enumerator(atPath: portal.path))
        for case let name as String in all
        where name.hasSuffix(".js") && !name.hasPrefix("languages/") {
            let source = try String(contentsOf: portal.appending(path: name), encoding: .utf8)
            for match in source.matches(of: /\bt\("((\w+)\.[\w.-]+)"/)
            where modules.contains(match.2) {
                #expect(english[String(match.1)] != nil, "\(name) asks for \(match.1)")
            }
        }
    }
}
