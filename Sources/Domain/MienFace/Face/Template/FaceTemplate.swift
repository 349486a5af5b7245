public import MienCore

/// The stored form of an enrolled face: a few descriptors from one model pack, and no image.
///
/// - Shape: 1…8 ``Entry`` values, all with the same ``dimensions``.
///
/// A template is biometric data: it is never printed and is stored sealed. For its bytes, see
/// `docs/spec/face-template.md`.
public struct FaceTemplate: Sendable, Equatable {
    public static let entryRange = 1...8

    /// If the descriptors' mean is shorter than this before normalization, it counts as having no
    /// direction.
    public static let shortestMean = 1e-3

    /// One accepted picture of the face.
    public struct Entry: Sendable, Equatable {
        public static let qualityRange: ClosedRange<UInt8> = 0...100

        public let descriptor: FaceDescriptor
        /// 0…100; 100 is best.
        public let quality: UInt8
        public let pose: HeadPose

        /// - Throws: ``FaceTemplateError`` when `quality` is over 100 or an angle is not in
        ///   −180…180.
        public init(descriptor: FaceDescriptor, quality: UInt8, pose: HeadPose)
            throws(FaceTemplateError)
        {
            guard Self.qualityRange.contains(quality) else { throw .quality(quality) }
            guard pose.isValid else { throw .pose }
            (self.descriptor, self.quality, self.pose) = (descriptor, quality, pose)
        }
    }

    public let entries: [Entry]
    public let packID: PackID
    public let createdAt: Instant

    /// The unit mean of the entries' descriptors, with which a new capture is compared.
    public let mean: FaceDescriptor

    /// The number of dimensions of every descriptor.
    public var dimensions: Int { mean.dimensions }

    /// - Throws: ``FaceTemplateError`` when there are no entries or more than 8, when their
    ///   dimensions differ, when they cancel out, or when `createdAt` is before 1970.
    public init(entries: [Entry], packID: PackID, createdAt: Instant) throws(FaceTemplateError) {
        guard Self.entryRange.contains(entries.count) else { throw .entries(entries.count) }
        guard createdAt.milliseconds >= 0 else { throw .createdAt }
        self.mean = try Self.mean(of: entries)
        (self.entries, self.packID, self.createdAt) = (entries, packID, createdAt)
    }
}

extension FaceTemplate {
    private static func mean(of entries: [Entry]) throws(FaceTemplateError) -> FaceDescriptor {
        var sum = [Double](repeating: 0, count: entries[0].descriptor.dimensions)
        for entry in entries {
            guard entry.descriptor.dimensions == sum.count else {
                throw .dimensions(expected: sum.count, got: entry.descriptor.dimensions)
            }
            entry.descriptor.withValues { values in
                for i in values.indices { sum[i] += Double(values[i]) }
            }
        }
        let length = sum.reduce(0) { $0 + $1 * $1 }.squareRoot()
        guard length >= shortestMean * Double(entries.count) else { throw .noMeanDirection }
        do { return try FaceDescriptor(sum.map { Float($0 / length) }) } catch {
            throw .noMeanDirection
        }
    }
}

extension FaceTemplate: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹face template›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension FaceTemplate.Entry: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public var description: String { "‹face template entry›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The reason that values do not form a template.
public enum FaceTemplateError: Error, Sendable, Equatable {
    /// The number of entries, which is not in ``FaceTemplate/entryRange``.
    case entries(Int)
    /// The dimensions of an entry's descriptor differ from the first one's.
    case dimensions(expected: Int, got: Int)
    /// A quality over 100.
    case quality(UInt8)
    /// An angle is not a number in −180…180 degrees.
    case pose
    /// A time before 1970.
    case createdAt
    /// The descriptors point in opposite directions and cancel out.
    case noMeanDirection
}
