import ArgumentParser
import MienCore
import MienKeys
import MienTools

/// `mien otp ocra`
struct OCRACommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ocra",
        abstract: "Compute or check a response or a transaction signature (RFC 6287).",
        discussion: """
            Give exactly the inputs that the suite requires. A PIN comes from --pin-file or \
            MIEN_OTP_PIN. With --check, exits with 0 if the response is right, 1 if not.

            EXAMPLE
              mien otp ocra --secret-file token.txt --suite OCRA-1:HOTP-SHA256-8:C-QN08-PSHA1 --question 12345678 --counter 0 --pin-file pin.txt
              mien otp ocra --secret-file token.txt --suite OCRA-1:HOTP-SHA512-8:QA10-T1M --question SIG1000000
            """)

    @OptionGroup var secret: SecretOptions
    @Option(
        help: ArgumentHelp(
            "The suite, which defines inputs and output, such as OCRA-1:HOTP-SHA1-6:QN08.",
            valueName: "suite"))
    var suite: String
    @Option(
        help: ArgumentHelp(
            "The challenge. If both parties have one, give the other party's first.",
            valueName: "text"))
    var question: [String]
    @Option(
        help: ArgumentHelp("For suites with C.", valueName: "n"), transform: CodeOptions.counter)
    var counter: UInt64?
    @Option(help: ArgumentHelp("For suites with P: a file with the PIN.", valueName: "file"))
    var pinFile: String?
    @Option(help: ArgumentHelp("For suites with S: session data, as text.", valueName: "text"))
    var session: String?
    @OptionGroup var moment: MomentOptions
    @Option(
        help: ArgumentHelp("A response to check.", valueName: "code"), transform: CodeOptions.typed)
    var check: OneTimeCode?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...2).contains(question.count) else {
            throw ValidationError("give --question once, or twice if both parties have a challenge")
        }
        guard secret.secretFile != "-" || pinFile != "-" else {
            throw ValidationError("the secret and the PIN cannot both come from standard input")
        }
    }

    func run() throws {
        let suite = try OCRASuite(suite), ocra = OCRA(suite)
        let question = try OCRAQuestion(
            question[0], then: question.count == 2 ? question[1] : nil, for: suite)
        // Without --time, suites without time ignore the clock. With it, they report an error.
        let time = suite.timeStep != nil || moment.time != nil ? moment.instant : nil
        let pin =
            suite.pinHash != nil || pinFile != nil
            ? try SecretText.read(pinFile, variable: "MIEN_OTP_PIN", readsStandardInput: false)
            : nil
        let input = OCRAInput(
            question: question, counter: counter, pin: pin, session: session.map { Array($0.utf8) },
            time: time)
        let response = try ocra.response(to: input, with: secret.secret())
        guard let check else {
            return CodeAnswer.print(
                .init(code: response.text, counter: counter, suite: suite.text), output)
        }
        try CodeAnswer.report(
            check.matches(response) ? .accepted(at: counter ?? 0) : .refused, output)
    }
}
