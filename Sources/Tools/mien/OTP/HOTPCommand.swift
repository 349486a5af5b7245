import ArgumentParser
import MienKeys
import MienTools

/// `mien otp hotp`
struct HOTPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hotp",
        abstract: "Compute or check a counter-based code (RFC 4226).",
        discussion: """
            With --check, the codes from --counter on are checked, up to --look-ahead codes beyond it. \
            Exits with 0 if the code is right, 1 if not.

            EXAMPLE
              mien otp hotp --secret-file token.txt --counter 7
              mien otp hotp --secret-file token.txt --counter 7 --check 162583
            """)

    @OptionGroup var secret: SecretOptions
    @Option(
        help: ArgumentHelp("The counter of the code; the first is 0.", valueName: "n"),
        transform: CodeOptions.counter) var counter: UInt64
    @OptionGroup var code: CodeOptions
    @Option(help: ArgumentHelp("A code to check.", valueName: "code"), transform: CodeOptions.typed)
    var check: OneTimeCode?
    @Option(help: ArgumentHelp("How many codes ahead are accepted, 0 to 100.", valueName: "n"))
    var lookAhead = 0
    @OptionGroup var output: OutputOptions

    func run() throws {
        var verifier = try HOTPVerifier(nextCounter: counter, lookAhead: lookAhead)
        // Before the secret is read, so that a wrong option is reported at once.
        _ = try format(nil)
        let (secret, uri) = try secret.read()
        let hotp = try format(uri)
        guard let check else {
            return CodeAnswer.print(
                .init(code: hotp.code(at: counter, with: secret).text, counter: counter), output)
        }
        let verdict = verifier.verify(check, hotp, with: secret)
        try CodeAnswer.report(verdict, nextCounter: verifier.nextCounter, output)
    }

    private func format(_ uri: KeyURI?) throws(OTPError) -> HOTP {
        switch uri?.kind {
        case .hotp(let stated, _)?: return try code.hotp(stated)
        case .totp?:
            throw OTPError(.secret, "the URI is that of a time-based token: use mien otp totp")
        case nil: return try code.hotp(nil)
        }
    }
}
