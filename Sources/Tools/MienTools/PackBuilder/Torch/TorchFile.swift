/// The tensors in a file of PyTorch's legacy format, as `torch.save` wrote state dictionaries before
/// version 1.6.
///
/// Five pickles: a magic number, the format's version, the byte order, a dictionary of tensors, and
/// the keys of the storages. Then, for each key, a count of eight bytes and as many numbers, least
/// significant byte first. Source: PyTorch 1.5, `torch/serialization.py`, `_legacy_save`.
package struct TorchFile {
    /// The largest file in bytes.
    package static let sizeLimit = 64_000_000
    /// The most tensors.
    package static let tensorLimit = 2_000

    /// A tensor of 32-bit floating-point numbers, the last axis fastest.
    package struct Tensor: Equatable, Sendable {
        package let shape: [Int]
        package let values: [Float]
    }

    /// The tensors by name, without a leading `module.`, which training on several processors adds.
    /// Excludes tensors of integers, which are counters of the training.
    package let tensors: [String: Tensor]

    /// - Throws: ``TorchFileError`` when the bytes are not such a file.
    package init(_ bytes: [UInt8]) throws(TorchFileError) {
        guard bytes.count <= Self.sizeLimit else {
            throw TorchFileError(.tooLarge(bytes: bytes.count), at: 0)
        }
        var reader = PickleReader(ByteCursor(bytes))
        try Self.expectHead(&reader)
        let start = reader.input.offset
        let views = try Self.views(in: try reader.pickle(), at: start)
        let keysStart = reader.input.offset
        let keys = try Self.keys(in: try reader.pickle(), at: keysStart)
        let storages = try Self.storages(of: views, keys: keys, at: keysStart)

        var input = reader.input, numbers: [String: [Float]] = [:]
        for storage in storages {
            numbers[storage.key] = try Self.numbers(of: storage, &input)
        }
        guard input.left == 0 else {
            throw TorchFileError(.trailing(bytes: input.left), at: input.offset)
        }
        tensors = views.filter { $0.value.storage.kind == .float }.mapValues { view in
            let values = numbers[view.storage.key] ?? []
            return Tensor(
                shape: view.shape, values: Array(values[view.start..<view.start + view.count]))
        }
    }

    /// The first three pickles.
    private static func expectHead(_ reader: inout PickleReader) throws(TorchFileError) {
        let magic: [UInt8] = [0x6C, 0xFC, 0x9C, 0x46, 0xF9, 0x20, 0x6A, 0xA8, 0x50, 0x19]
        guard case .large(magic) = try reader.pickle() else {
            throw TorchFileError(.format("the magic number of PyTorch's legacy format"), at: 0)
        }
        let versionStart = reader.input.offset
        guard case .integer(1001) = try reader.pickle() else {
            throw TorchFileError(.format("version 1001"), at: versionStart)
        }
        let systemStart = reader.input.offset
        guard case .dictionary(let system) = try reader.pickle() else {
            throw TorchFileError(.format("a description of the system"), at: systemStart)
        }
        let isLittle = stride(from: 0, to: system.values.count, by: 2).contains { index in
            guard case .text("little_endian") = system.values[index],
                case .flag(true) = system.values[index + 1]
            else { return false }
            return true
        }
        guard isLittle else {
            throw TorchFileError(
                .format("numbers with the least significant byte first"), at: systemStart)
        }
    }

    private static func views(in value: PickleValue, at offset: Int) throws(TorchFileError)
        -> [String: TorchView]
    {
        guard case .dictionary(let items) = value else {
            throw TorchFileError(.format("a dictionary of tensors"), at: offset)
        }
        guard items.values.count <= 2 * tensorLimit else {
            throw TorchFileError(.limit("more than \(tensorLimit) tensors"), at: offset)
        }
        var views: [String: TorchView] = [:]
        for index in stride(from: 0, to: items.values.count, by: 2) {
            guard case .text(let name) = items.values[index],
                case .tensor(let view) = items.values[index + 1]
            else { throw TorchFileError(.format("a dictionary of tensors"), at: offset) }
            let prefix = "module."
            let plain = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
            guard views.updateValue(view, forKey: plain) == nil else {
                throw TorchFileError(.format("each tensor's name once"), at: offset)
            }
        }
        return views
    }

    private static func keys(in value: PickleValue, at offset: Int) throws(TorchFileError)
        -> [String]
    {
        guard case .list(let items) = value else {
            throw TorchFileError(.format("a list of storage keys"), at: offset)
        }
        var keys: [String] = []
        for value in items.values {
            guard case .text(let key) = value else {
                throw TorchFileError(.format("a list of storage keys"), at: offset)
            }
            keys.append(key)
        }
        return keys
    }

    /// Returns the declared storages in the order of the file.
    private static func storages(
        of views: [String: TorchView], keys: [String], at offset: Int
    ) throws(TorchFileError) -> [TorchStorage] {
        var declared: [String: TorchStorage] = [:], copied = 0
        for view in views.values {
            let storage = view.storage
            guard (declared.updateValue(storage, forKey: storage.key) ?? storage) == storage else {
                throw TorchFileError(.storage("two declarations of one storage differ"), at: offset)
            }
            copied += view.count
        }
        // Tensors may share a storage, but not to multiply the memory they take.
        guard copied <= PickleReader.countLimit else {
            throw TorchFileError(
                .limit("tensors of more than \(PickleReader.countLimit) numbers"), at: offset)
        }
        guard Set(keys).count == keys.count, Set(keys) == Set(declared.keys) else {
            throw TorchFileError(
                .storage("the keys of the storages are not those of the tensors"), at: offset)
        }
        return keys.compactMap { declared[$0] }
    }

    /// - Returns: no numbers for a storage of integers.
    private static func numbers(of storage: TorchStorage, _ input: inout ByteCursor)
        throws(TorchFileError) -> [Float]
    {
        let start = input.offset
        guard try input.long() == Int64(storage.count) else {
            throw TorchFileError(.storage("a storage has another size than declared"), at: start)
        }
        let first = input.offset, raw = try input.take(storage.count * storage.kind.width)
        guard storage.kind == .float else { return [] }
        var floats: [Float] = []
        floats.reserveCapacity(storage.count)
        for index in stride(from: raw.startIndex, to: raw.endIndex, by: 4) {
            let bits =
                UInt32(raw[index]) | UInt32(raw[index + 1]) << 8 | UInt32(raw[index + 2]) << 16
                | UInt32(raw[index + 3]) << 24
            let value = Float(bitPattern: bits)
            guard value.isFinite else {
                throw TorchFileError(.notFinite, at: first + 4 * floats.count)
            }
            floats.append(value)
        }
        return floats
    }
}
