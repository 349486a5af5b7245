// The parts of Apple's Core Image that the SDK uses. Pictures are JPEGs already, so that encoding
// chooses a size. Source: developer.apple.com/documentation/coreimage, the pages ciimage,
// ciimage/transformed(by:), cicontext, and
// cicontext/jpegrepresentation(of:colorspace:options:).
@_exported import CoreGraphics
@_exported import CoreVideo

public struct CIImageRepresentationOption: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

public final class CIImage: @unchecked Sendable {
    // Unchecked: it never changes.
    let picture: FakePicture
    public let extent: CGRect

    public init(cvPixelBuffer: CVPixelBuffer) {
        picture = cvPixelBuffer.fakePicture
        extent = CGRect(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height))
    }
    private init(_ picture: FakePicture, _ extent: CGRect) {
        (self.picture, self.extent) = (picture, extent)
    }
    public func transformed(by matrix: CGAffineTransform) -> CIImage {
        CIImage(
            picture,
            CGRect(x: 0, y: 0, width: extent.width * matrix.a, height: extent.height * matrix.d))
    }
}

open class CIContext: @unchecked Sendable {
    public init() {}
    open func jpegRepresentation(
        of image: CIImage, colorSpace: CGColorSpace,
        options: [CIImageRepresentationOption: Any] = [:]
    ) -> Data? {
        image.picture.jpeg(side: Double(max(image.extent.width, image.extent.height)))
    }
}
