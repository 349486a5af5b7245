import Foundation
import MienAPI
import MienClient
import MienIdentity

/// Sends a registry's file in parts, two at a time, so that the server seals one while it writes the
/// other.
struct RegistryUpload {
    struct Result {
        var imported = 0
        /// When the first part was imported, by the server's clock in milliseconds; `nil` for a file
        /// without rows.
        var began: Int64?
        var letters = RegistryLetters()
    }

    /// The server refused a row.
    struct Refused: Error {
        /// The line of the file on which it begins, counted from 1.
        let line: Int
        let reason: String
    }

    private typealias Group = ThrowingTaskGroup<(Int, RegistryImportAnswer), any Error>

    /// The maximum number of parts that are on their way.
    private static let together = 2

    private let encoding: RegistryFile.Encoding
    private let send: @Sendable (RegistryParts.Part) async throws -> RegistryImportAnswer

    init(_ admin: MienAdmin, _ encoding: RegistryFile.Encoding) {
        self.init(encoding) { try await admin.importPeople($0.bytes) }
    }

    /// - Parameter send: Imports a part.
    init(
        _ encoding: RegistryFile.Encoding = .unicode,
        _ send: @escaping @Sendable (RegistryParts.Part) async throws -> RegistryImportAnswer
    ) {
        (self.encoding, self.send) = (encoding, send)
    }

    /// - Parameter read: Returns more of the file; nothing at its end.
    /// - Throws: `RegistryFileError`, ``Refused``, or `MienError`. Parts that were on their way may
    ///   then be imported.
    func send(_ read: () throws -> Data) async throws -> Result {
        try await withThrowingTaskGroup { (group: inout Group) in
            var parts = RegistryParts(encoding), sending = Sending()
            while true {
                let bytes = try read()
                let next = bytes.isEmpty ? try parts.finish() : try parts.read(bytes)
                for part in next {
                    while sending.mustWait(for: part), let (row, answer) = try await group.next() {
                        sending.finished(row, answer)
                    }
                    sending.begin(part)
                    group.addTask { [send] in
                        do { return (part.firstRow, try await send(part)) } catch let error
                            as MienError
                        {
                            throw Self.named(error, part)
                        }
                    }
                }
                if bytes.isEmpty { break }
            }
            for try await (row, answer) in group { sending.finished(row, answer) }
            var result = sending.result
            result.letters = parts.letters
            return result
        }
    }

    /// Names the row of the file that the server refused.
    private static func named(_ error: MienError, _ part: RegistryParts.Part) -> any Error {
        guard let field = error.fields.first, field.field.hasPrefix("rows["),
            let index = Int(field.field.dropFirst(5).dropLast()), part.lines.indices.contains(index)
        else { return error }
        return Refused(line: part.lines[index], reason: field.message)
    }

    /// The parts on their way, by their first rows.
    private struct Sending {
        private var ids: [Int: Set<String>] = [:]
        private(set) var result = Result()

        /// Whether others have to arrive first: a part waits for one with the same person, because
        /// the later row replaces the earlier one.
        func mustWait(for part: RegistryParts.Part) -> Bool {
            ids.count >= RegistryUpload.together
                || ids.values.contains { !$0.isDisjoint(with: part.ids) }
        }

        mutating func begin(_ part: RegistryParts.Part) { ids[part.firstRow] = part.ids }

        mutating func finished(_ row: Int, _ answer: RegistryImportAnswer) {
            ids[row] = nil
            result.imported += answer.imported
            result.began = min(result.began ?? answer.importedAt, answer.importedAt)
        }
    }
}
