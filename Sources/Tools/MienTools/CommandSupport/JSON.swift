internal import Foundation

/// Output for scripts: one JSON object with sorted keys, in snake case as in the API.
public enum JSON {
    public static func print(_ value: some Encodable) { Swift.print(text(value, [.prettyPrinted])) }

    /// Prints an object as one of several lines, and flushes it at once.
    package static func printLine(_ value: some Encodable) {
        FileHandle.standardOutput.write(Data((text(value, []) + "\n").utf8))
    }

    private static func text(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting)
        -> String
    {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        // The names of properties. Keys of dictionaries, such as a user's attributes, stay as they are.
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        guard let data = try? encoder.encode(value) else {
            preconditionFailure("the output can be encoded")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
