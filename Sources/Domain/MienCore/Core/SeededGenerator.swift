internal import Foundation

/// A random number generator whose sequence a seed repeats exactly on every machine: xoshiro256**
/// with a state filled by SplitMix64.
///
/// For calibration and tests, whose results must be repeatable. Never use it for keys, tokens, or
/// anything that an attacker must not guess. Source: Blackman and Vigna, "Scrambled linear
/// pseudorandom number generators" (2021), and their public-domain reference code.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var a, b, c, d: UInt64
    private var spareNormal: Double?

    public init(seed: UInt64) {
        var filler = seed
        func next() -> UInt64 {
            filler &+= 0x9E37_79B9_7F4A_7C15
            var z = filler
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
        (a, b, c, d) = (next(), next(), next(), next())
    }

    public mutating func next() -> UInt64 {
        let result = Self.rotated(b &* 5, by: 7) &* 9
        let t = b << 17
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= t
        d = Self.rotated(d, by: 45)
        return result
    }

    private static func rotated(_ x: UInt64, by n: UInt64) -> UInt64 { (x << n) | (x >> (64 - n)) }
}

extension SeededGenerator {
    /// Returns a uniformly distributed number in 0..<1 with 53 bits of precision.
    public mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns a normally distributed number with mean 0 and deviation 1 (Marsaglia's polar
    /// method).
    public mutating func normal() -> Double {
        if let spare = spareNormal {
            spareNormal = nil
            return spare
        }
        while true {
            let u = 2 * uniform() - 1, v = 2 * uniform() - 1, s = u * u + v * v
            guard s > 0, s < 1 else { continue }
            let k = (-2 * log(s) / s).squareRoot()
            spareNormal = v * k
            return u * k
        }
    }

    /// Returns an unbiased integer in `0..<bound`.
    /// - Precondition: `bound` > 0.
    public mutating func index(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
