package import MienFace

/// A camera as far as a server can tell cameras apart without asking the client: by the size of its
/// pictures. One of a fixed set of words, so that it can label metrics.
package enum CameraClass: String, Sendable, Codable, CaseIterable {
    case qvga = "320x240", nHD = "640x360", vga = "640x480", svga = "800x600", qHD = "960x540"
    case quarter = "960x720", xga = "1024x768", hd = "1280x720", quadVGA = "1280x960"
    case uxga = "1600x1200", fullHD = "1920x1080", wuxga = "1920x1200"
    case other

    /// - Parameters: The sides in pixels, in either orientation.
    package init(width: Int, height: Int) {
        self = Self(rawValue: "\(max(width, height))x\(min(width, height))") ?? .other
    }

    package init(of image: RGBImage) { self.init(width: image.width, height: image.height) }
}
