/// A value that a pickle builds. Only kinds that occur in files of tensors.
package indirect enum PickleValue {
    case none
    case flag(Bool)
    case integer(Int)
    /// An integer of more than four bytes, least significant byte first.
    case large([UInt8])
    case text(String)
    case tuple([PickleValue], depth: Int)
    case list(PickleItems)
    /// Keys and values alternate, in the order of the file.
    case dictionary(PickleItems)
    case global(PickleGlobal)
    case storage(TorchStorage)
    case tensor(TorchView)

    /// How many lists, dictionaries, and tuples are nested in the value, itself included.
    var depth: Int {
        switch self {
        case .tuple(_, let depth): depth
        case .list(let items), .dictionary(let items): items.depth
        case .none, .flag, .integer, .large, .text, .global, .storage, .tensor: 0
        }
    }
}

/// The contents of a list or dictionary, which a pickle fills after creating it.
///
/// Has one owner, because ``PickleReader`` does not hand out a container twice.
package final class PickleItems {
    package private(set) var values: [PickleValue] = []
    private(set) var depth = 1

    init() {}

    func append(_ value: PickleValue) {
        depth = max(depth, value.depth + 1)
        values.append(value)
    }
}

/// The only names that a pickle may refer to. None of them is run: the reader knows what each of
/// them would create.
package enum PickleGlobal: String, CaseIterable, Sendable {
    case orderedDictionary = "collections.OrderedDict"
    case rebuildTensor = "torch._utils._rebuild_tensor_v2"
    case floatStorage = "torch.FloatStorage"
    case longStorage = "torch.LongStorage"
}

/// The declaration of numbers that follow the pickles.
package struct TorchStorage: Equatable, Sendable {
    package enum Kind: Sendable {
        /// 32-bit floating-point numbers.
        case float
        /// 64-bit integers.
        case long

        /// The size of one number in bytes.
        var width: Int { self == .float ? 4 : 8 }
    }

    package let kind: Kind
    package let key: String
    /// The number of numbers.
    package let count: Int
}

/// The declaration of a tensor: a part of a storage, in rows without gaps, the last axis fastest.
package struct TorchView: Equatable, Sendable {
    package let storage: TorchStorage
    package let start: Int
    package let shape: [Int]

    package var count: Int { shape.reduce(1, *) }
}
