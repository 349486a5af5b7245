import ArgumentParser

/// `mien token …`
struct OTPTokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Manage this device's OTP tokens: sign-in codes, protected by a PIN or a face.",
        discussion: """
            A wrong PIN gives a wrong code, and no command reports it: only the server can tell. PINs \
            and registration codes are requested on the terminal. Without a terminal, they are read \
            from standard input, one per line, in the order that the command names them. No option \
            accepts one.

            EXAMPLE
              mien token provision --server https://login.example.org
              mien token code
              mien token upgrade && mien token face on --name ada
              mien token code --name ada
            """,
        subcommands: [
            OTPTokenProvisionCommand.self, OTPTokenListCommand.self, OTPTokenCodeCommand.self,
            OTPTokenSignCommand.self, OTPTokenApproveCommand.self, OTPTokenUpgradeCommand.self,
            OTPTokenFaceCommand.self,
            OTPTokenChangePINCommand.self, OTPTokenRemoveCommand.self,
        ])
}
