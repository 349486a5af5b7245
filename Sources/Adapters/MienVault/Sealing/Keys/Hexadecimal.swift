private let digits = Array("0123456789abcdef".utf8)

/// Returns two lowercase digits per byte.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// Returns the bytes that ``hexadecimal(_:)`` encoded; `nil` for anything else, including
/// uppercase.
package func bytes(hexadecimal text: some StringProtocol) -> [UInt8]? {
    let values = text.utf8.map { digits.firstIndex(of: $0) }
    guard values.count % 2 == 0, !values.contains(nil) else { return nil }
    return stride(from: 0, to: values.count, by: 2).map {
        UInt8(values[$0]! << 4 | values[$0 + 1]!)
    }
}
