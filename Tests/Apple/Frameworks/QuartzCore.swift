// The part of Apple's Core Animation that the SDK uses. Source:
// developer.apple.com/documentation/quartzcore/calayer.
@_exported import CoreGraphics

open class CALayer: NSObject {
    public required override init() {}
    open var frame = CGRect.zero
    open func addSublayer(_ layer: CALayer) {}
}
