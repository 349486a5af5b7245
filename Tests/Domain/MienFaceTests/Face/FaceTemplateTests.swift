import MienCore
import MienFace
import Testing

@Suite struct FaceTemplateTests {
    static let pack = try! PackID("made-up"), epoch = Instant(milliseconds: 0)

    static func entry(_ values: [Float]) throws -> FaceTemplate.Entry {
        try .init(descriptor: FaceDescriptor(values), quality: 50, pose: .frontal)
    }

    @Test func `the mean of one descriptor is that descriptor`() throws {
        let template = try madeUpTemplate(entries: 1)
        #expect(template.mean.cosine(with: template.entries[0].descriptor) > 0.999999)
    }

    @Test func `the mean points halfway between two descriptors and has length 1`() throws {
        let template = try FaceTemplate(
            entries: [Self.entry([1, 0]), Self.entry([0, 1])], packID: Self.pack,
            createdAt: Self.epoch)
        let half = Float(0.5.squareRoot()), expected = try FaceDescriptor([half, half])
        #expect(template.mean == expected)
    }

    @Test func `a template has one to eight entries`() throws {
        #expect(try madeUpTemplate(entries: 8).entries.count == 8)
        for count in [0, 9] {
            #expect(throws: FaceTemplateError.entries(count)) { try madeUpTemplate(entries: count) }
        }
    }

    @Test func `entries of different dimensions are rejected`() {
        #expect(throws: FaceTemplateError.dimensions(expected: 2, got: 1)) {
            try FaceTemplate(
                entries: [Self.entry([1, 0]), Self.entry([1])], packID: Self.pack,
                createdAt: Self.epoch)
        }
    }

    @Test func `entries that cancel out are rejected`() {
        #expect(throws: FaceTemplateError.noMeanDirection) {
            try FaceTemplate(
                entries: [Self.entry([1, 0]), Self.entry([-1, 0])], packID: Self.pack,
                createdAt: Self.epoch)
        }
    }

    @Test func `quality, pose, and time have ranges`() throws {
        let descriptor = try madeUpDescriptor()
        #expect(throws: FaceTemplateError.quality(101)) {
            try FaceTemplate.Entry(descriptor: descriptor, quality: 101, pose: .frontal)
        }
        for angle: Float in [.nan, .infinity, 180.1, -181] {
            for pose in [
                HeadPose(yaw: angle, pitch: 0, roll: 0), HeadPose(yaw: 0, pitch: angle, roll: 0),
                HeadPose(yaw: 0, pitch: 0, roll: angle),
            ] {
                #expect(throws: FaceTemplateError.pose) {
                    try FaceTemplate.Entry(descriptor: descriptor, quality: 1, pose: pose)
                }
            }
        }
        #expect(throws: FaceTemplateError.createdAt) {
            try FaceTemplate(
                entries: [Self.entry([1])], packID: Self.pack, createdAt: Instant(milliseconds: -1))
        }
    }
}
