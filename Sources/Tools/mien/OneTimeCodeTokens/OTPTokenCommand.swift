import ArgumentParser

/// `mien token …`
struct OTPTokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Tokens of this device: codes to sign in with, under a PIN or a face.",
        discussion: """
            A wrong PIN gives a wrong code, and nothing here says so: only the server can tell. PINs and registration codes are asked for on the terminal;
            elsewhere standard input holds them, a line each, in the order the command names them. No option takes one.

            EXAMPLE
              mien token provision --server https://login.example.org
              mien token code
              mien token upgrade && mien token face on --name ada
              mien token code --name ada
            """,
        subcommands: [
            OTPTokenProvisionCommand.self, OTPTokenListCommand.self, OTPTokenCodeCommand.self,
            OTPTokenUpgradeCommand.self, OTPTokenFaceCommand.self,
            OTPTokenChangePINCommand.self, OTPTokenRemoveCommand.self,
        ])
}
