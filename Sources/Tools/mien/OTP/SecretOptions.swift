import ArgumentParser
import Foundation
import MienCore
import MienOTP
import MienVault

/// Where a secret comes from. Not from an argument: every user of the machine can read those.
struct SecretOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with the secret; “-” is standard input (default: MIEN_OTP_SECRET, else standard input).",
            valueName: "file"))
    var secretFile: String?

    @Flag(help: "The secret is hexadecimal, not base32.")
    var hex = false

    func secret() throws -> OTPSecret {
        let text = try SecretText.read(
            secretFile, variable: "MIEN_OTP_SECRET", readsStandardInput: true)
        return try text.use { try hex ? OTPSecret(hexadecimal: $0) : OTPSecret(base32: $0) }
    }
}

enum SecretText {
    private static let maxBytes = 4096

    /// One line, without the white space around it.
    ///
    /// - Parameters:
    ///   - file: `-` for standard input; `nil` to look at the variable, then at standard input.
    ///   - variable: of the environment.
    static func read(_ file: String?, variable: String, readsStandardInput: Bool) throws
        -> Sensitive<String>
    {
        if let file, file != "-" { return try line(contents(file), from: file) }
        if file == nil, let value = ProcessInfo.processInfo.environment[variable], !value.isEmpty {
            return try line(Array(value.utf8), from: variable)
        }
        guard file == "-" || readsStandardInput else {
            throw Failure(
                .badInput, "secret.missing", "there is none: name a file, or set \(variable)")
        }
        let bytes = try FileHandle.standardInput.read(upToCount: maxBytes + 1) ?? Data()
        return try line(Array(bytes), from: "standard input")
    }

    private static func contents(_ file: String) throws -> [UInt8] {
        let files = POSIXFileSystem(), found: FileContents?
        do { found = try files.read(file, atMost: maxBytes + 1) } catch { throw Failure(error) }
        guard let found else {
            throw Failure(
                .badInput, "file.not-found", "\(file): there is no such file; check the path")
        }
        guard found.isRegular else {
            throw Failure(
                .badInput, "file.not-regular",
                "\(file) is not a regular file; “-” is standard input")
        }
        guard found.mode & 0o077 == 0 else {
            let mode = String(found.mode, radix: 8)
            throw Failure(
                .notSetUp, "secret.mode",
                "\(file) has mode 0\(mode), so others than its owner can use the secret. Run: chmod 600 \(file)"
            )
        }
        return found.bytes
    }

    private static func line(_ bytes: [UInt8], from place: String) throws -> Sensitive<String> {
        guard bytes.count <= maxBytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(
                .badInput, "secret.malformed",
                "\(place) holds no secret: one line of text, at most \(maxBytes) bytes, is expected"
            )
        }
        let line = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !line.isEmpty else {
            throw Failure(
                .badInput, "secret.missing", "\(place) is empty: the secret is expected there")
        }
        return Sensitive(line)
    }
}

/// What a code looks like.
struct CodeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Digits of the code, 6 to 10.", valueName: "n")) var digits = 6
    @Option(
        help: ArgumentHelp("The hash function: sha1, sha256 or sha512.", valueName: "name"),
        transform: Self.hash) var hash = OTPHash.sha1

    @Sendable static func hash(_ text: String) throws -> OTPHash {
        guard let hash = OTPHash(rawValue: text.uppercased()) else {
            throw ValidationError("--hash is sha1, sha256 or sha512, not “\(text)”")
        }
        return hash
    }

    /// A code to check, from the command line: it is good once and short-lived, unlike what it was
    /// made with.
    static func typed(_ text: String) throws -> OneTimeCode {
        guard let code = OneTimeCode(typed: text) else {
            throw ValidationError("--check takes a code: digits, with spaces between them or not")
        }
        return code
    }
}

/// Answers that several of the commands give.
enum CodeAnswer {
    struct Code: Encodable {
        let code: String
        var counter, step: UInt64?
        var secondsLeft: Int?
        var suite: String?
    }

    private struct Check: Encodable {
        let valid: Bool
        let acceptedAt, nextCounter: UInt64?
    }

    static func print(_ code: Code, _ output: OutputOptions) {
        output.json ? JSON.print(code) : Terminal.say(code.code)
    }

    /// - Throws: ``Outcome`` `.noMatch` for a refusal.
    static func report(_ verdict: CodeVerdict, nextCounter: UInt64? = nil, _ output: OutputOptions)
        throws
    {
        var place: UInt64?
        if case .accepted(let found) = verdict { place = found }
        if output.json {
            JSON.print(
                Check(
                    valid: verdict.isAccepted, acceptedAt: place,
                    nextCounter: verdict.isAccepted ? nextCounter : nil))
        } else {
            Terminal.say(
                place.map {
                    "right, at \($0)" + (nextCounter.map { "; the next counter is \($0)" } ?? "")
                } ?? "not right")
        }
        guard verdict.isAccepted else { throw Outcome.noMatch }
    }
}
