import ArgumentParser
import MienCore
import MienKeys
import MienTools

/// `mien otp cap`
struct CAPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cap", abstract: "Compute the code of a card's cryptogram (CAP).",
        discussion: """
            Reads the cryptogram (AC, 16 hexadecimal digits) in the same ways as the other commands \
            read a secret. --sign selects mode 2 with transaction data signing. The default mask is \
            that of a token: the low byte of ATC and two bytes of AC. With --card, the mask is the \
            card's own (tag 9F56).

            EXAMPLE
              printf 513C1201B7DB02A0 | mien otp cap --cid 80 --atc 005A --iad 06015603A400000700030000010002 --mask 0000FF000000000003FFFF --card
              mien otp cap --cryptogram-file ac.txt --cid 80 --atc 005A --iad 06015603A4000007 --sign 1000 --sign 3101234567
            """)

    @Option(
        help: ArgumentHelp(
            "A file with AC; “-” is standard input (default: MIEN_OTP_CRYPTOGRAM, else standard input).",
            valueName: "file"))
    var cryptogramFile: String?
    @Option(help: ArgumentHelp("PAN sequence number, 2 digits.", valueName: "hex")) var psn: String?
    @Option(help: ArgumentHelp("Cryptogram information data, 2 digits.", valueName: "hex")) var cid:
        String
    @Option(help: ArgumentHelp("Application transaction counter, 4 digits.", valueName: "hex"))
    var atc: String
    @Option(help: ArgumentHelp("Issuer application data, up to 64 digits.", valueName: "hex"))
    var iad: String
    @Option(help: ArgumentHelp("The bits that form the code (IPB).", valueName: "hex")) var mask:
        String?
    @Flag(help: "The mask is a card's: it begins where the data begins.") var card = false
    @Option(
        help: ArgumentHelp(
            "Issuer authentication flag, 2 digits: with bit 7 (40) PSN counts.", valueName: "hex"))
    var iaf = "00"
    @Option(
        help: ArgumentHelp(
            "A number that is signed, up to 10 digits; up to ten of them.", valueName: "number"))
    var sign: [String] = []
    @OptionGroup var output: OutputOptions

    func run() throws {
        let layout: CAPMask.Layout = card ? .card : .token
        let mask = try mask.map { try CAPMask(hexadecimal: $0, layout: layout) } ?? .standard
        let flags = CAPFlags(rawValue: try Self.byte(iaf, "--iaf"))
        let psn = try psn.map { try Self.byte($0, "--psn") }, cid = try Self.byte(cid, "--cid"),
            atc = try Self.bytes(atc, "--atc", count: 2...2)
        let iad = try Self.bytes(iad, "--iad", count: CAPTokenData.issuerDataLengths)
        let typed = try SecretText.read(
            cryptogramFile, variable: "MIEN_OTP_CRYPTOGRAM", readsStandardInput: true)
        guard let cryptogram = typed.use({ Self.hexadecimal($0) }) else {
            throw Failure(
                .badInput, "cap.data", "the cryptogram (AC) is not hexadecimal: 16 of 0-9, A-F")
        }
        let data = try CAPTokenData(
            psn: psn, cid: cid, atc: UInt16(atc[0]) << 8 | UInt16(atc[1]), cryptogram: cryptogram,
            issuerData: iad)
        let token = try CAPToken(
            data.applying(sign.isEmpty ? .identify : .sign(sign)), mask: mask, flags: flags)
        if output.json {
            JSON.print(
                Output(
                    code: token.code.text, paddedCode: token.paddedCode.text, digits: token.digits,
                    bits: mask.bitCount(flags), mask: mask.hexadecimal
                ))
        } else {
            Terminal.say(token.code.text)
        }
    }

    private static func byte(_ text: String, _ option: String) throws -> UInt8 {
        try bytes(text, option, count: 1...1)[0]
    }

    private static func bytes(_ text: String, _ option: String, count: ClosedRange<Int>) throws
        -> [UInt8]
    {
        guard let bytes = hexadecimal(text), count.contains(bytes.count) else {
            let digits =
                count.lowerBound == count.upperBound
                ? "\(2 * count.lowerBound)" : "\(2 * count.lowerBound) to \(2 * count.upperBound)"
            throw ValidationError("\(option) takes \(digits) hexadecimal digits, not “\(text)”")
        }
        return bytes
    }

    private static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }

    private struct Output: Encodable {
        let code, paddedCode: String
        let digits, bits: Int
        let mask: String
    }
}
