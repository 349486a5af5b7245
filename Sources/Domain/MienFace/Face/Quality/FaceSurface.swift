/// The effects of light and lens on a face, measured on a small upright picture of it.
struct FaceSurface: Sendable {
    /// The picture's side in pixels. The face's outline fills about 80 of them.
    static let side = 112

    /// Mean brightness of the face, 0...255.
    let brightness: Double
    /// Standard deviation of the brightness, 0...128.
    let contrast: Double
    /// Fraction of the face's pixels that are black or blown out, 0...1.
    let clipped: Double
    /// Root mean square of the Laplacian divided by ``contrast``: the fraction of the contrast that
    /// is fine detail.
    let sharpness: Double

    /// - Parameter mesh: in `image`'s pixels.
    init(of mesh: FaceMesh, in image: RGBImage) {
        let side = Self.side
        let bounds = mesh.bounds
        let across = mesh.leftEyeCenter - mesh.rightEyeCenter
        let size = max(bounds.width, bounds.height, 1) * 1.1
        let length = across.length, k = Double(side) / size
        // Upright along the eyes, with the box's center in the middle. When both eyes coincide, as
        // in a broken mesh, do not rotate.
        let (c, s) = length > 1e-6 ? (across.x / length * k, across.y / length * k) : (k, 0),
            half = Double(side) / 2
        let map = AffineMap(
            a: c, b: s, tx: half - c * bounds.center.x - s * bounds.center.y, c: -s, d: c,
            ty: half + s * bounds.center.x - c * bounds.center.y)
        let picture = image.warped(by: map, width: side, height: side)
        let mask = OutlineMask(FaceMesh.outline.map { map(mesh.points[$0]) }, side: side)
        let luma = picture.luma

        var sum = 0.0, squares = 0.0, clipped = 0, count = 0, detail = 0.0, detailCount = 0
        for y in 1..<side - 1 {
            for x in 1..<side - 1 where mask[x, y] {
                let i = y * side + x, value = Double(luma[i])
                sum += value
                squares += value * value
                count += 1
                if luma[i] <= 4 || luma[i] >= 251 { clipped += 1 }
                // Only where all neighbors are skin, too, because the outline's own edge says
                // nothing about the lens.
                guard mask[x - 1, y], mask[x + 1, y], mask[x, y - 1], mask[x, y + 1] else {
                    continue
                }
                let laplacian = Double(
                    Int(luma[i - 1]) + Int(luma[i + 1]) + Int(luma[i - side]) + Int(luma[i + side])
                        - 4 * Int(luma[i]))
                detail += laplacian * laplacian
                detailCount += 1
            }
        }
        let n = Double(max(count, 1))
        brightness = sum / n
        contrast = max(0, squares / n - (sum / n) * (sum / n)).squareRoot()
        self.clipped = Double(clipped) / n
        sharpness = (detail / Double(max(detailCount, 1))).squareRoot() / max(contrast, 1)
    }
}

/// A mask of the pixels of a square picture that lie inside a closed outline.
private struct OutlineMask {
    private let side: Int
    private var inside: [Bool]

    init(_ outline: [Point], side: Int) {
        self.side = side
        inside = [Bool](repeating: false, count: side * side)
        for y in 0..<side {
            let level = Double(y) + 0.5
            var crossings: [Double] = []
            for (a, b) in zip(outline, outline.dropFirst() + outline.prefix(1))
            where (a.y <= level) != (b.y <= level) {
                crossings.append(a.x + (level - a.y) / (b.y - a.y) * (b.x - a.x))
            }
            crossings.sort()
            for pair in stride(from: 0, to: crossings.count - 1, by: 2) {
                let first = max(0, Int(max(-1, crossings[pair]).rounded())),
                    last = min(side, Int(min(1e6, crossings[pair + 1]).rounded()))
                for x in first..<max(first, last) { inside[y * side + x] = true }
            }
        }
    }

    subscript(x: Int, y: Int) -> Bool { inside[y * side + x] }
}
