import Foundation
import Testing

@testable import MienTools

@Suite("Files of PyTorch's legacy format")
struct TorchFileTests {
    private static let small = TorchWriter.file(
        [
            .init(name: "module.a.weight", shape: [2, 3], values: [1, 2, 3, 4, 5, -6]),
            .init(name: "b", shape: [1], values: [0.5]),
        ], counters: ["module.a.num_batches_tracked"])

    @Test("tensors are read by name, without the prefix of training on several processors")
    func tensors() throws {
        let file = try TorchFile(Self.small)
        #expect(
            file.tensors == [
                "a.weight": .init(shape: [2, 3], values: [1, 2, 3, 4, 5, -6]),
                "b": .init(shape: [1], values: [0.5]),
            ])
    }

    @Test("a part of a shared storage is a tensor, too")
    func shared() throws {
        var writer = TorchWriter()
        writer.head()
        writer.pickle {
            $0.raw([0x7D])
            $0.text("first")
            $0.tensor(key: "k", count: 5, shape: [2])
            $0.raw([0x73])
            $0.text("last")
            $0.tensor(key: "k", count: 5, start: 3, shape: [2])
            $0.raw([0x73])
        }
        writer.keys(["k"])
        writer.numbers([1, 2, 3, 4, 5])
        let tensors = try TorchFile(writer.bytes).tensors
        #expect(tensors["first"]?.values == [1, 2] && tensors["last"]?.values == [4, 5])
    }

    @Test("every shorter file is refused, and so is a longer one")
    func ends() {
        for count in Self.small.indices {
            #expect(throws: TorchFileError.self) { try TorchFile(Array(Self.small[..<count])) }
        }
        #expect(throws: TorchFileError(.trailing(bytes: 1), at: Self.small.count)) {
            try TorchFile(Self.small + [0])
        }
    }

    @Test("a file with one changed bit is read or refused, without a crash")
    func bits() {
        for index in Self.small.indices {
            for bit in 0..<8 {
                var bytes = Self.small
                bytes[index] ^= 1 << bit
                do { _ = try TorchFile(bytes) } catch {
                    #expect((0...bytes.count).contains(error.offset))
                }
            }
        }
    }

    @Test(
        "only four names may occur",
        arguments: [
            ("os", "system"), ("builtins", "eval"), ("collections", "OrderedDic"),
            ("torch", "DoubleStorage"), ("", ""), ("torch._utils", "_rebuild_tensor"),
        ])
    func names(module: String, name: String) {
        var writer = TorchWriter()
        writer.pickle {
            $0.global(module, name)
            $0.raw([0x29, 0x52])
        }
        #expect(throws: TorchFileError(.global, at: 2)) { try Self.pickle(writer.bytes) }
    }

    @Test("the instructions of other pickles are refused with their code and position")
    func instructions() {
        let allowed = Set(")(NKMJXct]}aesuqrhjQRb.".utf8).union([
            0x88, 0x89, 0x8A, 0x85, 0x86, 0x87,
        ])
        for code in UInt8.min...UInt8.max where !allowed.contains(code) {
            #expect(throws: TorchFileError(.instruction(code), at: 2)) {
                try Self.pickle([0x80, 2, code])
            }
        }
        #expect(allowed.count == 29)
    }

    @Test("nesting, texts, and memory have limits")
    func limits() {
        let deep = [0x80, 2, 0x4E] + [UInt8](repeating: 0x85, count: 9) + [0x2E]
        #expect(throws: TorchFileError(.limit("more than 8 values inside one another"), at: 11)) {
            try Self.pickle(deep)
        }
        #expect(throws: TorchFileError(.limit("a text of more than 256 bytes"), at: 2)) {
            try Self.pickle([0x80, 2, 0x58, 1, 1, 0, 0] + [UInt8](repeating: 97, count: 257))
        }
        #expect(throws: TorchFileError(.limit("the memory has 20000 places"), at: 3)) {
            try Self.pickle([0x80, 2, 0x4E, 0x72, 0xFF, 0xFF, 0xFF, 0xFF])
        }
        let many = [0x80, 2] + [UInt8](repeating: 0x4E, count: 20_001)
        #expect(throws: TorchFileError(.limit("more than 20000 values at once"), at: 20_002)) {
            try Self.pickle(many)
        }
        // Lists of 19,000 values each: no list and no stack is too large, but all together are.
        let list: [UInt8] = [0x5D, 0x28] + Array(repeating: 0x4E, count: 19_000) + [0x65]
        let lists: [UInt8] = [0x80, 2] + (0..<11).flatMap { _ in list }
        #expect(throws: TorchFileError(.limit("more than 200000 values in all"), at: 200_023)) {
            try Self.pickle(lists)
        }
    }

    @Test("a list or dictionary cannot be used twice, so no value contains itself")
    func containers() {
        #expect(
            throws: TorchFileError(.value("a value in the memory that is no container"), at: 5)
        ) { try Self.pickle([0x80, 2, 0x7D, 0x71, 0, 0x68, 0, 0x73, 0x2E]) }
    }

    @Test(
        "a stack that is too short, a missing mark, and a second value at the end are refused",
        arguments: [
            [0x80, 2, 0x85], [0x80, 2, 0x74], [0x80, 2, 0x73], [0x80, 2, 0x28, 0x51],
            [0x80, 2, 0x4E, 0x4E, 0x2E], [0x80, 2, 0x2E], [0x80, 2, 0x4E, 0x28, 0x85],
            [0x80, 2, 0x5D, 0x28, 0x61], [0x80, 2, 0x7D, 0x28, 0x4E, 0x75], [0x80, 2, 0x71, 0],
            [0x80, 2, 0x68, 0], [0x80, 2, 0x4E, 0x29, 0x52], [0x80, 2, 0x4E, 0x7D, 0x62],
            [0x80, 2, 0x5D, 0x7D, 0x62, 0x2E],
        ] as [[UInt8]])
    func stack(bytes: [UInt8]) {
        let error = #expect(throws: TorchFileError.self) { try Self.pickle(bytes) }
        guard case .value = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "a tensor that does not lie in its storage row by row is refused",
        arguments: [
            (5, 0, [2, 3], nil), (6, 1, [2, 3], nil), (6, -1, [2], nil), (6, 0, [3, 2], [1, 3]),
            (6, 0, [0], nil), (6, 0, [-2], nil), (6, 0, [1 << 24, 1 << 24], [1, 1]),
            (6, 7, [], nil), (-1, 0, [1], nil), (6, 0, [1, 1, 1, 1, 1], nil),
            (6, 0, [2, 3], [3]),
        ] as [(Int, Int, [Int], [Int]?)])
    func views(count: Int, start: Int, shape: [Int], strides: [Int]?) {
        var writer = TorchWriter()
        writer.pickle {
            $0.tensor(key: "k", count: count, start: start, shape: shape, strides: strides)
        }
        #expect(throws: TorchFileError.self) { try Self.pickle(writer.bytes) }
    }

    @Test("a storage that is missing, unknown, declared twice, or of another size is refused")
    func storages() {
        func file(keys: [String], second: Int = 1, sizes: [Int] = [1]) -> [UInt8] {
            var writer = TorchWriter()
            writer.head()
            writer.pickle {
                $0.raw([0x7D, 0x28])
                $0.text("a")
                $0.tensor(key: "k", count: 1, shape: [1])
                $0.text("b")
                $0.tensor(key: "k", count: second, shape: [1])
                $0.raw([0x75])
            }
            writer.keys(keys)
            for size in sizes { writer.numbers([1], declared: size) }
            return writer.bytes
        }
        #expect(throws: Never.self) { try TorchFile(file(keys: ["k"])) }
        for bytes in [
            file(keys: []), file(keys: ["k", "l"]), file(keys: ["k", "k"]),
            file(keys: ["k"], second: 2), file(keys: ["k"], sizes: [2]),
            file(keys: ["k"], sizes: [-1]), file(keys: ["k"], sizes: []),
        ] {
            #expect(throws: TorchFileError.self) { try TorchFile(bytes) }
        }
    }

    @Test("a weight that is not finite is refused with its position")
    func notFinite() {
        let bytes = TorchWriter.file([.init(name: "a", shape: [2], values: [1, .nan])])
        #expect(throws: TorchFileError(.notFinite, at: bytes.count - 4)) { try TorchFile(bytes) }
    }

    @Test(
        "numbers with the most significant byte first, other versions, and names twice are refused")
    func formats() {
        var big = TorchWriter()
        big.head(littleEndian: false)
        #expect(throws: TorchFileError.self) { try TorchFile(big.bytes) }
        #expect(throws: TorchFileError.self) { try TorchFile([0x80, 2, 0x4B, 1, 0x2E]) }
        #expect(throws: TorchFileError.self) { try TorchFile([0x80, 3]) }
        // Version 1002.
        var other = Self.small
        other[15 + 3] = 0xEA
        let error = #expect(throws: TorchFileError.self) { try TorchFile(other) }
        #expect(error == TorchFileError(.format("version 1001"), at: 15))
        #expect(throws: TorchFileError.self) {
            try TorchFile(
                TorchWriter.file([
                    .init(name: "module.a", shape: [1], values: [1]),
                    .init(name: "a", shape: [1], values: [1]),
                ]))
        }
    }

    private static func pickle(_ bytes: [UInt8]) throws {
        var reader = PickleReader(ByteCursor(bytes))
        _ = try reader.pickle()
    }
}
