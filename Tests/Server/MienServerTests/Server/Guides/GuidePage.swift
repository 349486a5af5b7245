import Foundation
import MienCore
import MienTesting
import Testing

/// A page of `docs/guides`, whose code blocks tests use as a reader would.
struct GuidePage {
    let text: String

    init(_ name: String) throws {
        text = try String(
            contentsOf: Repository.root.appending(path: "docs/guides/\(name).md"), encoding: .utf8)
    }

    /// Returns the code block that begins with "```json NAME".
    func json(_ name: String) throws -> [UInt8] {
        let start = try #require(text.range(of: "```json \(name)\n"), "no block “\(name)”")
        let end = try #require(text.range(of: "```", range: start.upperBound..<text.endIndex))
        return Array(text[start.upperBound..<end.lowerBound].utf8)
    }
}
