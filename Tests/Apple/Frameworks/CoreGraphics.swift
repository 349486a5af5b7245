// The parts of Apple's Core Graphics that the SDK uses and Foundation does not have here. Source:
// developer.apple.com/documentation/corefoundation/cgaffinetransform and
// documentation/coregraphics/cgcolorspacecreatedevicergb().
@_exported import Foundation

public struct CGAffineTransform: Sendable {
    public var a, d: CGFloat
    public init(scaleX: CGFloat, y: CGFloat) { (a, d) = (scaleX, y) }
}

public final class CGColorSpace {}
// swift-format-ignore: AlwaysUseLowerCamelCase
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace() }
