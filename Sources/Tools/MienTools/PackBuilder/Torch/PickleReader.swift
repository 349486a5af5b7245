/// A reader of Python's pickle format, protocol 2, restricted to what files of tensors contain.
///
/// A pickle is a program for a machine with a stack and a memory, which in Python may call anything.
/// This machine knows 29 of its instructions and four names, calls nothing, and bounds everything:
/// the stack, the memory, all values together, nesting, and texts. Source: Python 3.11,
/// `pickletools.py`.
package struct PickleReader {
    /// The most values on the stack, and in the memory.
    package static let stackLimit = 20_000, memoryLimit = 20_000
    /// The most values that all pickles of a file create together.
    package static let valueLimit = 200_000
    /// The deepest nesting of lists, dictionaries, and tuples.
    package static let depthLimit = 8
    /// The longest text, in bytes of UTF-8.
    package static let textLimit = 256
    /// The most axes of a tensor, and the most numbers of a storage.
    package static let axisLimit = 4, countLimit = 16_000_000

    package private(set) var input: ByteCursor
    private var stack: [PickleValue] = []
    /// Positions in the stack at which a mark lies.
    private var marks: [Int] = []
    /// `nil` for a list or dictionary, which must not be used twice.
    private var memory: [Int: PickleValue?] = [:]
    /// The number of values created since the file began.
    private var created = 0
    /// The position of the instruction being executed.
    private var at = 0

    package init(_ input: ByteCursor) { self.input = input }

    /// Reads one pickle. Memory does not carry over to the next one.
    package mutating func pickle() throws(TorchFileError) -> PickleValue {
        (stack, marks, memory) = ([], [], [:])
        at = input.offset
        guard try input.byte() == 0x80, try input.byte() == 2 else {
            throw TorchFileError(.format("a pickle of protocol 2"), at: at)
        }
        while true {
            at = input.offset
            let code = try input.byte()
            if code == UInt8(ascii: ".") {
                guard stack.count == 1, marks.isEmpty else {
                    throw TorchFileError(.value("exactly one value at the end"), at: at)
                }
                return stack.removeLast()
            }
            try execute(code)
            guard stack.count <= Self.stackLimit, marks.count <= Self.stackLimit else {
                throw TorchFileError(
                    .limit("more than \(Self.stackLimit) values at once"), at: at)
            }
        }
    }

    private mutating func execute(_ code: UInt8) throws(TorchFileError) {
        switch Character(UnicodeScalar(code)) {
        case "(": marks.append(stack.count)
        case "N": try push(.none)
        case "\u{88}": try push(.flag(true))
        case "\u{89}": try push(.flag(false))
        case "K": try push(.integer(Int(try input.byte())))
        case "M": try push(.integer(Int(try input.integer(2))))
        case "J":
            let bits = UInt32(truncatingIfNeeded: try input.integer(4))
            try push(.integer(Int(Int32(bitPattern: bits))))
        case "\u{8A}":
            let width = Int(try input.byte())
            try push(.large(Array(try input.take(width))))
        case "X": try push(.text(try text(try input.integer(4))))
        case "c": try push(.global(try global()))
        case ")": try push(.tuple([], depth: 1))
        case "\u{85}": try pushTuple([try pop()])
        case "\u{86}":
            let second = try pop()
            try pushTuple([try pop(), second])
        case "\u{87}":
            let third = try pop(), second = try pop()
            try pushTuple([try pop(), second, third])
        case "t": try pushTuple(try popToMark())
        case "]": try push(.list(PickleItems()))
        case "}": try push(.dictionary(PickleItems()))
        case "a": try append([try pop()])
        case "e": try append(try popToMark())
        case "s":
            let value = try pop()
            try setItems([try pop(), value])
        case "u": try setItems(try popToMark())
        case "q": try remember(Int(try input.byte()))
        case "r": try remember(try input.integer(4))
        case "h": try recall(Int(try input.byte()))
        case "j": try recall(try input.integer(4))
        case "Q": try push(.storage(try storage(try pop())))
        case "R":
            let arguments = try pop()
            try reduce(try pop(), arguments)
        case "b": try build(try pop())
        default: throw TorchFileError(.instruction(code), at: at)
        }
    }

    // MARK: Stack

    private mutating func push(_ value: PickleValue) throws(TorchFileError) {
        created += 1
        guard created <= Self.valueLimit else {
            throw TorchFileError(.limit("more than \(Self.valueLimit) values in all"), at: at)
        }
        stack.append(value)
    }

    private mutating func pop() throws(TorchFileError) -> PickleValue {
        guard stack.count > marks.last ?? 0 else {
            throw TorchFileError(.value("a value on the stack"), at: at)
        }
        return stack.removeLast()
    }

    private mutating func popToMark() throws(TorchFileError) -> [PickleValue] {
        guard let mark = marks.popLast() else {
            throw TorchFileError(.value("a mark on the stack"), at: at)
        }
        defer { stack.removeSubrange(mark...) }
        return Array(stack[mark...])
    }

    private mutating func pushTuple(_ values: [PickleValue]) throws(TorchFileError) {
        let depth = (values.map(\.depth).max() ?? 0) + 1
        try check(depth)
        try push(.tuple(values, depth: depth))
    }

    private func check(_ depth: Int) throws(TorchFileError) {
        guard depth <= Self.depthLimit else {
            throw TorchFileError(
                .limit("more than \(Self.depthLimit) values inside one another"), at: at)
        }
    }

    private mutating func append(_ values: [PickleValue]) throws(TorchFileError) {
        guard stack.count > marks.last ?? 0, case .list(let items)? = stack.last else {
            throw TorchFileError(.value("a list"), at: at)
        }
        try fill(items, with: values)
    }

    private mutating func setItems(_ values: [PickleValue]) throws(TorchFileError) {
        guard stack.count > marks.last ?? 0, case .dictionary(let items)? = stack.last,
            values.count.isMultiple(of: 2)
        else {
            throw TorchFileError(.value("a dictionary, and pairs of keys and values"), at: at)
        }
        try fill(items, with: values)
    }

    private func fill(_ items: PickleItems, with values: [PickleValue]) throws(TorchFileError) {
        guard items.values.count + values.count <= Self.stackLimit else {
            throw TorchFileError(.limit("more than \(Self.stackLimit) values at once"), at: at)
        }
        for value in values {
            try check(value.depth + 1)
            items.append(value)
        }
    }

    // MARK: Memory

    private mutating func remember(_ index: Int) throws(TorchFileError) {
        guard (0..<Self.memoryLimit).contains(index) else {
            throw TorchFileError(
                .limit("the memory has \(Self.memoryLimit) places"), at: at)
        }
        guard let value = stack.last else {
            throw TorchFileError(.value("a value on the stack"), at: at)
        }
        switch value {
        case .list, .dictionary: memory.updateValue(nil, forKey: index)
        default: memory.updateValue(value, forKey: index)
        }
    }

    private mutating func recall(_ index: Int) throws(TorchFileError) {
        guard let place = memory[index], let value = place else {
            throw TorchFileError(.value("a value in the memory that is no container"), at: at)
        }
        try push(value)
    }

    // MARK: Values

    private mutating func text(_ length: Int) throws(TorchFileError) -> String {
        guard (0...Self.textLimit).contains(length) else {
            throw TorchFileError(.limit("a text of more than \(Self.textLimit) bytes"), at: at)
        }
        guard let text = String(validating: try input.take(length), as: UTF8.self) else {
            throw TorchFileError(.value("a text in UTF-8"), at: at)
        }
        return text
    }

    private mutating func global() throws(TorchFileError) -> PickleGlobal {
        let module = try line(), name = try line()
        guard let global = PickleGlobal(rawValue: module + "." + name) else {
            throw TorchFileError(.global, at: at)
        }
        return global
    }

    private mutating func line() throws(TorchFileError) -> String {
        var bytes: [UInt8] = []
        while true {
            let byte = try input.byte()
            if byte == UInt8(ascii: "\n") { break }
            bytes.append(byte)
            guard bytes.count <= Self.textLimit else { throw TorchFileError(.global, at: at) }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw TorchFileError(.global, at: at)
        }
        return text
    }

    private mutating func reduce(_ callable: PickleValue, _ arguments: PickleValue)
        throws(TorchFileError)
    {
        switch (callable, arguments) {
        case (.global(.orderedDictionary), .tuple(let arguments, _)) where arguments.isEmpty:
            try push(.dictionary(PickleItems()))
        case (.global(.rebuildTensor), .tuple(let arguments, _)):
            try push(.tensor(try view(arguments)))
        default: throw TorchFileError(.value("a dictionary or tensor to create"), at: at)
        }
    }

    /// Sets an object's attributes: versions of modules, which nobody needs.
    private mutating func build(_ state: PickleValue) throws(TorchFileError) {
        guard case .dictionary = state, stack.count > marks.last ?? 0,
            case .dictionary? = stack.last
        else { throw TorchFileError(.value("attributes of a dictionary"), at: at) }
    }

    /// `("storage", kind, key, device, count, None)`
    private func storage(_ value: PickleValue) throws(TorchFileError) -> TorchStorage {
        guard case .tuple(let parts, _) = value, parts.count == 6,
            case .text("storage") = parts[0], case .global(let global) = parts[1],
            case .text(let key) = parts[2], case .text = parts[3],
            case .integer(let count) = parts[4], case .none = parts[5]
        else { throw TorchFileError(.value("a storage"), at: at) }
        let kind: TorchStorage.Kind
        switch global {
        case .floatStorage: kind = .float
        case .longStorage: kind = .long
        case .orderedDictionary, .rebuildTensor:
            throw TorchFileError(.value("a storage"), at: at)
        }
        guard (0...Self.countLimit).contains(count) else {
            throw TorchFileError(
                .limit("a storage of more than \(Self.countLimit) numbers"), at: at)
        }
        return TorchStorage(kind: kind, key: key, count: count)
    }

    /// `(storage, start, shape, strides, needs gradient, hooks)`
    private func view(_ parts: [PickleValue]) throws(TorchFileError) -> TorchView {
        guard parts.count == 6, case .storage(let storage) = parts[0],
            case .integer(let start) = parts[1], case .tuple(let shape, _) = parts[2],
            case .tuple(let strides, _) = parts[3], case .flag = parts[4],
            case .dictionary(let hooks) = parts[5], hooks.values.isEmpty
        else { throw TorchFileError(.value("a tensor"), at: at) }
        guard shape.count <= Self.axisLimit, strides.count == shape.count else {
            throw TorchFileError(
                .tensor("a tensor must have at most \(Self.axisLimit) axes"), at: at)
        }
        var sizes: [Int] = [], volume = 1
        // The values of the last axis are adjacent, so each stride is the volume of the axes after
        // it.
        for (size, stride) in zip(shape, strides).reversed() {
            guard case .integer(let size) = size, case .integer(let stride) = stride,
                (1...Self.countLimit).contains(size)
            else {
                throw TorchFileError(.tensor("a tensor's sizes must be positive"), at: at)
            }
            guard stride == volume || size == 1 else {
                throw TorchFileError(
                    .tensor("a tensor's rows must follow each other without gaps"), at: at)
            }
            volume *= size
            guard volume <= Self.countLimit else {
                throw TorchFileError(.tensor("a tensor is larger than its storage"), at: at)
            }
            sizes.insert(size, at: 0)
        }
        guard start >= 0, start <= storage.count, volume <= storage.count - start else {
            throw TorchFileError(.tensor("a tensor is larger than its storage"), at: at)
        }
        return TorchView(storage: storage, start: start, shape: sizes)
    }
}
