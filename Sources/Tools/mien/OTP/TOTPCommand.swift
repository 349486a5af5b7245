import ArgumentParser
import Foundation
import MienCore
import MienKeys
import MienTools

/// `mien otp totp`
struct TOTPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "totp", abstract: "Compute or check a time-based code (RFC 6238).",
        discussion: """
            With --check, codes up to --skew steps before and after are accepted, too. Exits with 0 if \
            the code is right, 1 if not.

            EXAMPLE
              mien otp totp --secret-file token.txt
              mien otp totp --secret-file token.txt --check 287082 --time 59
            """)

    @OptionGroup var secret: SecretOptions
    @OptionGroup var code: CodeOptions
    @OptionGroup var moment: MomentOptions
    @Option(
        help: ArgumentHelp(
            "How long a code lasts, 1 to 86400 seconds (default: the URI's, or 30).", valueName: "s"
        )) var step: Int?
    @Option(help: ArgumentHelp("When counting starts, in seconds since 1970.", valueName: "s"))
    var epoch: Int64 = 0
    @Option(help: ArgumentHelp("A code to check.", valueName: "code"), transform: CodeOptions.typed)
    var check: OneTimeCode?
    @Option(
        help: ArgumentHelp("Steps before and after that are accepted, 0 to 10.", valueName: "n"))
    var skew = 1
    @OptionGroup var output: OutputOptions

    func run() throws {
        var verifier = try TOTPVerifier(skew: skew)
        // Before the secret is read, so that a wrong option is reported at once.
        _ = try format(nil)
        let (secret, uri) = try secret.read(), now = moment.instant
        let totp = try format(uri)
        if let check {
            return try CodeAnswer.report(
                verifier.verify(check, totp, with: secret, at: now), output)
        }
        let code = try totp.code(at: now, with: secret)
        CodeAnswer.print(
            .init(
                code: code.text, step: totp.step(at: now), secondsLeft: totp.secondsLeft(at: now)),
            output)
    }

    private func format(_ uri: KeyURI?) throws(OTPError) -> TOTP {
        let stated: TOTP?
        switch uri?.kind {
        case .totp(let totp)?: stated = totp
        case .hotp?:
            throw OTPError(.secret, "the URI is that of a counter token: use mien otp hotp")
        case nil: stated = nil
        }
        let hotp = try code.hotp(stated?.hotp)
        return try TOTP(
            digits: hotp.digits, hash: hotp.hash, stepSeconds: step ?? stated?.stepSeconds ?? 30,
            epoch: epoch)
    }
}

/// The time of a code.
struct MomentOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The time, in seconds since 1970 (default: now).", valueName: "s"))
    var time: Int64?

    var instant: Instant {
        time.map { Instant(seconds: $0) }
            ?? Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
