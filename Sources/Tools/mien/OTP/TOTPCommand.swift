import ArgumentParser
import Foundation
import MienCommandSupport
import MienCore
import MienOTP

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
    @Option(help: ArgumentHelp("How long a code lasts, 1 to 86400 seconds.", valueName: "s"))
    var step =
        30
    @Option(help: ArgumentHelp("When counting starts, in seconds since 1970.", valueName: "s"))
    var epoch: Int64 = 0
    @Option(help: ArgumentHelp("A code to check.", valueName: "code"), transform: CodeOptions.typed)
    var check: OneTimeCode?
    @Option(
        help: ArgumentHelp("Steps before and after that are accepted, 0 to 10.", valueName: "n"))
    var skew = 1
    @OptionGroup var output: OutputOptions

    func run() throws {
        let totp = try TOTP(digits: code.digits, hash: code.hash, stepSeconds: step, epoch: epoch)
        var verifier = try TOTPVerifier(skew: skew)
        let secret = try secret.secret(), now = moment.instant
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
