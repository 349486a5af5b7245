internal import MienPixels

extension ImageOrientation {
    /// The image, upright.
    func applied(to image: RGBImage) -> RGBImage {
        self == .asStored ? image : rearranged(image)
    }

    /// Where the upright image's top left pixel is stored, and how far, in pixels, one to the right and one down are from it.
    private func walk(width: Int, height: Int) -> (start: Int, right: Int, down: Int) {
        let last = width * height - 1
        return switch self {
        case .asStored: (0, 1, width)
        case .mirror: (width - 1, -1, width)
        case .turn180: (last, -1, -width)
        case .flip: (last + 1 - width, 1, -width)
        case .transpose: (0, width, 1)
        case .turn90: (last + 1 - width, -width, 1)
        case .transverse: (last, -width, -1)
        case .turn270: (width - 1, width, -1)
        }
    }

    /// In squares of 32×32 pixels, so that rows read across columns stay in the cache.
    private func rearranged(_ image: RGBImage) -> RGBImage {
        let (width, height) = swapsSides ? (image.height, image.width) : (image.width, image.height)
        let (start, right, down) = walk(width: image.width, height: image.height)
        let from = image.pixels.span
        var pixels = [UInt8](repeating: 0, count: from.count)
        var to = pixels.mutableSpan
        let square = 32
        for top in stride(from: 0, to: height, by: square) {
            for left in stride(from: 0, to: width, by: square) {
                for y in top..<min(top + square, height) {
                    var source = 3 * (start + left * right + y * down), target = 3 * (y * width + left)
                    for _ in left..<min(left + square, width) {
                        to[target] = from[source]
                        to[target + 1] = from[source + 1]
                        to[target + 2] = from[source + 2]
                        source += 3 * right
                        target += 3
                    }
                }
            }
        }
        return RGBImage(decodedWidth: width, height: height, pixels: pixels)
    }
}
