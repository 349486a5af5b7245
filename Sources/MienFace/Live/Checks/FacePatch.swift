internal import MienPixels

/// A small upright picture of a face, in brightness only.
///
/// - Shape: ``side``² bytes, rows top to bottom; eyes level, the same part of the face whatever its size and place.
///
/// Shows a person: never prints.
public struct FacePatch: Sendable, Equatable {
    public static let side = 64

    public let brightness: [UInt8]

    /// - Precondition: `brightness` holds ``side``² values.
    public init(brightness: [UInt8]) {
        precondition(brightness.count == Self.side * Self.side, "a patch holds \(Self.side * Self.side) values")
        self.brightness = brightness
    }
}

extension FacePatch: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹face patch›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
