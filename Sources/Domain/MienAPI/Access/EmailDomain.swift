internal import Foundation

/// The domain of an email address in the form in which it is compared and can be sent to: lower
/// case, each label as an A-label (RFC 5890 §2.3.2.1), such as `xn--bcher-kva.example`.
///
/// Letters with two readings, such as `ß` and `ss`, remain different, because they are different
/// domains with different owners.
enum EmailDomain {
    static func normal(_ text: String) -> String {
        text.precomposedStringWithCompatibilityMapping
            // The full stop of Chinese and Japanese keyboards.
            .replacing("\u{3002}", with: ".")
            .split(separator: ".", omittingEmptySubsequences: false).map { label($0) }
            .joined(separator: ".")
    }

    private static func label(_ text: Substring) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        var lower = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            lower.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
        }
        let label = String(lower).precomposedStringWithCompatibilityMapping
        if label.utf8.allSatisfy({ $0 < 0x80 }) { return label.lowercased() }
        return "xn--" + Punycode.encode(label)
    }
}

/// The encoding of Unicode text as letters, digits, and hyphens: RFC 3492.
enum Punycode {
    private static let base = 36, tMin = 1, tMax = 26, skew = 38, damp = 700

    static func encode(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { Int($0.value) }
        var out = scalars.filter { $0 < 0x80 }.map { UInt8($0) }
        let basic = out.count
        if basic > 0 { out.append(UInt8(ascii: "-")) }
        var value = 128, delta = 0, bias = 72, handled = basic
        while handled < scalars.count {
            guard let next = scalars.filter({ $0 >= value }).min() else { break }
            delta += (next - value) * (handled + 1)
            value = next
            for scalar in scalars {
                if scalar < value { delta += 1 }
                guard scalar == value else { continue }
                append(delta, bias, to: &out)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basic)
                (delta, handled) = (0, handled + 1)
            }
            delta += 1
            value += 1
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Appends a number whose digits end where one is below its threshold.
    private static func append(_ number: Int, _ bias: Int, to out: inout [UInt8]) {
        var rest = number, place = base
        while true {
            let threshold = min(max(place - bias, tMin), tMax)
            guard rest >= threshold else { break }
            out.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            place += base
        }
        out.append(digit(rest))
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? value + 97 : value - 26 + 48)
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var bias = 0
        while delta > (base - tMin) * tMax / 2 {
            delta /= base - tMin
            bias += base
        }
        return bias + (base - tMin + 1) * delta / (delta + skew)
    }
}
