import Foundation
import MienCore
import MienTools

/// Secrets that a person types: on the terminal without echo, otherwise from standard input, one
/// per line.
struct SecretInput {
    private static let maxBytes = 4096

    let isTerminal = isatty(0) == 1
    private var lines: [Substring]?

    /// - Parameter what: what the prompt asks for, such as “PIN”.
    mutating func next(_ what: String) throws -> Sensitive<String> {
        let text = isTerminal ? Self.asked(what) : try line()
        guard let text, !text.isEmpty else {
            throw Failure(
                .badInput, "secret.missing",
                "the \(what) is missing: expected one line on standard input")
        }
        return Sensitive(text)
    }

    /// Reads a new secret. On the terminal, it must be typed twice.
    mutating func new(_ what: String) throws -> Sensitive<String> {
        let first = try next(what)
        guard isTerminal else { return first }
        guard try next("\(what), once more") == first else {
            throw Failure(
                .badInput, "secret.differs", "the two entries differ: nothing was changed")
        }
        return first
    }

    private mutating func line() throws -> String? {
        if lines == nil {
            let bytes = try FileHandle.standardInput.read(upToCount: Self.maxBytes + 1) ?? Data()
            guard bytes.count <= Self.maxBytes, let text = String(validating: bytes, as: UTF8.self)
            else {
                throw Failure(
                    .badInput, "secret.malformed",
                    "standard input must be lines of text, at most \(Self.maxBytes) bytes in total"
                )
            }
            lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        }
        guard let first = lines?.first else { return nil }
        lines?.removeFirst()
        return first.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Reads without echo from the terminal itself.
    private static func asked(_ what: String) -> String? {
        guard let typed = unsafe getpass("\(what): ") else { return nil }
        defer { unsafe explicit_bzero(typed, strlen(typed)) }
        return unsafe String(cString: typed)
    }
}
