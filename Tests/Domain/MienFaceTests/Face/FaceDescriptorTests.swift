import MienFace
import Testing

@Suite struct FaceDescriptorTests {
    @Test func `a vector of length 1 is kept bit for bit`() throws {
        let values: [Float] = [0.6, -0.8, 0]
        #expect(
            try FaceDescriptor(values).withValues { span in span.indices.map { span[$0] } }
                == values)
    }

    @Test func `a vector within a thousandth of length 1 is scaled, others are rejected`()
        throws
    {
        let near = try FaceDescriptor([0.6 * 1.0009, 0.8 * 1.0009])
        #expect(abs(near.withValues { $0[0] } - 0.6) < 1e-6)
        #expect(throws: FaceDescriptorError.self) {
            try FaceDescriptor([0.6 * 1.0011, 0.8 * 1.0011])
        }
        #expect(throws: FaceDescriptorError.norm(0)) { try FaceDescriptor([0, 0]) }
    }

    @Test func `scaling is idempotent`() throws {
        for seed in 0..<200 {
            let raw = (0..<17).map { Float(($0 * 31 + seed * 7) % 23) - 11.3 }
            let once = try FaceDescriptor(normalizing: raw)
            #expect(
                try FaceDescriptor(once.withValues { span in span.indices.map { span[$0] } })
                    == once)
        }
    }

    @Test func `dimensions are 1 to 1024`() throws {
        #expect(try FaceDescriptor([-1]).dimensions == 1)
        #expect(try madeUpDescriptor(dimensions: 1024).dimensions == 1024)
        #expect(throws: FaceDescriptorError.dimensions(0)) { try FaceDescriptor([]) }
        #expect(throws: FaceDescriptorError.dimensions(1025)) {
            try FaceDescriptor([1] + [Float](repeating: 0, count: 1024))
        }
    }

    @Test func `a value that is not finite is rejected with its index`() {
        #expect(throws: FaceDescriptorError.notFinite(at: 1)) { try FaceDescriptor([0.6, .nan]) }
        #expect(throws: FaceDescriptorError.notFinite(at: 0)) {
            try FaceDescriptor(normalizing: [.infinity, 1])
        }
    }

    @Test func `a vector without a direction is rejected`() {
        #expect(throws: FaceDescriptorError.norm(0)) { try FaceDescriptor(normalizing: [0, 0, 0]) }
    }

    @Test func `the cosine is 1 with itself, -1 with its opposite, 0 at a right angle`() throws {
        let a = try FaceDescriptor([1, 0]), b = try FaceDescriptor([0, 1]),
            c = try FaceDescriptor([-1, 0])
        #expect((a.cosine(with: a), a.cosine(with: b), a.cosine(with: c)) == (1, 0, -1))
    }

    @Test(arguments: [1, 7, 8, 9, 16, 100, 128, 513, 1024])
    func `the cosine is the plain sum of products in either order`(dimensions: Int) throws {
        let a = try madeUpDescriptor(dimensions: dimensions, seed: 1),
            b = try madeUpDescriptor(dimensions: dimensions, seed: 5)
        let plain = a.withValues { x in
            b.withValues { y in x.indices.reduce(0.0) { $0 + Double(x[$1]) * Double(y[$1]) } }
        }
        #expect(abs(Double(a.cosine(with: b)) - plain) < 1e-5)
        #expect(a.cosine(with: b) == b.cosine(with: a))
        #expect((-1...1).contains(a.cosine(with: a)))
    }

    @Test func `comparing descriptors of different dimensions traps`() async {
        await #expect(processExitsWith: .failure) {
            _ = try FaceDescriptor([1]).cosine(with: FaceDescriptor([1, 0]))
        }
    }

    @Test func `a descriptor, an entry, and a template never print`() throws {
        let template = try madeUpTemplate()
        for value in [template.mean, template.entries[0], template] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(text.contains("‹face") && !text.contains("0."), "shown: \(text)")
            }
        }
    }
}
