internal import MienCore

/// A recursive-descent parser over bytes. The depth limit also bounds the stack.
struct CBORReader {
    private let bytes: [UInt8]
    private let form: CBOR.Form
    private let limits: CBOR.Limits
    private(set) var offset = 0
    private var items = 0

    init(bytes: [UInt8], form: CBOR.Form, limits: CBOR.Limits) {
        (self.bytes, self.form, self.limits) = (bytes, form, limits)
    }

    mutating func value(depth: Int) throws(CBORError) -> CBORValue {
        let start = offset
        items += 1
        guard items <= limits.maxItems else { throw CBORError(.items, at: start) }
        let first = try byte(), kind = first >> 5, detail = first & 0x1f
        if kind == 7 { return try simpleOrFloat(detail, start) }
        let argument = try argument(detail, start)
        switch kind {
        case 0: return .unsigned(argument)
        case 1: return .negative(argument)
        case 2: return .bytes(try take(argument, start))
        case 3: return .text(try text(argument, start))
        case 4: return .array(try array(argument, start, depth: depth + 1))
        case 5: return .map(try map(argument, start, depth: depth + 1))
        default: return try tagged(argument, start, depth: depth + 1)
        }
    }

    private mutating func argument(_ detail: UInt8, _ start: Int) throws(CBORError) -> UInt64 {
        switch detail {
        case ..<24: return UInt64(detail)
        case 24...27:
            let value = try integer(bytes: 1 << Int(detail - 24))
            let minimum: UInt64 = [24, 1 << 8, 1 << 16, 1 << 32][Int(detail - 24)]
            guard value >= minimum else { throw CBORError(.notShortest, at: start) }
            return value
        case 31: throw CBORError(.indefinite, at: start)
        default: throw CBORError(.malformed, at: start)
        }
    }

    private mutating func simpleOrFloat(_ detail: UInt8, _ start: Int) throws(CBORError)
        -> CBORValue
    {
        switch detail {
        case 20...22: return .simple(detail)
        case 31: throw CBORError(.indefinite, at: start)
        case 28...30: throw CBORError(.malformed, at: start)
        case _ where form == .ctap2: throw CBORError(.unexpected, at: start)
        case ..<24: return .simple(detail)
        case 24:
            let value = try byte()
            guard value >= 32 else { throw CBORError(.malformed, at: start) }
            return .simple(value)
        case 25: return .float(Double(Self.half(UInt16(try integer(bytes: 2)))))
        case 26: return .float(Double(Float(bitPattern: UInt32(try integer(bytes: 4)))))
        default: return .float(Double(bitPattern: try integer(bytes: 8)))
        }
    }

    private mutating func text(_ count: UInt64, _ start: Int) throws(CBORError) -> String {
        guard let text = String(validUTF8: try take(count, start)) else {
            throw CBORError(.notUTF8, at: start)
        }
        // Looking up a map's member compares texts.
        guard text.isStreamSafe else { throw CBORError(.malformed, at: start) }
        return text
    }

    private mutating func array(_ count: UInt64, _ start: Int, depth: Int) throws(CBORError)
        -> [CBORValue]
    {
        try check(count, start, depth: depth)
        var values: [CBORValue] = []
        for _ in 0..<count { values.append(try value(depth: depth)) }
        return values
    }

    private mutating func map(_ count: UInt64, _ start: Int, depth: Int) throws(CBORError)
        -> [CBOREntry]
    {
        try check(count, start, depth: depth)
        var entries: [CBOREntry] = [], seen: Set<ArraySlice<UInt8>> = []
        var last: ArraySlice<UInt8>?
        for _ in 0..<count {
            let keyStart = offset
            let key = try value(depth: depth), encoding = bytes[keyStart..<offset]
            // Each value has one encoding, so keys are equal if their bytes are.
            guard seen.insert(encoding).inserted else {
                throw CBORError(.duplicateKey, at: keyStart)
            }
            if form == .ctap2, let last, !Self.precedes(last, encoding) {
                throw CBORError(.keyOrder, at: keyStart)
            }
            last = encoding
            entries.append(CBOREntry(key, try value(depth: depth)))
        }
        return entries
    }

    private mutating func tagged(_ tag: UInt64, _ start: Int, depth: Int) throws(CBORError)
        -> CBORValue
    {
        guard form != .ctap2 else { throw CBORError(.unexpected, at: start) }
        guard depth <= limits.maxDepth else { throw CBORError(.depth, at: start) }
        return .tagged(tag, try value(depth: depth))
    }

    /// Rejects arrays that claim more values than bytes are left.
    private func check(_ count: UInt64, _ start: Int, depth: Int) throws(CBORError) {
        guard depth <= limits.maxDepth else { throw CBORError(.depth, at: start) }
        guard count <= UInt64(bytes.count - offset) else { throw CBORError(.truncated, at: start) }
    }

    /// CTAP 2.1 §8: by major type, then by length, then by bytes.
    private static func precedes(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Bool {
        let kindA = a[a.startIndex] >> 5, kindB = b[b.startIndex] >> 5
        if kindA != kindB { return kindA < kindB }
        return a.count == b.count ? a.lexicographicallyPrecedes(b) : a.count < b.count
    }

    /// Converts half precision without `Float16`, which some platforms lack.
    private static func half(_ bits: UInt16) -> Float {
        let sign: Float = bits >> 15 == 0 ? 1 : -1
        let exponent = Int(bits >> 10 & 0x1f), fraction = Float(bits & 0x3ff)
        switch exponent {
        case 0: return sign * fraction * 0x1p-24
        case 31: return fraction == 0 ? sign * .infinity : .nan
        default:
            return sign
                * Float(sign: .plus, exponent: exponent - 15, significand: 1 + fraction / 1024)
        }
    }

    private mutating func byte() throws(CBORError) -> UInt8 {
        guard offset < bytes.count else { throw CBORError(.truncated, at: offset) }
        defer { offset += 1 }
        return bytes[offset]
    }

    private mutating func integer(bytes count: Int) throws(CBORError) -> UInt64 {
        try take(UInt64(count), offset).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func take(_ count: UInt64, _ start: Int) throws(CBORError) -> [UInt8] {
        guard count <= UInt64(bytes.count - offset) else { throw CBORError(.truncated, at: start) }
        defer { offset += Int(count) }
        return Array(bytes[offset..<offset + Int(count)])
    }
}
