import Foundation

/// An ONNX network written byte for byte. It classifies bright pictures as faces and dark ones as
/// attacks.
///
/// Input: `[1, 3, side, side]`. Output: two logits, attack and live.
enum BrightnessNetwork {
    /// - Parameter steepness: the steepness of the logits, for brightness 0...1 around one half.
    static func onnx(side: Int, steepness: Float = 8) -> Data {
        let weights: [Float] = [
            -steepness, steepness, -steepness, steepness, -steepness, steepness,
        ].map { $0 / 3 }
        let nodes = [
            node("GlobalAveragePool", ["picture"], "means"), node("Flatten", ["means"], "three"),
            node("Gemm", ["three", "weights", "shift"], "logits"),
        ]
        let graph =
            nodes.reduce(Data()) { $0 + field(1, $1) } + field(2, Data("brightness".utf8))
            + field(5, tensor("weights", [3, 2], weights))
            + field(5, tensor("shift", [2], [steepness / 2, -steepness / 2]))
            + field(11, value("picture", [1, 3, side, side])) + field(12, value("logits", [1, 2]))
        // Version 8 of the format, version 13 of its operators.
        return number(1, 8) + field(7, graph) + field(8, number(2, 13))
    }

    private static func node(_ operation: String, _ inputs: [String], _ output: String) -> Data {
        inputs.reduce(Data()) { $0 + field(1, Data($1.utf8)) } + field(2, Data(output.utf8))
            + field(4, Data(operation.utf8))
    }

    private static func tensor(_ name: String, _ sides: [Int], _ values: [Float]) -> Data {
        let raw = values.reduce(Data()) { data, value in
            data + withUnsafeBytes(of: value.bitPattern.littleEndian) { Data($0) }
        }
        return sides.reduce(Data()) { $0 + number(1, $1) } + number(2, 1)
            + field(8, Data(name.utf8)) + field(9, raw)
    }

    private static func value(_ name: String, _ sides: [Int]) -> Data {
        let shape = sides.reduce(Data()) { $0 + field(1, number(1, $1)) }
        return field(1, Data(name.utf8)) + field(2, field(1, number(1, 1) + field(2, shape)))
    }

    // Protocol buffers: numbers, and bytes preceded by their length.
    private static func number(_ field: Int, _ value: Int) -> Data {
        varint(field << 3) + varint(value)
    }
    private static func field(_ field: Int, _ bytes: Data) -> Data {
        varint(field << 3 | 2) + varint(bytes.count) + bytes
    }

    private static func varint(_ value: Int) -> Data {
        var bytes = Data(), rest = UInt64(value)
        repeat {
            bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }
}
