import MienAPI
import MienAttestation
import MienCore

/// `mien-test-program text-cost INPUT BYTES …`: reads inputs of about BYTES bytes that are as expensive as their
/// limits allow, and compares the results.
///
/// Run it with scripts/measure-text under callgrind, whose instruction counts are reproducible.
enum Input: String, CaseIterable {
    case longKey = "json-long-key", manyKeys = "json-many-keys", value = "json-value"
    case longName = "form-long-name", manyNames = "form-many-names", query = "query-value"
    case userName = "user-name", cbor = "cbor-text"
    /// A long key without the key limit, for comparison.
    case unbounded = "hash-without-limit"
}

/// A single run of marks that must be sorted. It is always rejected, and the rejection must be
/// cheap.
func run(bytes: Int) -> String { String(repeating: "\u{301}\u{316}", count: bytes / 4) }

/// The same marks in the longest accepted runs.
func accepted(bytes: Int) -> String {
    let part = "a" + String(repeating: "\u{301}\u{316}", count: StreamSafeText.maxMarks / 2)
    return String(repeating: part, count: bytes / part.utf8.count)
}

func percentEncoded(_ text: String) -> String {
    text.utf8.map { "%" + String($0, radix: 16) }.joined()
}

/// Compares and hashes a text as a server does.
func use(_ text: String) -> Int {
    var hasher = Hasher()
    hasher.combine(text)
    let reversed = String(String.UnicodeScalarView(text.unicodeScalars.reversed()))
    return (text == reversed ? 1 : 2) + (text == "application/json" ? 1 : 2)
        + text.lowercased().utf8.count + text.count + hasher.finalize() & 1
}

/// Reads an input. Tests count the instructions of this function, so it is not inlined.
@inline(never) func cost(of input: Input, bytes: Int) -> Int {
    switch input {
    case .longKey: (try? JSONText.parse("{\"\(run(bytes: bytes))\": 1}"))?.size ?? 0
    case .manyKeys:
        (try? JSONText.parse(
            "{"
                + (0..<bytes / 256).map { "\"\($0)\(accepted(bytes: 244))\": 1" }.joined(
                    separator: ",") + "}"))?
            .objectValue.map { members in members.keys.reduce(0) { $0 + use($1) } } ?? 0
    case .value: (try? JSONText.parse("\"\(accepted(bytes: bytes))\""))?.stringValue.map(use) ?? 0
    case .longName: (try? FormFields(parsing: "\(run(bytes: bytes))=1"))?.pairs.count ?? 0
    case .manyNames:
        (try? FormFields(
            parsing: (0..<bytes / 1024).map {
                "\($0)\(accepted(bytes: 122))=\(accepted(bytes: 890))"
            }.joined(separator: "&")))?
            .pairs.reduce(0) { $0 + use($1.name) + use($1.value) } ?? 0
    case .query:
        (try? FormFields(parsing: "state=" + percentEncoded(accepted(bytes: bytes / 3))))?.pairs
            .reduce(0) { $0 + use($1.value) } ?? 0
    case .unbounded: run(bytes: bytes).hashValue & 1
    case .userName:
        LoginName.candidates(run(bytes: bytes)).count
            + LoginName.candidates(accepted(bytes: bytes)).count
    case .cbor:
        (try? CBOR.read(cborText(accepted(bytes: bytes)), form: .general))?.textValue.map(use) ?? 0
    }
}

func cborText(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8), count = UInt16(bytes.count)
    return [0x79, UInt8(count >> 8), UInt8(count & 255)] + bytes
}

func printCosts(_ words: [String]) {
    for index in stride(from: 0, to: words.count, by: 2) {
        guard index + 1 < words.count, let input = Input(rawValue: words[index]),
            let bytes = Int(words[index + 1])
        else {
            fatalError(
                "usage: text-cost (\(Input.allCases.map(\.rawValue).joined(separator: "|")) BYTES)…"
            )
        }
        print(cost(of: input, bytes: bytes))
    }
}
