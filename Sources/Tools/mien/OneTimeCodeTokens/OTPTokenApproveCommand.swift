import ArgumentParser
import Logging
import MienClient
import MienDevice
import MienDeviceLinux
import MienKeys
import MienTools

/// `mien token approve`
struct OTPTokenApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Approve a transaction that another device has started.",
        discussion: """
            The code is the one that the other device shows. Everything that is signed is shown \
            first, on standard error; compare it with what you want to approve. The PIN, or with \
            --name a face, approves it (see mien token code); --decline declines it.

            EXAMPLE
              mien token approve 7K3QF-2M9XA
              mien token approve 7K3QF-2M9XA shop --decline
            """)

    @Argument(help: "The code that the other device shows.") var code: String
    @OptionGroup var token: OTPTokenOptions
    @Flag(help: "Decline the transaction. Asks for no PIN.") var decline = false
    @OptionGroup var look: LookOptions
    @OptionGroup var authorities: AuthorityOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard ApprovalCode(typed: code) != nil else {
            throw ValidationError(
                "the code must have ten letters and digits, such as 7K3QF-2M9XA")
        }
    }

    func run() async throws {
        let vault = try DeviceTokens.vault(), found = try await token.find(in: vault)
        guard let server = found.server else {
            throw Failure(
                .notSetUp, "token.no-server",
                "token \(found.id) names no server to ask: remove it and get a new one")
        }
        let approvals = try OTPApprovals(
            MienOptions(serverPath: server, logLevel: .error, transport: authorities.transport()))
        guard let waiting = try await approvals.transaction(code, for: found.id) else {
            throw Failure(
                .badInput, "token.no-approval",
                "no transaction waits for token \(found.id) under this code. It may have a typing mistake, have been used, or have expired; or it is for another token (mien token list)"
            )
        }
        Terminal.warn("\(waiting.app) asks for approval:")
        for line in waiting.shown.lines { Terminal.warn("  \(line.name): \(line.value)") }
        let isDone: Bool
        if decline {
            isDone = try await approvals.decline(waiting)
        } else {
            let response = try await vault.sign(
                waiting.shown, on: found.id, with: look.tokenInput())
            isDone = try await approvals.approve(waiting, with: response)
        }
        guard isDone else {
            throw Failure(
                .notSetUp, "token.not-approved",
                decline
                    ? "the transaction no longer waits: it was decided or has expired. Look at the device that asked for approval"
                    : "the server refused the signature. If the PIN was wrong, run the command again with the right one; if the transaction has expired, start it again; if the token is locked, wait, or ask an administrator to unlock it"
            )
        }
        if output.json {
            JSON.print(Output(token: found.id, decision: decline ? "declined" : "approved"))
        } else {
            Terminal.say(decline ? "Declined." : "Approved.")
        }
    }

    private struct Output: Encodable { let token, decision: String }
}
