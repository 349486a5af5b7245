import Foundation
import MienClient
import MienCore
import MienTools

/// Text output of the admin commands.
enum AdminOutput {
    /// Formats an object's properties, one per line. Properties without a value are left out.
    static func sheet(_ rows: [(String, String?)]) {
        print(Terminal.table(rows.compactMap { name, value in value.map { [name, $0] } }))
    }

    /// `2026-01-31T12:00:00Z`
    static func time(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds / 1000)).formatted(.iso8601)
    }

    /// `plan=gold, verified=true`
    static func members(_ values: [String: JSONValue]) -> String? {
        guard !values.isEmpty else { return nil }
        return values.sorted { $0.key < $1.key }.map {
            "\($0.key)=\($0.value.stringValue ?? JSONText.write($0.value))"
        }.joined(separator: ", ")
    }
}

extension OutputOptions {
    /// Says what was done: `names` in JSON, or else `text`.
    func tell(_ names: [String: String], _ text: String) {
        if json { JSON.print(names) } else { print(text) }
    }
}
