import Foundation
import MienAPI
import MienCore

/// Makes text that is expensive to normalize, up to 32 KiB, and passes it to everything that reads
/// text from strangers.
///
/// Bytes come in pairs: a kind of character, and how many. Must hold: accepted text has no long run
/// of combining marks, and nothing takes longer than a second of processor time. Comparing 32 KiB
/// of marks without this limit takes three times as long.
func fuzzText(_ bytes: [UInt8]) {
    let text = made(from: bytes)
    // The same text is accepted in several places, but used once.
    var accepted: [[UInt8]: String] = [:]
    func accept(_ text: String) { accepted[Array(text.utf8)] = text }
    within(seconds: 1) {
        for json in [
            "{\"\(text)\": 1}", "\"\(text)\"", "{\"a\": {\"\(text)\": \"\(text)\", \"b\": []}}",
        ] {
            if let value = try? JSONText.parse(json) { check(value, accept) }
        }
    }
    within(seconds: 1) {
        let encoded = PercentEncoding.encode(text)
        for form in ["\(text)=1", "a=\(text)", "\(encoded)=1&b=2", "a=\(encoded)"] {
            for pair in (try? FormFields(parsing: form))?.pairs ?? [] {
                precondition(pair.name.utf8.count <= FormFields.maxNameBytes)
                accept(pair.name)
                accept(pair.value)
            }
        }
    }
    within(seconds: 1) {
        for name in LoginName.candidates(text) { accept(name.normal) }
        for kind in LoginName.Kind.allCases { _ = try? LoginName(text, kind: kind) }
        _ = PasswordPolicy.standard.fault(of: text, names: [String(text.unicodeScalars.prefix(64))])
    }
    within(seconds: 1) { for text in accepted.values { use(text) } }
}

/// Marks of several classes, letters they combine with, and characters with special rules: Hangul,
/// emoji, flags, Indic, compatibility forms.
private let characters: [Unicode.Scalar] = [
    "\u{301}", "\u{316}", "\u{334}", "\u{345}", "\u{344}", "\u{F73}", "\u{F81}", "\u{1D165}",
    "\u{3099}", "\u{FF9E}", "a", "e", "\u{E9}", "\u{1EA5}",
    "\u{212A}", "\u{37E}", "\u{1100}", "\u{1161}", "\u{11A8}", "\u{AC00}", "\u{1F1E6}", "\u{1F468}",
    "\u{200D}", "\u{FE0F}", "\u{915}", "\u{94D}",
    "\u{9BE}",
    "\u{FDFA}", "\u{FB2C}", "&", "=", " ",
]

private func made(from bytes: [UInt8]) -> String {
    var text = "", order = 0
    for pair in stride(from: 0, to: bytes.count - 1, by: 2) where text.utf8.count < 32_768 {
        // The top bits are the number of characters that alternate; the rest is the first of them.
        let turns = Int(bytes[pair] >> 5) + 1, first = Int(bytes[pair] & 31)
        for _ in 0..<(1 << Int(bytes[pair + 1] % 15)) where text.utf8.count < 32_768 {
            text.unicodeScalars.append(characters[(first + order % turns) % characters.count])
            order += 1
        }
    }
    return text
}

private func check(_ value: JSONValue, _ accept: (String) -> Void) {
    switch value {
    case .string(let text): accept(text)
    case .object(let members):
        for (key, member) in members {
            precondition(
                key.utf8.count <= JSONText.Limits.standardKeyBytes && !key.hasASCIIEquivalents)
            accept(key)
            check(member, accept)
        }
    default: break
    }
}

/// Performs the operations of a server on accepted text.
private func use(_ text: String) {
    precondition(text.isStreamSafe)
    var hasher = Hasher()
    hasher.combine(text)
    _ = hasher.finalize()
    precondition(text != "application/json")
    _ = text == String(String.UnicodeScalarView(text.unicodeScalars.reversed()))
    precondition(
        text.lowercased().utf8.count <= 3 * text.utf8.count
            && text.count <= text.unicodeScalars.count)
    _ = text.precomposedStringWithCompatibilityMapping
}

private func within(seconds: Double, _ work: () -> Void) {
    let began = clock()
    work()
    // POSIX counts millionths of a second.
    let taken = Double(clock() - began) / 1e6
    precondition(taken < seconds, "it took \(taken) s")
}
