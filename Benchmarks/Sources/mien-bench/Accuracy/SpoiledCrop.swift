import MienFace

/// A way in which a photo, or the crop that is cut from it, shows too little of a face.
enum SpoiledCrop: String, CaseIterable, Sendable {
    /// The crop beside the face by a fourth of its width: a mesh on the wrong place.
    case misplaced
    /// The crop beside the face by its whole width: no face.
    case background
    /// The lower half of the face behind a gray surface, such as a mask.
    case maskedBelow = "masked_below"
    /// The eyes behind a gray bar, such as sunglasses.
    case maskedEyes = "masked_eyes"
    /// One half of the face behind a gray surface, such as a door.
    case halfFace = "half_face"
    /// Details of less than a twelfth of the photo's width removed.
    case blurred
    /// A tenth of the light.
    case dark

    /// Returns the spoiled picture with the face that the pipeline would describe in it.
    ///
    /// - Returns: `nil` if it finds no face there, so that nothing is described.
    func applied(
        to image: RGBImage, _ face: AnalyzedFace, _ analyzer: FaceAnalyzer,
        _ networks: some FaceNetworks
    ) throws -> (RGBImage, AnalyzedFace)? {
        let box = face.detection.box
        switch self {
        // The face is not looked for again: its mesh stands where it no longer is.
        case .misplaced: return (image.moved(by: Int(box.width / 4)), face)
        case .background: return (image.moved(by: Int(box.width)), face)
        case .maskedBelow: return try found(image.covered(lower(face)), analyzer, networks)
        case .maskedEyes: return try found(image.covered(eyes(face)), analyzer, networks)
        case .halfFace:
            let half = Rectangle(
                x: box.center.x, y: box.y - box.height / 2, width: box.width,
                height: 2 * box.height)
            return try found(image.covered(half), analyzer, networks)
        case .blurred:
            let small = image.resized(
                width: max(8, image.width / 12), height: max(8, image.height / 12))
            return try found(
                small.resized(width: image.width, height: image.height), analyzer, networks)
        case .dark:
            let pixels = image.pixels.map { $0 / 10 }
            // As many bytes as before.
            let dark = try! RGBImage(width: image.width, height: image.height, pixels: pixels)
            return try found(dark, analyzer, networks)
        }
    }

    private func found(
        _ image: RGBImage, _ analyzer: FaceAnalyzer, _ networks: some FaceNetworks
    ) throws -> (RGBImage, AnalyzedFace)? {
        try analyzer.analyze(image, with: networks).main.map { (image, $0) }
    }

    /// From the tip of the nose down.
    private func lower(_ face: AnalyzedFace) -> Rectangle {
        let box = face.detection.box, nose = face.mesh.points[4]
        return Rectangle(
            x: box.x - box.width / 4, y: nose.y - box.height / 20, width: 1.5 * box.width,
            height: box.height)
    }

    private func eyes(_ face: AnalyzedFace) -> Rectangle {
        let left = face.mesh.points[33], right = face.mesh.points[263]
        let width = abs(right.x - left.x), middle = (left.y + right.y) / 2
        return Rectangle(
            x: min(left.x, right.x) - width / 4, y: middle - width / 4, width: 1.5 * width,
            height: width / 2)
    }
}

extension RGBImage {
    /// Returns the picture moved to the right, with black where nothing is known.
    fileprivate func moved(by distance: Int) -> RGBImage {
        var out = RGBImage(width: width, height: height, filledWith: .black)
        for y in 0..<height {
            for x in max(0, distance)..<max(distance, width) { out[x, y] = self[x - distance, y] }
        }
        return out
    }

    fileprivate func covered(_ area: Rectangle) -> RGBImage {
        var out = self
        let columns = max(0, Int(area.x))..<max(0, min(width, Int(area.x + area.width)))
        let rows = max(0, Int(area.y))..<max(0, min(height, Int(area.y + area.height)))
        guard !columns.isEmpty, !rows.isEmpty else { return out }
        for y in rows { for x in columns { out[x, y] = RGBColor(128, 128, 128) } }
        return out
    }
}
