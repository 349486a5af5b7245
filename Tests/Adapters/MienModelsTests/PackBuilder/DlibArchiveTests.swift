import Testing

@testable import MienTools

@Suite struct DlibArchiveTests {
    @Test(
        "an integer is a length, a sign, and bytes from the least significant",
        arguments: [
            ([1, 0], 0), ([1, 2], 2), ([1, 255], 255), ([2, 0x80, 0x12], 4736), ([0x81, 5], -5),
            ([0x82, 0, 1], -256),
            ([8, 255, 255, 255, 255, 255, 255, 255, 127], Int.max),
            ([0x88, 255, 255, 255, 255, 255, 255, 255, 127], -Int.max),
        ] as [([UInt8], Int)])
    func integer(bytes: [UInt8], value: Int) throws {
        var archive = DlibArchive(bytes)
        #expect(try archive.integer() == value)
        try archive.finish()
    }

    @Test(
        "a malformed integer is refused, with its offset",
        arguments: [
            ([], .truncated(bytesMissing: 1), 0), ([2, 1], .truncated(bytesMissing: 1), 1),
            ([8], .truncated(bytesMissing: 8), 1),
            ([0], .integerHeader(0), 0), ([9, 0, 0, 0, 0, 0, 0, 0, 0, 0], .integerHeader(9), 0),
            ([0x11, 1], .integerHeader(0x11), 0),
            ([8, 0, 0, 0, 0, 0, 0, 0, 128], .integerRange, 0),
            ([2, 1, 0], .integerHeader(2), 0), ([0x81, 0], .integerHeader(0x81), 0),
        ] as [([UInt8], DlibArchiveError.Reason, Int)])
    func noInteger(bytes: [UInt8], reason: DlibArchiveError.Reason, offset: Int) {
        var archive = DlibArchive(bytes)
        #expect(throws: DlibArchiveError(reason, at: offset)) { try archive.integer() }
    }

    @Test("the real numbers of the published file, 0.04 and 122.782, are read as 32-bit floats")
    func real() throws {
        var archive = DlibArchive([
            3, 0x0a, 0xd7, 0xa3, 0x81, 0x1c, 3, 0x62, 0x90, 0xf5, 0x81, 0x11,
        ])
        #expect(try archive.real() == Double(Float(0.04)))
        #expect(try archive.real() == Double(Float(122.782)))
    }

    @Test(
        "infinity and not-a-number, encoded as exponents 32000...32002, are refused",
        arguments: [0, 1, 2] as [UInt8])
    func notFinite(code: UInt8) {
        var archive = DlibArchive([1, 0, 2, code, 125])
        #expect(throws: DlibArchiveError(.notFinite, at: 0)) { try archive.real() }
    }

    @Test("a text is its length and its bytes; long or invalid UTF-8 text is refused")
    func text() throws {
        var good = DlibArchive([1, 5] + Array("relu_".utf8)),
            long = DlibArchive([1, 65] + Array(repeating: 97, count: 65))
        var bad = DlibArchive([1, 2, 0xC3, 0x28])
        #expect(try good.text() == "relu_")
        #expect(throws: DlibArchiveError(.text, at: 0)) { try long.text() }
        #expect(throws: DlibArchiveError(.text, at: 0)) { try bad.text() }
    }

    @Test("a flag is the character 0 or 1")
    func flag() throws {
        var archive = DlibArchive([0x30, 0x31, 1])
        #expect(try archive.flag() == false)
        #expect(try archive.flag() == true)
        #expect(throws: DlibArchiveError(.flag(1), at: 2)) { try archive.flag() }
    }

    @Test(
        "a tensor's values follow its shape; a shape larger than the archive allocates nothing"
    )
    func tensor() throws {
        var writer = ArchiveWriter()
        writer.tensor([1, 1, 2, 1], [1.5, -2])
        var archive = DlibArchive(writer.bytes)
        #expect(try archive.tensor() == DlibTensor(shape: [1, 1, 2, 1], values: [1.5, -2]))
        try archive.finish()

        var greedy = ArchiveWriter(), overflowing = ArchiveWriter(), negative = ArchiveWriter()
        greedy.tensor([1 << 40, 1, 1, 1], [])
        overflowing.tensor([1 << 40, 1 << 40, 1, 1], [])
        negative.tensor([1, -1, 1, 1], [])
        var a = DlibArchive(greedy.bytes), b = DlibArchive(overflowing.bytes),
            c = DlibArchive(negative.bytes)
        #expect(throws: DlibArchiveError(.truncated(bytesMissing: 4 << 40), at: greedy.bytes.count))
        { try a.tensor() }
        #expect(throws: DlibArchiveError(.integerRange, at: 2)) { try b.tensor() }
        #expect(throws: DlibArchiveError(.integerRange, at: 4)) { try c.tensor() }
    }

    @Test(
        "a weight that is not finite is refused with its offset",
        arguments: [Float.infinity, -.infinity, .nan])
    func weightNotFinite(value: Float) {
        var writer = ArchiveWriter()
        writer.tensor([3, 1, 1, 1], [0, 1, value])
        var archive = DlibArchive(writer.bytes)
        #expect(throws: DlibArchiveError(.notFinite, at: writer.bytes.count - 4)) {
            try archive.tensor()
        }
    }
}
