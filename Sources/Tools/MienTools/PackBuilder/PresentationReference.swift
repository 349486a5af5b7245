/// The answers of the two published MiniFASNet networks to pictures that a formula draws, computed by
/// an independent implementation in double precision.
///
/// A converted network whose output agrees to within ``tolerance`` in every number computes the same
/// function.
public enum PresentationReference {
    /// The maximum difference in any number of the output.
    public static let tolerance = 1e-4
    /// Width and height in pixels of the pictures: the top left part of those of ``ReferenceChip``.
    public static let side = 80

    /// The mean of both networks' probabilities, for one picture.
    public static func scores(of chip: ReferenceChip) -> [Double] {
        switch chip {
        case .gradient: [0.005119958255, 0.434141401235, 0.560738640510]
        case .rings: [0.011554068766, 0.866042947859, 0.122402983375]
        case .noise: [0.003997570799, 0.994959070158, 0.001043359043]
        }
    }

    /// ``side`` rows of ``side`` pixels, in the format of ``ReferenceChip``.
    public static func pixels(of chip: ReferenceChip) -> [UInt8] {
        let all = chip.pixels
        return (0..<side).flatMap { row in
            let start = 3 * row * ReferenceChip.side
            return all[start..<start + 3 * side]
        }
    }
}
