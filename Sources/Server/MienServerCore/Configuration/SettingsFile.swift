internal import Foundation
internal import MienCore
internal import Yams

/// Reads the settings file: YAML with the keys of ``ServerSetting`` as sections.
struct SettingsFile {
    /// The text of each setting in the file, by key. Lists are joined with commas, as in the
    /// environment.
    private(set) var texts: [String: String] = [:]

    /// - Parameter path: For error messages.
    /// - Throws: ``ConfigurationError`` if the file is not YAML, has an unknown key, or has a value
    ///   that is neither text nor a list.
    init(path: String, contents: String) throws {
        let top: Any?
        do {
            let node = try Yams.compose(yaml: contents)
            // Yams ends the process on a mapping whose key is not plain text.
            guard node.map(Self.hasPlainKeys) ?? true else {
                throw ConfigurationError(["\(path): a key is not plain text; write key: value"])
            }
            top = node?.any
        } catch let error as ConfigurationError { throw error } catch {
            throw ConfigurationError(["\(path) is not YAML: \(error)"])
        }
        guard let top else { return }
        guard let sections = top as? [String: Any] else {
            throw ConfigurationError(["\(path): the top level is not a list of settings"])
        }
        var problems: [String] = []
        read(sections, under: "", from: path, &problems)
        guard problems.isEmpty else { throw ConfigurationError(problems) }
    }

    /// Whether every key of every mapping is a scalar.
    private static func hasPlainKeys(_ node: Node) -> Bool {
        switch node {
        case .mapping(let mapping):
            mapping.allSatisfy { $0.key.scalar != nil && hasPlainKeys($0.value) }
        case .sequence(let sequence): sequence.allSatisfy(hasPlainKeys)
        case .scalar, .alias: true
        }
    }

    private mutating func read(
        _ section: [String: Any], under prefix: String, from path: String,
        _ problems: inout [String]
    ) {
        for (name, value) in section.sorted(by: { $0.key < $1.key }) {
            let key = prefix + name
            if let setting = ServerSetting.byKey[key] {
                guard let text = Self.text(value, setting.kind) else {
                    problems.append("\(path): \(key) must be a single value")
                    continue
                }
                texts[key] = text
            } else if let deeper = value as? [String: Any],
                ServerSetting.all.contains(where: { $0.key.hasPrefix(key + ".") })
            {
                read(deeper, under: key + ".", from: path, &problems)
            } else {
                problems.append(
                    "\(path): unknown setting “\(key)”\(Suggestion.text(for: key, among: ServerSetting.all.map(\.key))); run mien serve --print-config to see all settings"
                )
            }
        }
    }

    private static func text(_ value: Any, _ kind: ServerSetting.Kind) -> String? {
        switch value {
        case let text as String: text
        case let flag as Bool: flag ? "true" : "false"
        case let number as Int: String(number)
        case let number as Double: String(number)
        case is NSNull: ""
        case let list as [Any]:
            if case .list = kind { list.map { "\($0)" }.joined(separator: ",") } else { nil }
        default: nil
        }
    }
}
