import ArgumentParser
import Foundation
import MienCore
import MienDevice
import MienDeviceLinux
import MienKeys
import MienTools
import MienVault

/// The source of a secret. Never an argument, because every user of the machine can read those.
struct SecretOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with the secret, or its otpauth URI; “-” is standard input (default: MIEN_OTP_SECRET, else standard input).",
            valueName: "file"))
    var secretFile: String?

    @Flag(help: "The secret is hexadecimal, not base32.")
    var hex = false

    func secret() throws -> OTPSecret { try read().secret }

    /// - Returns: The secret, and the `otpauth` URI that it came in, if it came in one.
    func read() throws -> (secret: OTPSecret, uri: KeyURI?) {
        let text = try SecretText.read(
            secretFile, variable: "MIEN_OTP_SECRET", readsStandardInput: true)
        return try text.use { text in
            if KeyURI.isMeant(by: text) {
                let uri = try KeyURI(parsing: text)
                return (uri.secret, uri)
            }
            guard !hex else { return (try OTPSecret(hexadecimal: text), nil) }
            if OTPSecret.looksHexadecimal(text) {
                Terminal.warn(
                    "mien: the secret is read as base32, but looks hexadecimal; if it is, add --hex"
                )
            }
            return (try OTPSecret(base32: text), nil)
        }
    }
}

enum SecretText {
    private static let maxBytes = 4096

    /// Hardens the process, reads one line, and removes the white space around it.
    ///
    /// - Parameters:
    ///   - file: `-` for standard input; `nil` to use the variable, or else standard input.
    ///   - variable: the name of an environment variable.
    static func read(_ file: String?, variable: String, readsStandardInput: Bool) throws
        -> Sensitive<String>
    {
        ProcessIntegrity.harden()
        if let file, file != "-" { return try line(contents(file), from: file) }
        if file == nil, let value = ProcessInfo.processInfo.environment[variable], !value.isEmpty {
            return try line(Array(value.utf8), from: variable)
        }
        guard file == "-" || readsStandardInput else {
            throw Failure(
                .badInput, "secret.missing", "no secret was given: name a file, or set \(variable)")
        }
        let bytes = try FileHandle.standardInput.read(upToCount: maxBytes + 1) ?? Data()
        return try line(Array(bytes), from: "standard input")
    }

    private static func contents(_ file: String) throws -> [UInt8] {
        let files = POSIXFileSystem(), found: FileContents?
        do { found = try files.read(file, atMost: maxBytes + 1) } catch { throw Failure(error) }
        guard let found else {
            throw Failure(
                .badInput, "file.not-found", "\(file) does not exist; check the path")
        }
        guard found.isRegular else {
            throw Failure(
                .badInput, "file.not-regular",
                "\(file) is not a regular file; use “-” for standard input")
        }
        guard found.mode & 0o077 == 0 else {
            let mode = String(found.mode, radix: 8)
            throw Failure(
                .notSetUp, "secret.mode",
                "\(file) has mode 0\(mode), so other users can use the secret. Run: chmod 600 \(file)"
            )
        }
        return found.bytes
    }

    private static func line(_ bytes: [UInt8], from source: String) throws -> Sensitive<String> {
        guard bytes.count <= maxBytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(
                .badInput, "secret.malformed",
                "\(source) has no valid secret: expected one line of text of at most \(maxBytes) bytes"
            )
        }
        let line = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !line.isEmpty else {
            throw Failure(
                .badInput, "secret.missing", "\(source) is empty: expected the secret")
        }
        return Sensitive(line)
    }
}

/// The format of a code. An option counts more than the parameter of an `otpauth` URI.
struct CodeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Digits of the code, 6 to 10 (default: the URI's, or 6).", valueName: "n"))
    var digits: Int?
    @Option(
        help: ArgumentHelp(
            "The hash function: sha1, sha256 or sha512 (default: the URI's, or sha1).",
            valueName: "name"),
        transform: Self.hash) var hash: OTPHash?

    func hotp(_ stated: HOTP?) throws(OTPError) -> HOTP {
        try HOTP(digits: digits ?? stated?.digits ?? 6, hash: hash ?? stated?.hash ?? .sha1)
    }

    @Sendable static func counter(_ text: String) throws -> UInt64 {
        guard let counter = UInt64(text) else {
            throw ValidationError("--counter must be 0 to \(UInt64.max), not “\(text)”")
        }
        return counter
    }

    @Sendable static func hash(_ text: String) throws -> OTPHash {
        guard let hash = OTPHash(rawValue: text.uppercased()) else {
            throw ValidationError("--hash must be sha1, sha256, or sha512, not “\(text)”")
        }
        return hash
    }

    /// A code to check. Unlike the secret, it may come from the command line, because it is
    /// short-lived and single-use.
    static func typed(_ text: String) throws -> OneTimeCode {
        guard let code = OneTimeCode(typed: text) else {
            throw ValidationError("--check must be a code: digits, with or without spaces")
        }
        return code
    }
}

/// Results that several commands print.
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

    /// - Throws: ``Outcome`` `.noMatch` when the code is refused.
    static func report(_ verdict: CodeVerdict, nextCounter: UInt64? = nil, _ output: OutputOptions)
        throws
    {
        var counter: UInt64?
        if case .accepted(let found) = verdict { counter = found }
        if output.json {
            JSON.print(
                Check(
                    valid: verdict.isAccepted, acceptedAt: counter,
                    nextCounter: verdict.isAccepted ? nextCounter : nil))
        } else {
            Terminal.say(
                counter.map {
                    "right, at \($0)" + (nextCounter.map { "; the next counter is \($0)" } ?? "")
                } ?? "not right")
        }
        guard verdict.isAccepted else { throw Outcome.noMatch }
    }
}
