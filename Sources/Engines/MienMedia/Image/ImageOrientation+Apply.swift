internal import MienFace

extension ImageOrientation {
    /// Returns the upright image.
    func applied(to image: RGBImage) -> RGBImage {
        self == .asStored ? image : rearranged(image)
    }

    /// Returns the stored index of the upright image's top-left pixel, and the offsets, in pixels,
    /// of its neighbors to the right and below.
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

    private func rearranged(_ image: RGBImage) -> RGBImage {
        let (width, height) = swapsSides ? (image.height, image.width) : (image.width, image.height)
        let walk = walk(width: image.width, height: image.height)
        let size = image.pixels.count
        let pixels = unsafe image.pixels.withUnsafeBufferPointer { from in
            unsafe [UInt8](unsafeUninitializedCapacity: size) { to, count in
                unsafe Self.copy(from, to, width: width, height: height, walk)
                count = size
            }
        }
        return RGBImage(decodedWidth: width, height: height, pixels: pixels)
    }

    /// Copies in squares of 32×32 pixels, so that rows read across columns stay in the cache. Both
    /// buffers hold `3 × width × height` bytes. Uses pointers, because checked spans took three
    /// times as long.
    private static func copy(
        _ from: UnsafeBufferPointer<UInt8>, _ to: UnsafeMutableBufferPointer<UInt8>, width: Int,
        height: Int,
        _ walk: (start: Int, right: Int, down: Int)
    ) {
        precondition(from.count == 3 * width * height && to.count >= from.count)
        guard var to = to.baseAddress, let from = from.baseAddress else { return }
        let square = 32, step = 3 * walk.right
        let start = unsafe to
        for top in stride(from: 0, to: height, by: square) {
            for left in stride(from: 0, to: width, by: square) {
                for y in top..<min(top + square, height) {
                    unsafe to = start + 3 * (y * width + left)
                    var source = unsafe from + 3 * (walk.start + left * walk.right + y * walk.down)
                    for _ in left..<min(left + square, width) {
                        unsafe (to[0], to[1], to[2]) = (source[0], source[1], source[2])
                        unsafe to += 3
                        unsafe source += step
                    }
                }
            }
        }
    }
}
