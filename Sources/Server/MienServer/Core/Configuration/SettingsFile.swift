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
        do {
            let node = try Yams.compose(yaml: contents)
            // Yams ends the process on a mapping whose key is not plain text.
            guard node.map(Self.hasPlainKeys) ?? true else {
                throw ConfigurationError(["\(path): a key is not plain text; write key: value"])
            }
            top = node
        } catch let error as ConfigurationError { throw error } catch {
            throw ConfigurationError(["\(path) is not YAML: \(error)"])
        }
        guard let top, top.scalar?.string.isEmpty != true else { return }
        guard let sections = top.mapping else {
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
        for (name, value) in section {
            let key = prefix + (name.scalar?.string ?? "")
            if let setting = ServerSetting.byKey[key] {
                do throws(Fault) { texts[key] = try Self.text(value, setting.kind) } catch {
                    let line = (value.mark ?? name.mark).map { ", line \($0.line)" } ?? ""
                    problems.append("\(path)\(line): \(key) \(error.reason)")
                }
            } else if let deeper = value.mapping,
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

    /// Why a value cannot be read. Repeats nothing of it, because it may be a secret.
    private struct Fault: Error { let reason: String }

    private static func text(_ node: Node, _ kind: ServerSetting.Kind) throws(Fault) -> String {
        switch node {
        case .scalar(let scalar): return try text(scalar, kind)
        case .sequence(let items):
            guard case .list = kind else { break }
            var texts: [String] = []
            for item in items {
                guard let scalar = item.scalar else {
                    throw Fault(reason: "must be a list of single values")
                }
                texts.append(try text(scalar, .text))
            }
            return texts.joined(separator: ",")
        case .mapping, .alias: break
        }
        throw Fault(reason: "must be a single value")
    }

    /// The text as it was written. YAML has several ways to write a number, a Boolean, nothing, or
    /// a date without quotes, such as 0123, 1e5, off, or ~. An operator who writes a password means its
    /// characters, and nobody sees what became of them.
    private static func text(_ scalar: Node.Scalar, _ kind: ServerSetting.Kind) throws(Fault)
        -> String
    {
        guard scalar.style == .plain || scalar.style == .any else { return scalar.string }
        let meant: (text: String, what: String)? =
            switch Node.scalar(scalar).any {
            case is String: nil
            case let flag as Bool: (flag ? "true" : "false", "true or false")
            case let number as Int: (String(number), "a number")
            case let number as Double: (String(number), "a number")
            case is NSNull: ("", "nothing")
            default: ("", "a date")
            }
        guard let meant, meant.text != scalar.string else { return scalar.string }
        if case .flag = kind, meant.what == "true or false" { return meant.text }
        throw Fault(
            reason:
                "is not in quotes, and YAML reads it as \(meant.what); put it in quotes to keep its characters"
        )
    }
}
