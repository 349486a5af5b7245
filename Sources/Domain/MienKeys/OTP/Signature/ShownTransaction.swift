internal import Crypto
internal import Foundation
internal import MienCore

/// A transaction as a device shows it to its owner, and the only way to its signature: what is
/// signed is derived from the lines that are shown, so nothing else can be signed.
///
///     let shown = try ShownTransaction(approvalData, challenge: step.transactionChallenge)
///     for line in shown.lines { show(line.name, line.value) }
///     let response = try await vault.sign(shown, on: token.id, with: .pin(PINInput(typed)))
public struct ShownTransaction: Sendable, Hashable {
    public struct Line: Sendable, Hashable {
        public let name, value: String
    }

    /// The suite of signatures: the question is a SHA-256.
    public static let suite = "OCRA-1:HOTP-SHA256-8:QH64"
    private static let maxLines = 10, maxBytes = 1024

    /// The action that the owner approves; empty if the server gave no title.
    public let title: String
    /// The lines to show, in order. All of them are signed.
    public let lines: [Line]
    /// The signed text.
    private let text: String

    /// Shows the data of a server's `otpTransactionSigning` step.
    ///
    /// - Parameter challenge: The step's `transaction_challenge`. Its second part is the hash of the
    ///   data, and it is computed again from what is shown.
    /// - Throws: ``OTPError`` `.challenge` if it is the challenge of other data; `.field` for data
    ///   that cannot be shown.
    public init(_ approvalData: [String: String], challenge: String) throws(OTPError) {
        guard (1...Self.maxLines).contains(approvalData.count),
            approvalData.allSatisfy({ name, value in
                name.isPrintable && value.isPrintable && !name.isEmpty
                    && name.utf8.count + value.utf8.count <= Self.maxBytes
            })
        else {
            throw OTPError(
                .field,
                "the data must have 1 to \(Self.maxLines) lines without control characters")
        }
        let signed = JSONText.write(.object(approvalData.mapValues { .string($0) }))
        let parts = challenge.split(separator: ".", omittingEmptySubsequences: false)
        // The first part is nothing but an ID, so that no text of another kind passes for one.
        guard parts.count == 2, Self.isIdentifier(parts[0]),
            parts[1] == Base64URL.encode(SHA256.hash(data: Array(signed.utf8)))
        else {
            throw OTPError(
                .challenge, "The challenge does not match the data shown. Nothing was signed.")
        }
        title = ""
        lines = approvalData.sorted { $0.key < $1.key }.map { Line(name: $0.key, value: $0.value) }
        text = challenge
    }

    /// Shows what the owner typed for a challenge, on a device without a connection. A server that
    /// knows the values computes the same.
    ///
    /// - Parameter values: Exactly the fields of the challenge's template.
    /// - Throws: ``OTPError`` `.field` for a missing, unknown, or malformed field.
    public init(_ challenge: DynamicChallenge, _ values: [SignaturePrimitive: String])
        throws(OTPError)
    {
        let template = challenge.template
        let unknown = SignaturePrimitive.allCases.first {
            values[$0] != nil && !template.primitives.contains($0)
        }
        if let other = unknown {
            throw OTPError(
                .field,
                "template \(template.number) has no \(other.rawValue): \(Self.names(template))"
            )
        }
        var lines: [Line] = []
        for primitive in template.primitives {
            guard let value = values[primitive] else {
                throw OTPError(
                    .field, "\(primitive.rawValue) is missing: \(Self.names(template))")
            }
            lines.append(
                Line(name: primitive.rawValue, value: try primitive.canonical(value)))
        }
        (title, self.lines) = (template.title, lines)
        text =
            (["mien/v1/dynamic-signature", challenge.text]
            + lines.map { "\($0.name)=\($0.value)" }).joined(separator: "\n")
    }

    private static func isIdentifier(_ text: Substring) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0))
                    || $0 == "_" || $0 == "-"
            }
    }

    private static func names(_ template: SignatureTemplate) -> String {
        template.primitives.isEmpty
            ? "it has no fields"
            : "its fields are \(template.primitives.map(\.rawValue).joined(separator: ", "))"
    }

    /// Signs the transaction with a CAP token: mode 2 with data signing of the SHA-256 of its text,
    /// as eight numbers.
    ///
    /// - Parameter atc: The next transaction counter, which is used up.
    /// - Throws: ``OTPError`` `.secret` unless `key` has 16 bytes.
    public func response(of cap: CAP, at atc: UInt16, with key: OTPSecret) throws(OTPError)
        -> OneTimeCode
    {
        try cap.code(capMode, at: atc, with: key)
    }

    /// The mode in which a CAP token signs the transaction, for its verifier.
    package var capMode: CAPMode { .signing(text) }

    /// Signs the transaction: the OCRA response to the SHA-256 of its text.
    public func response(with secret: OTPSecret) throws(OTPError) -> OneTimeCode {
        let suite = try OCRASuite(Self.suite)
        let question = SHA256.hash(data: Data(text.utf8)).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }.joined()
        return try OCRA(suite).response(
            to: OCRAInput(question: OCRAQuestion(question, for: suite)), with: secret)
    }
}
