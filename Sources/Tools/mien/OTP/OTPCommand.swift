import ArgumentParser

/// `mien otp …`
struct OTPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "otp",
        abstract: "Compute and check one-time codes, including those of payment cards.",
        discussion: """
            Secrets come from a file, from MIEN_OTP_SECRET, or from standard input, in base32 unless \
            --hex is given. They never come from the command line, which other users of this machine \
            can read.

            EXAMPLE
              mien otp totp --secret-file token.txt
              pass show token | mien otp hotp --counter 7
              mien otp ocra --secret-file token.txt --suite OCRA-1:HOTP-SHA256-8:QN08 --question 12345678
              mien otp check-challenge 00105
            """,
        subcommands: [
            HOTPCommand.self, TOTPCommand.self, OCRACommand.self, CAPCommand.self,
            CheckChallengeCommand.self,
        ])
}
