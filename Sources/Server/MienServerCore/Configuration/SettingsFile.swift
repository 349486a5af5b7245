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
        let top: Node?
        do { top = try Yams.compose(yaml: contents) } catch {
            throw ConfigurationError(["\(path) is not YAML: \(error)"])
        }
        // Yams ends the process when it makes a dictionary of keys that are not plain text.
        guard top.map(Self.hasPlainKeys) ?? true else {
            throw ConfigurationError(["\(path): a key is not plain text; write key: value"])
        }
        guard let top, !Self.isNothing(top) else { return }
        guard case .mapping(let sections) = top else {
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
        _ section: Node.Mapping, under prefix: String, from path: String,
        _ problems: inout [String]
    ) {
        let members = section.map { ($0.key.scalar?.string ?? "", $0.value) }
        for (name, value) in members.sorted(by: { $0.0 < $1.0 }) {
            let key = prefix + name
            if let setting = ServerSetting.byKey[key] {
                do { texts[key] = try Self.text(value, setting.kind) } catch {
                    let line = value.mark.map { " line \($0.line):" } ?? ""
                    problems.append("\(path):\(line) \(key) \(error.reason)")
                }
            } else if ServerSetting.all.contains(where: { $0.key.hasPrefix(key + ".") }),
                case .mapping(let deeper) = value
            {
                read(deeper, under: key + ".", from: path, &problems)
            } else {
                problems.append(
                    "\(path): unknown setting “\(key)”\(Suggestion.text(for: key, among: ServerSetting.all.map(\.key))); run mien serve --print-config to see all settings"
                )
            }
        }
    }

    private struct Unreadable: Error {
        let reason: String
    }

    /// Returns a value as it is written. YAML 1.1 would make `off` false, `0123` 83, and `1.10` 1.1,
    /// but a password or the name of a mode is its characters.
    private static func text(_ node: Node, _ kind: ServerSetting.Kind) throws(Unreadable) -> String
    {
        switch (node, kind) {
        case (.sequence(let items), .list):
            var texts: [String] = []
            for item in items { texts.append(try text(item, .text)) }
            return texts.joined(separator: ",")
        case (.scalar(let scalar), _):
            guard scalar.style == .plain || scalar.style == .any else { return scalar.string }
            guard !isNothing(node) else {
                guard scalar.string.isEmpty else {
                    throw Unreadable(
                        reason:
                            "is \(scalar.string), which means nothing in YAML; put it in quotes, or leave it empty"
                    )
                }
                return ""
            }
            switch kind {
            case .flag: return flag(scalar.string)
            case .integer where scalar.string.count > 1 && scalar.string.hasPrefix("0"):
                throw Unreadable(
                    reason:
                        "is \(scalar.string), which YAML reads as octal; write it without the leading 0"
                )
            default: return scalar.string
            }
        default: throw Unreadable(reason: "must be a single value")
        }
    }

    /// Whether a node has no value: `key:` without one, `~`, or `null`.
    private static func isNothing(_ node: Node) -> Bool {
        guard case .scalar(let scalar) = node, scalar.style == .plain || scalar.style == .any else {
            return false
        }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    /// The words for yes and no of YAML 1.1.
    private static func flag(_ word: String) -> String {
        switch word.lowercased() {
        case "true", "yes", "on", "y": "true"
        case "false", "no", "off", "n": "false"
        default: word
        }
    }
}
