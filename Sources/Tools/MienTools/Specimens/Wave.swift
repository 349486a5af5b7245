internal import Foundation

enum Wave {
    /// The sine of a number of full turns.
    static func sine(_ turns: Float) -> Float { sinf(2 * .pi * turns) }
    static func sine(_ turns: Double) -> Double { sin(2 * .pi * turns) }
    static func cosine(_ turns: Double) -> Double { cos(2 * .pi * turns) }
    static func power(_ x: Float, _ exponent: Float) -> Float { powf(max(x, 0), exponent) }
    static func exponential(_ x: Float) -> Float { expf(x) }
    /// The angle, in full turns, whose cosine is given.
    static func turns(cosine: Double) -> Double { acos(min(max(cosine, -1), 1)) / (2 * .pi) }
}
