import MienAPI
import MienClient

/// Sends a file of people in parts, two at a time, so that the server reads one while it writes the
/// other. Memory is bounded by the parts, and by the names that have been seen.
struct UserImportUpload {
    /// A line that is wrong.
    struct Fault: Sendable, Hashable, Encodable {
        /// Counted from 1 in the file.
        let line: Int
        let field: String?
        let message: String
    }

    struct Result {
        var answer = UserImportAnswer()
        var faults: [Fault] = []
    }

    /// Records for one request.
    struct Part: Sendable {
        var bytes: [UInt8]
        /// The line of the file on which the record at each line of the request begins.
        var lines: [Int: Int] = [:]
        fileprivate var nextLine: Int

        fileprivate init(header: [UInt8]) {
            bytes = header
            nextLine = 1 + header.count { $0 == UInt8(ascii: "\n") }
        }

        fileprivate mutating func add(_ record: [UInt8], from line: Int) {
            lines[nextLine] = line
            bytes += record + [UInt8(ascii: "\n")]
            nextLine += 1 + record.count { $0 == UInt8(ascii: "\n") }
        }
    }

    /// The maximum number of parts that are on their way.
    private static let together = 2
    private static let maxPartBytes = PeopleRecords.maxRequestBytes - PeopleRecords.maxBytes - 1024

    let format: PeopleRecords.Format
    /// Whether all lines are checked. Otherwise, the first part with a wrong line ends the import.
    let isDryRun: Bool
    /// Imports a part.
    let send: @Sendable (Part) async throws -> UserImportAnswer

    /// - Parameter read: Returns more of the file; nothing at its end.
    func run(_ read: () throws -> [UInt8]) async throws -> Result {
        var reading = Reading(format)
        return try await withThrowingTaskGroup(of: Result.self) { group in
            var result = Result(), sending = 0, isOver = false
            while !isOver {
                let bytes = try read()
                isOver = bytes.isEmpty
                for part in isOver ? reading.finish() : reading.read(bytes) {
                    while sending >= Self.together, let next = try await group.next() {
                        sending -= 1
                        result.add(next)
                    }
                    guard isDryRun || (result.faults.isEmpty && reading.faults.isEmpty) else {
                        isOver = true
                        break
                    }
                    sending += 1
                    group.addTask { [self] in try await outcome(of: part) }
                }
            }
            for try await next in group { result.add(next) }
            result.faults += reading.faults
            result.faults.sort { $0.line < $1.line }
            return result
        }
    }

    private func outcome(of part: Part) async throws -> Result {
        do { return Result(answer: try await send(part)) } catch let error as MienError {
            let faults = error.fields.compactMap { Self.fault($0, part) }
            guard !faults.isEmpty else { throw error }
            return Result(faults: faults)
        }
    }

    /// Names the line of the file for `lines[12].email`.
    private static func fault(_ error: Problem.FieldError, _ part: Part) -> Fault? {
        guard error.field.hasPrefix("lines["), let end = error.field.firstIndex(of: "]"),
            let line = Int(error.field[..<end].dropFirst("lines[".count))
        else { return nil }
        let field = error.field[end...].dropFirst(2)
        return Fault(
            line: part.lines[line] ?? 1, field: field.isEmpty ? nil : String(field),
            message: error.message)
    }

    /// The file while it is read.
    private struct Reading {
        private var records: PeopleRecords
        private var header: [UInt8]?
        private var columns: ImportColumns?
        private var part: Part?
        /// The lines on which names were seen.
        private var names: [String: Int] = [:]
        private(set) var faults: [Fault] = []

        init(_ format: PeopleRecords.Format) {
            records = PeopleRecords(format)
            if format == .jsonLines { header = [] }
        }

        mutating func read(_ bytes: [UInt8]) -> [Part] { parts(of: records.read(bytes)) }

        mutating func finish() -> [Part] {
            parts(of: records.finish()) + [part].compactMap(\.self)
        }

        private mutating func parts(of records: [PeopleRecords.Record]) -> [Part] {
            var full: [Part] = []
            for record in records {
                guard let bytes = record.bytes else {
                    add(.tooLong, on: record.line)
                    continue
                }
                guard let header else {
                    begin(header: bytes, on: record.line)
                    continue
                }
                guard isNew(bytes, on: record.line) else { continue }
                if let part,
                    part.lines.count == PeopleRecords.maxRecords
                        || part.bytes.count + bytes.count > UserImportUpload.maxPartBytes
                {
                    full.append(part)
                    self.part = nil
                }
                if part == nil { part = Part(header: header) }
                part?.add(bytes, from: record.line)
            }
            return full
        }

        private mutating func begin(header bytes: [UInt8], on line: Int) {
            header = bytes + [UInt8(ascii: "\n")]
            do throws(ImportFault) { columns = try ImportColumns(CSVRow(bytes)) } catch {
                add(error, on: line)
            }
        }

        /// Whether no earlier line has one of the person's names. The server compares the lines of a
        /// part; this compares those of the file.
        private mutating func isNew(_ bytes: [UInt8], on line: Int) -> Bool {
            guard let person = person(bytes) else { return true }
            for name in person.names {
                if let other = names.updateValue(line, forKey: name.identifier), other != line {
                    add(ImportFault(name.kind.rawValue, "is also on line \(other)"), on: line)
                    return false
                }
            }
            return true
        }

        /// - Returns: `nil` for a record that is wrong, of which the server says what.
        private func person(_ bytes: [UInt8]) -> ImportedPerson? {
            if records.format == .jsonLines { return try? ImportedPerson(json: bytes) }
            guard let columns, let row = try? CSVRow(bytes) else { return nil }
            return try? ImportedPerson(row, header: columns)
        }

        private mutating func add(_ fault: ImportFault, on line: Int) {
            faults.append(Fault(line: line, field: fault.field, message: fault.message))
        }
    }
}

extension UserImportUpload.Result {
    fileprivate mutating func add(_ other: Self) {
        answer += other.answer
        faults += other.faults
    }
}
