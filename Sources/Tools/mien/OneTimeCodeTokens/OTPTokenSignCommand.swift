import ArgumentParser
import MienDevice
import MienDeviceLinux
import MienKeys
import MienTools

/// `mien token sign`
struct OTPTokenSignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Show a transaction, and sign it with the PIN or a face.",
        discussion: """
            The challenge is the twelve digits that a service shows, or the transaction_challenge of \
            a journey. --data names each field of the transaction. Everything that is signed is shown \
            first, on standard error; compare it with what you want to approve. The PIN, or with \
            --name a face, approves it (see mien token code). With --number, a CAP token signs up to \
            seven numbers instead, in their order.

            EXAMPLE
              mien token sign --challenge 000691234568 --data account=CH9300762011623852957 --data amount=120.50 --data currency=CHF
              mien token sign --number 1000 --number 3101234567
            """)

    @OptionGroup var token: OTPTokenOptions
    @Option(help: "The challenge of the transaction.") var challenge: String?
    @Option(
        help: ArgumentHelp("A field of the transaction. Repeatable.", valueName: "name=value"),
        transform: field)
    var data: [Field] = []
    @Option(
        help: ArgumentHelp(
            "A number that a CAP token signs, 1 to 10 digits. Repeatable.", valueName: "number"))
    var number: [String] = []
    @OptionGroup var look: LookOptions
    @OptionGroup var output: OutputOptions

    struct Field: Sendable {
        let name, value: String
    }

    func validate() throws {
        guard (challenge == nil) != number.isEmpty else {
            throw ValidationError("name either --challenge or --number")
        }
        guard data.isEmpty || challenge != nil else {
            throw ValidationError("--data needs --challenge")
        }
    }

    func run() async throws {
        let vault = try DeviceTokens.vault(), found = try await token.find(in: vault)
        let response =
            if let challenge {
                try await sign(transaction(challenge), found, vault)
            } else { try await signNumbers(found, vault) }
        if output.json {
            JSON.print(Output(id: found.id, response: response.text))
        } else {
            Terminal.say(response.text)
        }
    }

    private func sign(_ shown: ShownTransaction, _ token: OTPTokenInfo, _ vault: OTPVault)
        async throws -> OneTimeCode
    {
        if !shown.title.isEmpty { Terminal.warn(shown.title) }
        for line in shown.lines { Terminal.warn("  \(line.name): \(line.value)") }
        return try await vault.sign(shown, on: token.id, with: look.tokenInput())
    }

    private func signNumbers(_ token: OTPTokenInfo, _ vault: OTPVault) async throws -> OneTimeCode {
        let question = try CAPQuestion(signing: number)
        try token.requireCard()
        Terminal.warn("Sign these numbers:")
        for (index, number) in number.enumerated() { Terminal.warn("  \(index + 1): \(number)") }
        return try await vault.code(
            of: token.id, answering: question, with: look.tokenInput())
    }

    private func transaction(_ challenge: String) throws -> ShownTransaction {
        var values: [String: String] = [:]
        for field in data {
            guard values.updateValue(field.value, forKey: field.name) == nil else {
                throw ValidationError("--data names \(field.name) twice")
            }
        }
        // Only the challenge of a journey has two parts.
        guard !challenge.contains(".") else {
            return try ShownTransaction(values, challenge: challenge)
        }
        let dynamic = try DynamicChallenge(challenge)
        var fields: [SignaturePrimitive: String] = [:]
        for (name, value) in values {
            guard let primitive = SignaturePrimitive(rawValue: name) else {
                let known = dynamic.template.primitives.map(\.rawValue)
                throw ValidationError(
                    "--data \(name): this transaction has the fields \(known.joined(separator: ", "))"
                )
            }
            fields[primitive] = value
        }
        return try ShownTransaction(dynamic, fields)
    }

    @Sendable private static func field(_ text: String) throws -> Field {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else {
            throw ValidationError("--data must look like amount=120.50, not “\(text)”")
        }
        return Field(name: String(parts[0]), value: String(parts[1]))
    }

    private struct Output: Encodable { let id, response: String }
}
