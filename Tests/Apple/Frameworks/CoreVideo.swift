// The parts of Apple's Core Video and Core Media that the SDK uses. A buffer holds a picture of
// `FakePhone`. Source: developer.apple.com/documentation/corevideo/cvpixelbuffer and
// documentation/coremedia/cmsamplebuffergetimagebuffer(_:).
@_exported import FakePhone
import Foundation

public final class CVBuffer: @unchecked Sendable {
    // Unchecked: it never changes.
    public let fakePicture: FakePicture
    public init(fake picture: FakePicture) { fakePicture = picture }
}
public typealias CVImageBuffer = CVBuffer
public typealias CVPixelBuffer = CVImageBuffer

// swift-format-ignore: AlwaysUseLowerCamelCase
public func CVPixelBufferGetWidth(_ buffer: CVPixelBuffer) -> Int { buffer.fakePicture.width }
// swift-format-ignore: AlwaysUseLowerCamelCase
public func CVPixelBufferGetHeight(_ buffer: CVPixelBuffer) -> Int { buffer.fakePicture.height }
