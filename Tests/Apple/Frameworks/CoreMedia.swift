// The parts of Apple's Core Media that the SDK uses. Source:
// developer.apple.com/documentation/coremedia/cmsamplebuffer.
@_exported import CoreVideo

public final class CMSampleBuffer {
    let image: CVImageBuffer
    public init(fake image: CVImageBuffer) { self.image = image }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func CMSampleBufferGetImageBuffer(_ buffer: CMSampleBuffer) -> CVImageBuffer? {
    buffer.image
}
