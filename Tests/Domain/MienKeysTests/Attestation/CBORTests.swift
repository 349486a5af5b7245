import MienAttestation
import MienCore
import MienServerTesting
import Testing

@Suite struct CBORTests {
    private static func bytes(_ text: String) -> [UInt8] {
        let digits = Array(text)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)!
        }
    }

    private static func refusal(
        _ text: String, _ form: CBOR.Form = .general, limits: CBOR.Limits = CBOR.Limits()
    ) -> CBORError.Code? {
        do {
            _ = try CBOR.read(bytes(text), form: form, limits: limits)
            return nil
        } catch { return error.code }
    }

    /// RFC 8949, appendix A.
    static let examples: [(String, CBORValue)] = [
        ("00", .unsigned(0)), ("01", .unsigned(1)), ("0a", .unsigned(10)), ("17", .unsigned(23)),
        ("1818", .unsigned(24)), ("1819", .unsigned(25)),
        ("1864", .unsigned(100)), ("1903e8", .unsigned(1000)), ("1a000f4240", .unsigned(1_000_000)),
        ("1b000000e8d4a51000", .unsigned(1_000_000_000_000)),
        ("1bffffffffffffffff", .unsigned(.max)),
        ("c249010000000000000000", .tagged(2, .bytes([1, 0, 0, 0, 0, 0, 0, 0, 0]))),
        ("3bffffffffffffffff", .negative(.max)),
        ("c349010000000000000000", .tagged(3, .bytes([1, 0, 0, 0, 0, 0, 0, 0, 0]))),
        ("20", .negative(0)), ("29", .negative(9)),
        ("3863", .negative(99)), ("3903e7", .negative(999)), ("f90000", .float(0)),
        ("f93c00", .float(1)), ("fb3ff199999999999a", .float(1.1)),
        ("f93e00", .float(1.5)), ("f97bff", .float(65504)), ("fa47c35000", .float(100_000)),
        ("fa7f7fffff", .float(3.4028234663852886e+38)),
        ("fb7e37e43c8800759c", .float(1.0e+300)), ("f90001", .float(5.960464477539063e-8)),
        ("f90400", .float(0.00006103515625)),
        ("f9c400", .float(-4)), ("fbc010666666666666", .float(-4.1)), ("f97c00", .float(.infinity)),
        ("f9fc00", .float(-.infinity)),
        ("fa7f800000", .float(.infinity)), ("faff800000", .float(-.infinity)),
        ("fb7ff0000000000000", .float(.infinity)), ("f4", .false),
        ("f5", .true), ("f6", .null), ("f7", .simple(23)), ("f0", .simple(16)),
        ("f8ff", .simple(255)),
        ("c074323031332d30332d32315432303a30343a30305a", .tagged(0, .text("2013-03-21T20:04:00Z"))),
        ("c11a514b67b0", .tagged(1, .unsigned(1_363_896_240))),
        ("c1fb41d452d9ec200000", .tagged(1, .float(1_363_896_240.5))),
        ("d74401020304", .tagged(23, .bytes([1, 2, 3, 4]))),
        ("d818456449455446", .tagged(24, .bytes([0x64, 0x49, 0x45, 0x54, 0x46]))),
        (
            "d82076687474703a2f2f7777772e6578616d706c652e636f6d",
            .tagged(32, .text("http://www.example.com"))
        ), ("40", .bytes([])),
        ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")), ("6161", .text("a")),
        ("6449455446", .text("IETF")), ("62225c", .text("\"\\")),
        ("62c3bc", .text("\u{fc}")), ("63e6b0b4", .text("\u{6c34}")),
        ("64f0908591", .text("\u{10151}")), ("80", .array([])),
        ("83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])),
        (
            "8301820203820405",
            .array([
                .unsigned(1), .array([.unsigned(2), .unsigned(3)]),
                .array([.unsigned(4), .unsigned(5)]),
            ])
        ),
        (
            "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
            .array((1...25).map { .unsigned($0) })
        ), ("a0", .map([])),
        (
            "a201020304",
            .map([CBOREntry(.unsigned(1), .unsigned(2)), CBOREntry(.unsigned(3), .unsigned(4))])
        ),
        (
            "a26161016162820203",
            .map([
                CBOREntry("a", .unsigned(1)), CBOREntry("b", .array([.unsigned(2), .unsigned(3)])),
            ])
        ),
        ("826161a161626163", .array(["a", .map([CBOREntry("b", "c")])])),
        (
            "a56161614161626142616361436164614461656145",
            .map([
                CBOREntry("a", "A"), CBOREntry("b", "B"), CBOREntry("c", "C"), CBOREntry("d", "D"),
                CBOREntry("e", "E"),
            ])
        ),
    ]

    @Test(arguments: examples)
    func `examples of RFC 8949 are parsed`(text: String, value: CBORValue) throws {
        #expect(try CBOR.read(Self.bytes(text), form: .general) == value)
        // Floats have three widths; other values have one encoding.
        if !text.hasPrefix("f9"), !text.hasPrefix("fa") {
            #expect(Write.cbor(value) == Self.bytes(text))
        }
    }

    @Test func `negative zero and not-a-number are floats`() throws {
        guard case .float(let zero) = try CBOR.read(Self.bytes("f98000"), form: .general),
            case .float(let nan) = try CBOR.read(Self.bytes("f97e00"), form: .general)
        else { return #expect(Bool(false)) }
        #expect(zero == 0 && zero.sign == .minus && nan.isNaN)
    }

    @Test(arguments: [
        "5f42010243030405ff", "7f657374726561646d696e67ff", "9fff", "9f018202039f0405ffff",
        "bf61610161629f0203ffff", "ff", "df00ff",
    ])
    func `indefinite lengths of the same appendix are rejected`(text: String) {
        #expect([.indefinite, .malformed].contains(Self.refusal(text)))
    }

    @Test(arguments: [
        ("", CBORError.Code.truncated), ("18", .truncated), ("1901", .truncated),
        ("4401", .truncated), ("83", .truncated), ("8301", .truncated),
        ("a1", .truncated), ("a101", .truncated), ("c1", .truncated),
        ("9bffffffffffffffff", .truncated), ("5bffffffffffffffff", .truncated),
        ("bb8000000000000000", .truncated), ("0000", .trailing), ("1817", .notShortest),
        ("190017", .notShortest), ("1a0000ffff", .notShortest),
        ("1b00000000ffffffff", .notShortest), ("5801ff", .notShortest), ("1c", .malformed),
        ("1e", .malformed), ("fc", .malformed),
        ("f818", .malformed), ("f8", .truncated), ("61ff", .notUTF8), ("62c3", .truncated),
        ("63eda080", .notUTF8), ("a201010102", .duplicateKey),
        ("a2616101616102", .duplicateKey),
    ])
    func `malformed CBOR and duplicate keys are rejected with their codes`(
        text: String, code: CBORError.Code
    ) {
        #expect(Self.refusal(text) == code)
    }

    @Test(arguments: [
        ("c101", CBORError.Code.unexpected), ("f90000", .unexpected),
        ("fb3ff199999999999a", .unexpected), ("f7", .unexpected), ("f0", .unexpected),
        ("a203010101", .keyOrder), ("a2200101f5", .keyOrder), ("a262616101616201", .keyOrder),
        ("a2616201616101", .keyOrder),
    ])
    func `CTAP2 accepts fewer forms, and only ordered keys`(text: String, code: CBORError.Code) {
        #expect(Self.refusal(text, .ctap2) == code && Self.refusal(text) == nil)
    }

    /// CTAP 2.1 §8: smaller major type first, then shorter, then by bytes.
    @Test func `CTAP2's order is accepted`() {
        #expect(Self.refusal("a60a01186401200140016161016261610" + "1", .ctap2) == nil)
        #expect(Self.refusal("a301f403f5617af6", .ctap2) == nil)
    }

    @Test func `depth, items, and bytes are limited, and the maximum is accepted`() {
        let limits = CBOR.Limits(maxBytes: 8, maxDepth: 3, maxItems: 4)
        #expect(
            Self.refusal("81818100", limits: limits) == nil
                && Self.refusal("8181818100", limits: limits) == .depth)
        #expect(
            Self.refusal("c1c1c100", limits: limits) == nil
                && Self.refusal("c1c1c1c100", limits: limits) == .depth)
        #expect(
            Self.refusal("83000000", limits: limits) == nil
                && Self.refusal("8400000000", limits: limits) == .items)
        #expect(
            Self.refusal("4700000000000000", limits: limits) == nil
                && Self.refusal("480000000000000000", limits: limits) == .tooLong)
        #expect(Self.refusal(String(repeating: "81", count: 60_000)) == .depth)
    }

    @Test func `a value at the front is parsed alone`() throws {
        let (value, count) = try CBOR.readFirst([0x82, 1, 2, 9, 9], form: .ctap2)
        #expect(value == .array([.unsigned(1), .unsigned(2)]) && count == 3)
    }

    @Test func `numbers convert if they fit`() {
        #expect(
            CBORValue(integer: -257) == .negative(256)
                && CBORValue(integer: -257).integerValue == -257
                && CBORValue.negative(0).integerValue == -1)
        #expect(
            CBORValue.unsigned(.max).integerValue == nil
                && CBORValue.negative(.max).integerValue == nil)
        #expect(
            CBORValue(integer: .min).integerValue == .min
                && CBORValue(integer: .max).integerValue == .max)
    }

    @Test func `values parsed as CTAP2 encode to the same bytes`() {
        var random = Chance(1)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            guard let (value, count) = try? CBOR.readFirst(bytes, form: .ctap2) else { continue }
            #expect(Write.cbor(value) == Array(bytes[..<count]), "seed \(Chance.seed): \(bytes)")
        }
    }

    @Test func `error codes are stable`() {
        #expect(
            CBORError.Code.allCases.map(\.rawValue) == [
                "cbor.too-long", "cbor.truncated", "cbor.trailing", "cbor.depth", "cbor.items",
                "cbor.malformed", "cbor.not-shortest",
                "cbor.indefinite", "cbor.not-utf8", "cbor.duplicate-key", "cbor.key-order",
                "cbor.unexpected",
            ])
    }
}
