import Foundation

/// Output for scripts: one JSON object, keys sorted.
enum JSON {
    static func print(_ value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        guard let data = try? encoder.encode(value) else { preconditionFailure("output of our own can be encoded") }
        Swift.print(String(decoding: data, as: UTF8.self))
    }
}
