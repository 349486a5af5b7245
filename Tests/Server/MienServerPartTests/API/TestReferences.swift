import Foundation
import MienTesting

/// The tests that a page cites as evidence: `` `Suite` ``, `` `Suite.function` ``, or a suite
/// followed by the sentence that names a function.
struct TestReferences {
    static let repository = Repository.root

    /// The source of each suite, including its extensions.
    private let suites: [String: String]

    init() throws {
        let folder = Self.repository.appending(path: "Tests")
        var suites: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where path.hasSuffix(".swift") {
            // swift-format may break the line before a long name.
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
                .replacing(/func\s+`/, with: "func `")
            for match in text.matches(of: /(?:struct|extension) (\w+(?:Tests|Contract))\b/) {
                suites[String(match.1), default: ""] += text
            }
        }
        self.suites = suites
    }

    /// - Returns: The number of tests that `text` cites, and those that do not exist.
    func check(_ text: String) -> (named: Int, missing: [String]) {
        var named = 0, missing: [String] = []
        for match in text.matches(of: /`([A-Z]\w+(?:Tests|Contract))(?:\.(\w+))?`((?:,? “[^”]+”)*)/)
        {
            named += 1
            let suite = String(match.1)
            guard let source = suites[suite] else {
                missing.append(suite)
                continue
            }
            if let function = match.2,
                source.firstMatch(of: try! Regex("func \(function)\\b")) == nil
            {
                missing.append("\(suite).\(function)")
            }
            for sentence in match.3.matches(of: /“([^”]+)”/)
            where !source.contains("func `\(sentence.1)`") {
                missing.append("\(suite) “\(sentence.1)”")
            }
        }
        return (named, missing)
    }

    /// Returns links from a page in docs/ to files that do not exist.
    static func brokenLinks(in text: String) -> [String] {
        text.matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/).map { String($0.1) }
            .filter {
                !FileManager.default.fileExists(
                    atPath: repository.appending(path: "docs").appending(path: $0).path)
            }
    }

    static func page(_ name: String) throws -> String {
        try String(
            contentsOf: repository.appending(path: "docs").appending(path: name), encoding: .utf8)
    }
}
