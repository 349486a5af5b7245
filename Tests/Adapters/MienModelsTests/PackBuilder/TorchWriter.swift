@testable import MienTools

/// A writer of PyTorch's legacy format, the counterpart of ``TorchFile``, for files small enough to
/// test every byte.
struct TorchWriter {
    struct Part {
        let name: String
        let shape: [Int]
        let values: [Float]
    }

    private(set) var bytes: [UInt8] = []

    /// A whole file.
    ///
    /// - Parameter counters: tensors of integers, as batch normalizations have.
    static func file(_ parts: [Part], counters: [String] = []) -> [UInt8] {
        var writer = TorchWriter()
        writer.head()
        writer.pickle {
            $0.global("collections", "OrderedDict")
            $0.bytes += [0x29, 0x52, 0x71, 0, 0x28]  // ) R q0 (
            for (index, part) in parts.enumerated() {
                $0.text(part.name)
                $0.tensor(key: "\(index)", count: part.values.count, shape: part.shape)
            }
            for (index, name) in counters.enumerated() {
                $0.text(name)
                $0.tensor(
                    key: "c\(index)", count: 1, shape: [], storage: "LongStorage")
            }
            $0.bytes += [0x75, 0x7D, 0x62]  // u } b
        }
        let keys = parts.indices.map { "\($0)" } + counters.indices.map { "c\($0)" }
        writer.keys(keys)
        for part in parts { writer.numbers(part.values) }
        for _ in counters { writer.bytes += [1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0] }
        return writer.bytes
    }

    /// The magic number, the version, and the system.
    mutating func head(littleEndian: Bool = true) {
        pickle {
            $0.bytes += [
                0x8A, 10, 0x6C, 0xFC, 0x9C, 0x46, 0xF9, 0x20, 0x6A, 0xA8, 0x50, 0x19,
            ]
        }
        pickle { $0.bytes += [0x4D, 0xE9, 0x03] }
        pickle {
            $0.bytes += [0x7D, 0x71, 0, 0x28]
            $0.text("little_endian")
            $0.bytes += [littleEndian ? 0x88 : 0x89, 0x75]
        }
    }

    mutating func keys(_ keys: [String]) {
        pickle {
            $0.bytes += [0x5D, 0x71, 0, 0x28]
            for key in keys { $0.text(key) }
            $0.bytes += [0x65]
        }
    }

    mutating func pickle(_ write: (inout Self) -> Void) {
        bytes += [0x80, 2]
        write(&self)
        bytes.append(0x2E)
    }

    mutating func raw(_ more: [UInt8]) { bytes += more }

    mutating func text(_ text: String) {
        bytes.append(0x58)
        number(text.utf8.count)
        bytes += text.utf8
    }

    mutating func global(_ module: String, _ name: String) {
        bytes += [0x63] + Array("\(module)\n\(name)\n".utf8)
    }

    mutating func integer(_ value: Int) {
        bytes.append(0x4A)
        number(value)
    }

    mutating func tensor(
        key: String, count: Int, start: Int = 0, shape: [Int], strides: [Int]? = nil,
        storage: String = "FloatStorage"
    ) {
        global("torch._utils", "_rebuild_tensor_v2")
        bytes += [0x28, 0x28]
        text("storage")
        global("torch", storage)
        text(key)
        text("cpu")
        integer(count)
        bytes += [0x4E, 0x74, 0x51]  // N t Q
        integer(start)
        bytes.append(0x28)
        for size in shape { integer(size) }
        bytes += [0x74, 0x28]
        var volume = 1, usual: [Int] = []
        for size in shape.reversed() {
            usual.insert(volume, at: 0)
            volume *= size
        }
        for stride in strides ?? usual { integer(stride) }
        bytes += [0x74, 0x89]
        global("collections", "OrderedDict")
        bytes += [0x29, 0x52, 0x74, 0x52]  // ) R t R
    }

    mutating func numbers(_ values: [Float], declared: Int? = nil) {
        let count = declared ?? values.count
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(count >> shift & 0xFF)) }
        for value in values {
            for shift in [0, 8, 16, 24] { bytes.append(UInt8(value.bitPattern >> shift & 0xFF)) }
        }
    }

    private mutating func number(_ value: Int) {
        let bits = UInt32(truncatingIfNeeded: value)
        for shift in [0, 8, 16, 24] { bytes.append(UInt8(bits >> shift & 0xFF)) }
    }
}
