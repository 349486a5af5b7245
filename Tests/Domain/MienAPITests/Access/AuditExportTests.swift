import MienAPI
import MienCore
import Testing

@Suite("Exported audit log")
struct AuditExportTests {
    private static func lines(_ count: Int, after start: AuditChain = .start) -> (
        lines: [String], end: AuditChain
    ) {
        var position = start, lines = [AuditExport.header(start)]
        for number in 0..<count {
            let entry = AuditChain.Entry(
                at: Int64(1000 * number), event: "face.registered", actor: "journey",
                account: "usr_\(number)", app: "", detail: #"{"photos":2}"#)
            position = position.appending(entry)!
            lines.append(AuditExport.line(entry, position))
        }
        return (lines + [AuditExport.footer(position)], position)
    }

    private static func verified(_ lines: some Sequence<String>) throws(AuditExport.Fault) -> Int {
        var verifier = AuditExport.Verifier()
        for line in lines { try verifier.take(line.utf8) }
        return try verifier.finish()
    }

    @Test(
        "an unchanged file verifies, from the start of the log or later, and consecutive files join"
    )
    func whole() throws {
        let (first, end) = Self.lines(5), (second, _) = Self.lines(3, after: end)
        #expect(
            try Self.verified(first) == 5 && Self.verified(second) == 3
                && Self.verified(Self.lines(0).lines) == 0)
        var verifier = AuditExport.Verifier()
        for line in second { try verifier.take(line.utf8) }
        #expect(verifier.start == end && verifier.end?.number == 8)
    }

    @Test(
        "a file with any line removed, repeated, moved, or cut off is rejected")
    func lines() {
        let (lines, _) = Self.lines(4)
        for line in lines.indices {
            var less = lines
            less.remove(at: line)
            #expect(throws: AuditExport.Fault.self, "without line \(line)") {
                try Self.verified(less)
            }
            var more = lines
            more.insert(lines[line], at: line)
            #expect(throws: AuditExport.Fault.self, "twice line \(line)") {
                try Self.verified(more)
            }
            #expect(throws: AuditExport.Fault.self, "up to line \(line)") {
                try Self.verified(lines.prefix(line))
            }
            for other in lines.indices where other != line {
                var swapped = lines
                swapped.swapAt(line, other)
                #expect(throws: AuditExport.Fault.self) { try Self.verified(swapped) }
            }
        }
    }

    @Test("a file with any byte changed is rejected, unless its content is the same")
    func bytes() throws {
        let (lines, _) = Self.lines(2)
        for line in lines.indices {
            for index in lines[line].utf8.indices.enumerated() {
                var bytes = Array(lines[line].utf8)
                bytes[index.offset] ^= 1
                guard (try? JSONText.parse(bytes)) != (try JSONText.parse(lines[line])) else {
                    continue
                }
                var verifier = AuditExport.Verifier()
                #expect(throws: AuditExport.Fault.self, "line \(line), byte \(index.offset)") {
                    for (number, text) in lines.enumerated() {
                        try verifier.take(number == line ? bytes : Array(text.utf8))
                    }
                    _ = try verifier.finish()
                }
            }
        }
    }
}
