internal import Crypto
internal import Foundation

/// A question that a service asks a CAP token, as its owner types it: a number to answer, or numbers
/// to sign.
///
/// Eight numbers are reserved for the signatures of a ``ShownTransaction``, so that nobody can be
/// asked to type numbers that approve another transaction.
public struct CAPQuestion: Sendable, Hashable {
    public static let maxNumbers = 7

    /// ``CAPMode/challenge(_:)`` or ``CAPMode/sign(_:)``.
    public let mode: CAPMode

    /// - Parameter challenge: 1 to 8 digits. Not zero, which gives the code of a sign-in.
    /// - Throws: ``OTPError`` `.transaction`.
    public init(challenge: String) throws(OTPError) {
        let mode = CAPMode.challenge(challenge)
        guard try mode.unpredictableNumber().contains(where: { $0 != 0 }) else {
            throw OTPError(
                .transaction, "a challenge must not be zero, because its answer would sign in")
        }
        self.mode = mode
    }

    /// - Parameter numbers: 1 to 7 numbers of 1 to 10 digits, in order.
    /// - Throws: ``OTPError`` `.transaction`.
    public init(signing numbers: [String]) throws(OTPError) {
        guard numbers.count <= Self.maxNumbers else {
            throw OTPError(
                .transaction,
                "at most \(Self.maxNumbers) numbers can be signed, not \(numbers.count)")
        }
        mode = .sign(numbers)
        try mode.check()
    }
}

extension CAPMode {
    /// Mode 2 with transaction data signing of a text: the eight 32-bit words of its SHA-256 as
    /// decimal numbers of ten digits.
    ///
    /// Use it only for a text that is derived from what the owner was shown.
    package static func signing(_ text: String) -> CAPMode {
        let hash = Array(SHA256.hash(data: Data(text.utf8)))
        return .sign(
            stride(from: 0, to: hash.count, by: 4).map { start in
                let word = hash[start..<start + 4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                return OneTimeCode.decimal(word, digits: 10).text
            })
    }
}
